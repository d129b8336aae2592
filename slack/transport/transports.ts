/** The two ways in, opened and closed: a socket that is watched, or a port. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Receiver, SocketModeReceiver } from '@slack/bolt';
import { field, messageOf } from '../../domain/core/unknown.ts';
import { SlackDeliveryError, slackError } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import { httpReceiver, socketReceiver } from './receivers.ts';
import { countUnsigned } from './unsigned-requests.ts';
import { watchSocket } from './socket-watchdog.ts';
import { createSlackWeb } from '../api/web-client.ts';
import { cannotListen } from '../messages/failures.ts';

/** A close that Slack does not answer is not waited for longer. */
export const CLOSE_LIMIT_MS = 2_000;

/** The first connection may take so long on a machine that has much to do. */
const OPEN_LIMIT_MS = 60_000;

export interface WayIn {
  receiver: Receiver;
  /** Lets requests in; the port, where there is one. Throws an error that names the fix; nothing is left open then. */
  open(): Promise<number | undefined>;
  close(): Promise<void>;
  /** Resolves with the reason when nothing has come in, and nothing could, for too long. */
  lost: Promise<string>;
}

/** Throws SlackDeliveryError where Slack refuses the token. */
export async function socketWay(options: {
  appToken: string;
  apiUrl?: string;
  log: Log;
  disconnectedLimitMs: number;
  onConnection?: (connected: boolean) => void;
}): Promise<WayIn> {
  const { appToken, apiUrl, log, disconnectedLimitMs, onConnection = () => undefined } = options;
  await checkAppToken(appToken, apiUrl);
  const receiver = socketReceiver({ appToken, apiUrl, log });
  receiver.client.on('connected', () => onConnection(true));
  for (const event of ['close', 'disconnected'] as const) receiver.client.on(event, () => onConnection(false));
  const { promise: lost, resolve: giveUp } = Promise.withResolvers<string>();
  let stopWatching = (): void => undefined;
  const close = async (): Promise<void> => {
    stopWatching();
    await closeSocket(receiver);
  };
  return {
    receiver,
    lost,
    close,
    async open() {
      stopWatching = watchSocket(
        receiver.client,
        { openMs: Math.max(disconnectedLimitMs, OPEN_LIMIT_MS), limitMs: disconnectedLimitMs },
        giveUp,
      );
      const away = lost.then((why): never => {
        throw new SlackDeliveryError(`opening the socket: ${why}`, { code: 'unreachable', retryable: true });
      });
      away.catch(() => undefined);
      try {
        await Promise.race([receiver.start(), away]);
        return undefined;
      } catch (error) {
        await close();
        throw slackError(error, 'opening the socket');
      }
    },
  };
}

/** `refused`: told once a minute of requests that are not signed by Slack, or not now. */
export function httpWay(options: {
  signingSecret: string;
  port: number;
  log: Log;
  refused: (what: string) => void;
  unsignedEveryMs?: number;
  onConnection?: (connected: boolean) => void;
}): WayIn {
  const { port, onConnection = () => undefined } = options;
  const unsigned = countUnsigned(options.refused, options.unsignedEveryMs);
  const receiver = httpReceiver({ ...options, refused: (source) => unsigned.add(source) });
  return {
    receiver,
    // Whether Slack can reach this port is not known here.
    lost: new Promise(() => undefined),
    close: async () => {
      onConnection(false);
      await receiver.stop();
      unsigned.end();
    },
    async open() {
      try {
        const address = (await receiver.start(port)).address();
        onConnection(true);
        return typeof address === 'object' && address !== null ? address.port : port;
      } catch (error) {
        throw listenError(error, port);
      }
    },
  };
}

/** The socket's client tries a refused token again for ever; asked here, it is said at once. */
async function checkAppToken(token: string, apiUrl: string | undefined): Promise<void> {
  try {
    await createSlackWeb({ token, apiUrl }).apps.connections.open({});
  } catch (error) {
    throw slackError(error, 'opening the socket with SLACK_APP_TOKEN');
  }
}

/** Bolt's own stop does not wait until the socket is closed. */
async function closeSocket(receiver: SocketModeReceiver): Promise<void> {
  const limit = new AbortController();
  await Promise.race([receiver.client.disconnect(), sleep(CLOSE_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}

function listenError(error: unknown, port: number): Error {
  return new Error(cannotListen(port, field(error, 'code') === 'EADDRINUSE' ? 'it is in use' : messageOf(error)), {
    cause: error,
  });
}
