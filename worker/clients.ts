/** Clients as belay.yaml and the environment say. Nothing is sent until one is used. */
import type { WebClient } from '@slack/web-api';
import { type ClusterClients, createClusterClients } from '../activities/clients/clusters.ts';
import type { Config } from '../domain/config/config.ts';
import { createSlackWeb } from '../slack/web.ts';
import { settingsOf } from './settings.ts';

/** For every cluster of the file; close them when done. */
export function openClients(config: Config): ClusterClients {
  return createClusterClients({ settings: (name) => settingsOf(config, name) });
}

/** Slack's API; undefined: without SLACK_BOT_TOKEN no Slack is used. */
export function slackWebOf(env: NodeJS.ProcessEnv): WebClient | undefined {
  const token = env['SLACK_BOT_TOKEN'];
  return token ? createSlackWeb({ token, apiUrl: env['SLACK_API_URL'] }) : undefined;
}
