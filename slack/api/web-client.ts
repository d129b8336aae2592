/** Slack's Web API client as Belay uses it: one try, a time limit, rate limits as errors. Retrying is left to Temporal and to people. */
import type { WebClient, WebClientOptions } from '@slack/web-api';
import { CountedWebClient } from './counted-client.ts';
import { boltLogger, type Log } from './log.ts';

const CALL_LIMIT_MS = 10_000;

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface SlackWebSettings {
  /** Default https://slack.com/api/ */
  apiUrl?: string;
  /** Default: nothing; errors are thrown anyway. */
  log?: Log;
}

export function webOptions({ apiUrl, log }: SlackWebSettings): WebClientOptions {
  return {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_LIMIT_MS,
    logger: boltLogger(log ?? SILENT),
    ...(apiUrl === undefined || apiUrl === '' ? {} : { slackApiUrl: apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/` }),
  };
}

/** `token` is SLACK_BOT_TOKEN, `apiUrl` SLACK_API_URL. */
export function createSlackWeb(settings: { token: string } & SlackWebSettings): WebClient {
  return new CountedWebClient(settings.token, webOptions(settings));
}
