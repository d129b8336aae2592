/** The two ways in: a socket that Belay opens, or signed HTTP requests that Slack sends. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HTTPReceiver, SocketModeReceiver } from '@slack/bolt';
import { messageOf } from '../../domain/core/unknown.ts';
import { boltLogger, type Log } from '../api/log.ts';
import { DELIVERY_ID } from './deduplicate.ts';
import { webOptions } from '../api/web-client.ts';
import { outOfTime, timestampMissing } from '../messages/failures.ts';

/** Both clocks may be off a little; more than this is a request made ahead of time. */
const MAX_AHEAD_S = 60;
/** As Slack's guide has it, and Bolt. */
const MAX_AGE_S = 300;
/** Slack's hosts are recycled every few hours: the gap without a connection is this long. */
const RECONNECT_AFTER_MS = 2_000;
/**
 * Slack often takes longer for a pong than the client's default of 5 s (github.com/slackapi/bolt-js/issues/2496 and pull/2786); Slack's client for Python
 * waits this long (github.com/slackapi/python-slack-sdk/pull/961).
 */
const PONG_LIMIT_MS = 20_000;
/** About 25 s, then anew. The watchdog ends the process where that does not help; its timer keeps it alive meanwhile. */
const RECONNECT_RETRIES = { retries: 8, factor: 2, minTimeout: 500, maxTimeout: 4_000, unref: true };

export function socketReceiver(options: { appToken: string; apiUrl?: string; log: Log }): SocketModeReceiver {
  const receiver = new SocketModeReceiver({
    appToken: options.appToken,
    logger: boltLogger(options.log),
    clientPingTimeout: PONG_LIMIT_MS,
    // Its own wait before a new connection is as long as the pong's limit (socket-mode 3.1.0, `delayReconnectAttempt`), and lets nobody hear how it ended.
    autoReconnectEnabled: false,
    installerOptions: {
      clientOptions: { ...webOptions(options), retryConfig: RECONNECT_RETRIES },
    },
    customPropertiesExtractor: (envelope) => deliveryId(envelope.envelope_id),
  });
  keepConnected(receiver.client, options.log);
  return receiver;
}

/** Connects again whenever a connection is lost, until a stop. What Slack answers to the first start is heard by whoever asked for it. */
function keepConnected(client: SocketModeReceiver['client'], log: Log): void {
  const start = client.start.bind(client);
  let closing = false;
  let reconnecting = false;
  client.on('disconnecting', () => (closing = true));
  client.start = async () => {
    for (;;) {
      try {
        return await start();
      } catch (error) {
        // undefined: the connection was lost before Slack welcomed it.
        if (error !== undefined || closing) throw error;
      }
      await sleep(RECONNECT_AFTER_MS, undefined, { ref: false });
      if (closing) throw new Error('stopped while connecting to Slack');
    }
  };
  const reconnect = async (): Promise<void> => {
    if (reconnecting) return;
    reconnecting = true;
    while (reconnecting) {
      await sleep(RECONNECT_AFTER_MS, undefined, { ref: false });
      if (closing) return;
      try {
        await client.start();
        reconnecting = false;
      } catch (error) {
        if (!closing) log.warn(`connecting to Slack again: ${messageOf(error)}`);
      }
    }
  };
  client.once('connected', () => client.on('disconnected', () => void reconnect()));
}

/** `refused`: told which address sent a request that is not signed by Slack, or not now. */
export function httpReceiver(options: { signingSecret: string; port: number; log: Log; refused: (source: string) => void }): HTTPReceiver {
  const receiver = new HTTPReceiver({
    signingSecret: options.signingSecret,
    port: options.port,
    endpoints: ['/slack/events'],
    customRoutes: [{ path: '/healthz', method: 'GET', handler: (_request, response) => void response.writeHead(200).end('ok\n') }],
    logger: boltLogger(options.log),
    // Called after the signature was checked: a forged one is never remembered.
    customPropertiesExtractor: (request) => deliveryId(checkedPart(request.headers['x-slack-signature'])),
    unhandledRequestTimeoutMillis: 3_001,
  });
  receiver.requestListener = tellRefused(refuseOutOfTime(receiver.requestListener, options.log), options.refused);
  return receiver;
}

/** Whoever sent it is not known: a forged body is not to be believed. */
function tellRefused(next: RequestListener, refused: (source: string) => void): RequestListener {
  return (request: IncomingMessage, response) => {
    response.once('finish', () => {
      if (response.statusCode !== 401) return;
      refused(request.socket.remoteAddress ?? 'an unknown address');
    });
    next(request, response);
  };
}

/** Bolt takes any future timestamp, and such a request could be replayed for as long; what is old it refuses without a word about clocks. */
function refuseOutOfTime(next: RequestListener, log: Log): RequestListener {
  return (request: IncomingMessage, response) => {
    const timestamp = request.headers['x-slack-request-timestamp'];
    const aheadS = Number(timestamp) - Date.now() / 1000;
    if (timestamp !== undefined && !(aheadS <= MAX_AHEAD_S && aheadS >= -MAX_AGE_S)) {
      log.warn(Number.isNaN(aheadS) ? timestampMissing() : outOfTime(Math.round(aheadS)));
      request.resume();
      response.writeHead(401).end();
      return;
    }
    next(request, response);
  };
}

/** Bolt compares what is between the first "=" and a second one (verify-request): what follows is whoever's that sends it on. */
function checkedPart(signature: unknown): unknown {
  return typeof signature === 'string' ? signature.split('=')[1] : undefined;
}

function deliveryId(id: unknown): Record<string, string> {
  return typeof id === 'string' ? { [DELIVERY_ID]: id } : {};
}
