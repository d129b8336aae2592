/** Starts the app: checks the settings, connects or listens. */
import type { WebClient } from '@slack/web-api';
import { type BotIdentity, createSlackApp } from './app.ts';
import { createChannels } from './api/channels.ts';
import type { ClusterDirectory } from './interaction/deps.ts';
import { slackError } from './api/errors.ts';
import type { Log } from './api/log.ts';
import { createPersonReader } from './api/members.ts';
import type { Campaigns } from '../client/campaigns/campaigns.ts';
import type { Upgrades } from '../client/upgrades-client.ts';
import { httpWay, socketWay } from './transport/transports.ts';
import { createSlackWeb } from './api/web-client.ts';
import { botTokenMissing, notAPort, noWayIn } from './messages/failures.ts';

const DEFAULT_PORT = 3000;
const DISCONNECTED_LIMIT_MS = 60_000;
const KEEP_TRYING_MS = 120_000;

export interface SlackSettings {
  /** SLACK_BOT_TOKEN */
  botToken?: string;
  /** SLACK_APP_TOKEN: socket mode. */
  appToken?: string;
  /** SLACK_SIGNING_SECRET: HTTP mode, where there is no app token. */
  signingSecret?: string;
  /** SLACK_API_URL */
  apiUrl?: string;
  /** HTTP mode; default 3000. */
  port?: number;
}

export interface SlackOptions {
  upgrades: Upgrades;
  campaigns: Campaigns;
  clusters: ClusterDirectory;
  settings: SlackSettings;
  log: Log;
  /** Default 2 min. */
  keepTryingMs?: number;
  /** Default 60 s. */
  disconnectedLimitMs?: number;
  /** Told at each change whether Slack's requests can come in: the socket stands, or the port listens. */
  onConnection?: (connected: boolean) => void;
  /** HTTP mode: how often requests that Slack did not sign are told, as a number. Default 60 s. */
  unsignedEveryMs?: number;
}

export interface RunningSlack {
  /** HTTP mode. */
  port?: number;
  stop(): Promise<void>;
  /** Resolves with the reason when the watchdog gives up. */
  lost: Promise<string>;
}

/** Starts listening. Throws an error that names the fix: a token that is missing or refused, a port in use, Slack out of reach. */
export async function startSlack(options: SlackOptions): Promise<RunningSlack> {
  const { settings, upgrades, campaigns, clusters } = options;
  const { log } = options;
  const { botToken, appToken, signingSecret, apiUrl } = settings;
  if (botToken === undefined) throw new Error(botTokenMissing());
  if (appToken === undefined && signingSecret === undefined) {
    throw new Error(noWayIn());
  }
  const web = createSlackWeb({ token: botToken, apiUrl });
  const bot = await identify(web, botToken);
  const port = settings.port ?? DEFAULT_PORT;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(notAPort());
  const disconnectedLimitMs = options.disconnectedLimitMs ?? DISCONNECTED_LIMIT_MS;
  const way =
    appToken === undefined
      ? httpWay({
          signingSecret: signingSecret ?? '',
          port,
          log,
          refused: (what) => upgrades.refused({ what }),
          unsignedEveryMs: options.unsignedEveryMs,
          onConnection: options.onConnection,
        })
      : await socketWay({ appToken, apiUrl, log, disconnectedLimitMs, onConnection: options.onConnection });
  const stopping = new AbortController();
  createSlackApp({
    upgrades,
    campaigns,
    clusters,
    web,
    channels: createChannels(web),
    people: createPersonReader({ web, home: bot }),
    log,
    keepTryingMs: options.keepTryingMs ?? KEEP_TRYING_MS,
    stopping: stopping.signal,
    receiver: way.receiver,
    bot,
  });
  const listening = await way.open();
  log.info(listening === undefined ? 'connected to Slack in socket mode' : `listening for Slack on port ${listening}, path /slack/events`);
  return {
    port: listening,
    lost: way.lost,
    stop: async () => {
      stopping.abort();
      await way.close();
    },
  };
}

async function identify(web: WebClient, botToken: string): Promise<BotIdentity> {
  try {
    const { team_id: teamId, enterprise_id: enterpriseId, bot_id: botId, user_id: botUserId } = await web.auth.test();
    return { botToken, teamId: teamId ?? '', enterpriseId, botId, botUserId };
  } catch (error) {
    throw slackError(error, 'checking SLACK_BOT_TOKEN');
  }
}
