/** Slack's API as the environment says. Apart from the other clients: who needs no Slack loads none of it. */
import type { WebClient } from '@slack/web-api';
import { createSlackWeb } from '../../slack/api/web-client.ts';

/** undefined: without SLACK_BOT_TOKEN no Slack is used. */
export function slackWebOf(env: NodeJS.ProcessEnv): WebClient | undefined {
  const token = env['SLACK_BOT_TOKEN'];
  return token ? createSlackWeb({ token, apiUrl: env['SLACK_API_URL'] }) : undefined;
}
