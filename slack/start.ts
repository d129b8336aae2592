/** Starts the app: checks the tokens, connects or listens, watches the socket. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SocketModeReceiver } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { messageOf } from '../domain/unknown.ts';
import { type BotIdentity, createSlackApp } from './app.ts';
import { createChannels } from './channels.ts';
import type { ClusterDirectory } from './deps.ts';
import { SlackDeliveryError, slackError } from './errors.ts';
import { type Log, STDERR_LOG } from './log.ts';
import { httpReceiver, socketReceiver } from './receivers.ts';
import type { Upgrades } from './upgrades.ts';
import { watchSocket } from './watchdog.ts';
import { createSlackWeb } from './web.ts';

const DEFAULT_PORT = 3000;
const DISCONNECTED_LIMIT_MS = 60_000;
const KEEP_TRYING_MS = 120_000;
/** A close that Slack does not answer is not waited for longer. */
export const CLOSE_LIMIT_MS = 2_000;

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
  clusters: ClusterDirectory;
  settings: SlackSettings;
  log?: Log;
  /** Default 2 min. */
  keepTryingMs?: number;
  /** Default 60 s. */
  disconnectedLimitMs?: number;
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
  const { settings, upgrades, clusters } = options;
  const log = options.log ?? STDERR_LOG;
  const { botToken, appToken, signingSecret, apiUrl } = settings;
  if (botToken === undefined)
    throw new Error('SLACK_BOT_TOKEN is not set. Install the app from slack/manifest.yaml and copy its bot token (xoxb-).');
  if (appToken === undefined && signingSecret === undefined) {
    throw new Error('Set SLACK_APP_TOKEN (xapp-, scope connections:write) for socket mode, or SLACK_SIGNING_SECRET for HTTP mode.');
  }
  const web = createSlackWeb({ token: botToken, apiUrl });
  const bot = await identify(web, botToken);
  if (appToken !== undefined) await checkAppToken(createSlackWeb({ token: appToken, apiUrl }));
  const port = settings.port ?? DEFAULT_PORT;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('PORT is not a port number. Write one such as 3000.');
  const receiver =
    appToken === undefined ? httpReceiver({ signingSecret: signingSecret ?? '', port, log }) : socketReceiver({ appToken, apiUrl, log });
  const stopping = new AbortController();
  const keepTryingMs = options.keepTryingMs ?? KEEP_TRYING_MS;
  const app = createSlackApp({
    upgrades,
    clusters,
    web,
    channels: createChannels(web),
    log,
    keepTryingMs,
    stopping: stopping.signal,
    receiver,
    bot,
  });

  let stopWatching = (): void => undefined;
  const lost = new Promise<string>((resolve) => {
    if (receiver instanceof SocketModeReceiver) {
      stopWatching = watchSocket(receiver.client, options.disconnectedLimitMs ?? DISCONNECTED_LIMIT_MS, resolve);
    }
  });
  try {
    const away = lost.then((why): never => {
      throw new SlackDeliveryError(`opening the socket: ${why}`, { code: 'unreachable', retryable: true });
    });
    away.catch(() => undefined);
    const server = await Promise.race([receiver instanceof SocketModeReceiver ? receiver.start() : receiver.start(port), away]);
    const address = 'address' in server && typeof server.address === 'function' ? server.address() : undefined;
    const listening = typeof address === 'object' && address !== null ? address.port : undefined;
    log.info(
      listening === undefined ? 'connected to Slack in socket mode' : `listening for Slack on port ${listening}, path /slack/events`,
    );
    return {
      port: listening,
      lost,
      stop: async () => {
        stopWatching();
        stopping.abort();
        if (receiver instanceof SocketModeReceiver) await closeSocket(receiver);
        else await app.stop();
      },
    };
  } catch (error) {
    stopWatching();
    if (!(receiver instanceof SocketModeReceiver)) throw listenError(error, port);
    await closeSocket(receiver);
    throw slackError(error, 'opening the socket');
  }
}

/** Bolt's own stop does not wait until the socket is closed. */
async function closeSocket(receiver: SocketModeReceiver): Promise<void> {
  const limit = new AbortController();
  await Promise.race([receiver.client.disconnect(), sleep(CLOSE_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}

async function identify(web: WebClient, botToken: string): Promise<BotIdentity> {
  try {
    const { team_id: teamId, enterprise_id: enterpriseId, bot_id: botId, user_id: botUserId } = await web.auth.test();
    return { botToken, teamId: teamId ?? '', enterpriseId, botId, botUserId };
  } catch (error) {
    throw slackError(error, 'checking SLACK_BOT_TOKEN');
  }
}

/** The socket's client tries a refused token again for ever; asked here, it is said at once. */
async function checkAppToken(web: WebClient): Promise<void> {
  try {
    await web.apps.connections.open({});
  } catch (error) {
    throw slackError(error, 'opening the socket with SLACK_APP_TOKEN');
  }
}

function listenError(error: unknown, port: number): Error {
  const inUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const why = inUse ? 'it is in use' : messageOf(error);
  return new Error(`Cannot listen on port ${port}: ${why}. Set PORT to another one.`, { cause: error });
}
