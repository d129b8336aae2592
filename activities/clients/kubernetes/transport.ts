/** Sends one request to an API server: time-out, cancellation, 401 with new credentials, dropped connections, answers as data or as failures. */
import { CancelledFailure } from '@temporalio/common';
import { field } from '../../../domain/core/unknown.ts';
import { currentSignal } from '../../runtime/context.ts';
import { counted } from '../../runtime/external-calls.ts';
import { TLS_CODES } from '../../runtime/error-tables.ts';
import { clip } from '../../runtime/redact.ts';
import { failureOf, translateError } from '../../runtime/translate-errors.ts';
import { isoDate } from '../aws/server-date.ts';
import { mayCallKubernetes } from '../only-reads.ts';
import type { Connection, ConnectionFactory } from './connection.ts';
import { exchangeHttp, type HttpAnswer, type HttpMethod, KubernetesRefusal } from './http.ts';
import { defined } from '../../../domain/core/defined.ts';

const REQUEST_TIMEOUT_MS = 10_000;
/**
 * A server that accepted us this recently and now says 401 is restarting its authenticator; one that says 403 to what it allowed has not read
 * its roles yet. As long as transient API errors may last by default.
 */
const TRUSTED_FOR_MS = 15 * 60_000;
const REMEMBERED = 1_000;
/** Ten thousand proxies of istiod's. */
const MAX_IN_POD = 32 * 1024 * 1024;

export interface Exchange {
  method: HttpMethod;
  path: string;
  /** Gerund and object, for messages. */
  doing: string;
  body?: string;
  contentType?: string;
  /** application/json unless it says otherwise. */
  accept?: string;
  /** On a connection of its own. */
  fresh?: boolean;
  /** The path is that of pods/portforward: this one is asked for inside the pod, and its raw answer is the text. */
  inPod?: string;
  /** Each line of the answer, in place of its text; asked for anew where the request is repeated. */
  lines?: () => (line: string) => void;
  /** Is given the beginning of the answer, before the rest has come; once more where the request is repeated. */
  onStart?: (text: string) => void;
  /** Where the usual 10 s are too short. */
  timeoutMs?: number;
}

export interface Answer {
  status: number;
  text: string;
}

export interface Transport {
  /** Answers of 2xx and of the `accepted` statuses; throws ApplicationFailures for all else. */
  send(exchange: Exchange, accepted?: readonly number[]): Promise<Answer>;
  /** The server's Date of its last answer, ISO 8601. */
  serverDate(): string | undefined;
  close(): Promise<void>;
}

export function createTransport(open: ConnectionFactory, timeoutMs = REQUEST_TIMEOUT_MS): Transport {
  let connection: Promise<Connection> | undefined;
  let serverDate: string | undefined;
  let lastAcceptedMs = 0;
  /** When what was last allowed, by method and path. */
  const allowedMs = new Map<string, number>();
  const keyOf = ({ method, path }: Exchange): string => `${method} ${path.split('?')[0] ?? ''}`;
  const remember = (key: string): void => {
    const oldest = allowedMs.size >= REMEMBERED ? allowedMs.keys().next() : undefined;
    if (oldest?.done === false) allowedMs.delete(oldest.value);
    allowedMs.delete(key);
    allowedMs.set(key, Date.now());
  };

  const connect = (): Promise<Connection> => {
    if (connection === undefined) {
      const opening = open();
      connection = opening;
      opening.catch(() => {
        if (connection === opening) connection = undefined;
      });
    }
    return connection;
  };

  const reconnect = async (old: Connection): Promise<void> => {
    // Of several calls that were refused together, only the first one replaces the connection.
    if (connection !== undefined && (await connection) === old) connection = undefined;
    old.close();
  };

  const once = async (exchange: Exchange, used: Connection): Promise<HttpAnswer> => {
    const { method, path, body, contentType = 'application/json', accept = 'application/json', fresh, inPod, lines, onStart } = exchange;
    const signal = AbortSignal.any([currentSignal(), AbortSignal.timeout(exchange.timeoutMs ?? timeoutMs)]);
    if (inPod !== undefined) {
      const options = await used.options(true);
      // With a client of WebSockets, which few commands need.
      const { getThroughPort } = await import('./port-forward.ts');
      return await getThroughPort({ url: `${used.server}${path}`, options, path: inPod, signal, maxBytes: MAX_IN_POD });
    }
    const answer = await exchangeHttp({
      method,
      url: `${used.server}${path}`,
      options: await used.options(fresh),
      headers: { Accept: accept, ...(body === undefined ? {} : { 'Content-Type': contentType }) },
      signal,
      ...defined({ body, onStart }),
      ...(lines === undefined ? {} : { onLine: lines() }),
    });
    serverDate = isoDate(answer.headers['date']) ?? serverDate;
    return answer;
  };

  /**
   * Repeats once: with new credentials on 401, on a kept connection that the server had closed meanwhile (GET only), and at the address and with the
   * certificate authority that the cluster has now where this one is not trusted or not found (nothing was sent).
   */
  const withRepeats = async (exchange: Exchange): Promise<HttpAnswer> => {
    const used = await connect();
    try {
      const first = await once(exchange, used);
      if (first.status !== 401) return first;
      await reconnect(used);
    } catch (error) {
      if (currentSignal().aborted) throw error;
      if (isOtherServer(error)) await reconnect(used);
      else if (exchange.method !== 'GET' || !wasDropped(error)) throw error;
    }
    return once(exchange, await connect());
  };

  const send: Transport['send'] = async (exchange, accepted = []) => {
    const answer = await withRepeats(exchange).catch((error: unknown) => {
      if (currentSignal().aborted) throw new CancelledFailure(`${exchange.doing}: cancelled`);
      throw translateError(error, exchange.doing);
    });
    if ((answer.status >= 200 && answer.status < 300) || accepted.includes(answer.status)) {
      lastAcceptedMs = Date.now();
      remember(keyOf(exchange));
      return answer;
    }
    if (answer.status === 401 && Date.now() - lastAcceptedMs < TRUSTED_FOR_MS) {
      throw failureOf('Unavailable', `${exchange.doing}: Kubernetes answers 401 although it knew these credentials a moment ago`);
    }
    if (answer.status === 403 && Date.now() - (allowedMs.get(keyOf(exchange)) ?? 0) < TRUSTED_FOR_MS) {
      throw failureOf('Unavailable', `${exchange.doing}: Kubernetes answers 403 although it allowed this a moment ago`);
    }
    if (answer.status === 403 && !isStatus(answer.text)) {
      // Not the API server's own words: RBAC has let the request through, or it has never got there.
      const who = exchange.path.includes('/proxy/') ? 'the pod itself' : 'something on the way to the API server';
      throw failureOf(
        'Unavailable',
        `${exchange.doing}: ${who} answered 403 (${clip(answer.text.trim(), 200)}), not Kubernetes: this is no missing RBAC`,
      );
    }
    const retryAfter = answer.headers['retry-after'];
    const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter };
    throw translateError(new KubernetesRefusal(answer.status, answer.text.slice(0, 2000), headers), exchange.doing);
  };

  return {
    async send(exchange, accepted) {
      mayCallKubernetes(exchange.method, exchange.path, exchange.doing);
      return await counted({ service: 'kubernetes', operation: exchange.method }, () => send(exchange, accepted));
    },
    serverDate: () => serverDate,
    async close() {
      const open = connection;
      connection = undefined;
      await open?.then((one) => one.close()).catch(() => {});
    },
  };
}

/** Kubernetes refuses with an object of its own: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
function isStatus(text: string): boolean {
  try {
    return field(JSON.parse(text), 'kind') === 'Status';
  } catch {
    return false;
  }
}

/** The handshake failed, or the name is gone: the cluster was made anew, or its certificate authority changed. */
function isOtherServer(error: unknown): boolean {
  const code = field(error, 'code');
  return typeof code === 'string' && (TLS_CODES.has(code) || code === 'ENOTFOUND');
}

/** A connection that ended before the answer: safe to repeat at once where nothing changes. Refused connections and time-outs are not. */
function wasDropped(error: unknown): boolean {
  const code = field(error, 'code');
  return code === 'ECONNRESET' || code === 'EPIPE';
}
