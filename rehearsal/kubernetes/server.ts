/** The Kubernetes API server's stand-in: HTTPS on 127.0.0.1, world time in its Date header, silence while it is down. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { sufferKubernetes } from '../world/faults/apis/kubernetes.ts';
import { listen } from '../world/core/loopback.ts';
import type { Journal } from '../world/journal.ts';
import { checkAccess } from './http/access/access.ts';
import { ANONYMOUS, authenticate, type Identity } from './http/access/authentication.ts';
import { makeCertificates } from './http/access/certificates.ts';
import { DeprecatedRequests } from './http/deprecations.ts';
import { journalEntry } from './http/journal-entry.ts';
import { metadataList } from './http/views/metadata-only.ts';
import { metaAnswer } from './http/meta-paths.ts';
import { forwardPort, type PodPrograms, refuseUpgrade, type Upgrade } from './http/requests/port-forward.ts';
import { proxyAnswer } from './http/requests/pod-proxy.ts';
import { inList, readFailure, readList, readOne, selected } from './http/requests/reads.ts';
import { readRequestInfo } from './http/request-info.ts';
import { readBody, resourceRequest, type ResourceRequest } from './http/request.ts';
import { PageNotFound, unauthorized } from './http/status.ts';
import { tableRenderer } from './http/views/tables.ts';
import { WatchHistory } from './http/requests/watch-history.ts';
import { serveWatch } from './http/requests/watching.ts';
import { write } from './http/requests/writes.ts';
import type { KubernetesServerOptions } from './http/server-options.ts';
import type { Answer } from './http/answer.ts';

export interface KubernetesServer {
  /** https://127.0.0.1:PORT */
  url: string;
  /** The certificate authority: base64 of a PEM, as EKS and kubeconfigs give it. */
  caData: string;
  /** Forgets old versions: watches and pages that are behind get 410, as after a real server's compaction. */
  compact(): void;
  close(): Promise<void>;
}

/** What one server knows between requests. */
interface Serving {
  options: KubernetesServerOptions;
  history: WatchHistory;
  deprecated: DeprecatedRequests;
}

const DOWN_CHECK_MS = 25;
const nothingListens: PodPrograms = () => undefined;

export async function startKubernetesServer(options: KubernetesServerOptions): Promise<KubernetesServer> {
  const certificates = await makeCertificates();
  const history = new WatchHistory(options.store, options.watchHistory ?? 10_000);
  const serving: Serving = { options, history, deprecated: new DeprecatedRequests(options.askedBefore) };
  const sockets = new Set<Socket>();
  const server = createServer({ key: certificates.key, cert: certificates.cert }, (message, response) => {
    handle(serving, message, response).catch(() => message.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket: Socket) => {
    if (options.down()) return void socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (message, socket, head) => upgradeTo(options, { message, socket, head }));
  const onTransient = setInterval(() => {
    if (options.down()) for (const socket of sockets) socket.destroy();
  }, DOWN_CHECK_MS).unref();
  const port = await listen(server);
  return {
    url: `https://127.0.0.1:${port}`,
    caData: Buffer.from(certificates.ca).toString('base64'),
    compact: () => history.compact(),
    close: async () => {
      clearInterval(onTransient);
      history.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function handle(serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const { options, deprecated } = serving;
  options.onRequest?.();
  if (options.down()) return void message.socket.destroy();
  response.setHeader('Date', options.now().toUTCString());
  let request: ResourceRequest | undefined;
  try {
    const url = new URL(message.url ?? '/', 'https://127.0.0.1');
    const method = message.method ?? 'GET';
    const identity = identify(options, message.headers.authorization);
    const info = readRequestInfo(method, url);
    checkAccess(options, identity, info);
    const body = await readBody(message);
    const meta = metaAnswer(options, deprecated, { method, url, body, identity });
    if (meta) return send(response, meta.status, meta.body);
    const proxied = proxyAnswer(info, { store: options.store, programs: options.programs ?? nothingListens });
    if (proxied) return send(response, proxied.status, proxied.text);
    const contentType = (message.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    const userAgent = message.headers['user-agent'] ?? '';
    const sent = { query: url.searchParams, contentType, userAgent, body, serverVersion: options.version() };
    request = resourceRequest({ store: options.store, hubs: options.hubs ?? {} }, info, sent);
    if (deprecated.note(request)) options.onDeprecated?.({ path: url.pathname, userAgent });
    if (await sufferKubernetes({ ...options, request, response })) return;
    await serve(serving, message, request, response);
  } catch (error) {
    if (error instanceof PageNotFound) return send(response, 404, error.message);
    const status = readFailure(error);
    if (request) await recordRefusal(options.journal, request, status);
    const retryAfterSeconds = status.details?.retryAfterSeconds;
    if (typeof retryAfterSeconds === 'number') response.setHeader('Retry-After', String(retryAfterSeconds));
    warn(response, request);
    send(response, status.code, status);
  }
}

/** The one thing that is served over a WebSocket is a port of a pod. */
function upgradeTo(options: KubernetesServerOptions, upgrade: Upgrade): void {
  const { message, socket } = upgrade;
  if (options.down()) return void socket.destroy();
  socket.on('error', () => socket.destroy());
  try {
    const identity = identify(options, message.headers.authorization);
    const info = readRequestInfo(message.method ?? 'GET', new URL(message.url ?? '/', 'https://127.0.0.1'));
    checkAccess(options, identity, info);
    forwardPort(upgrade, info, { store: options.store, programs: options.programs ?? nothingListens });
  } catch (error) {
    refuseUpgrade(socket, options.now().toUTCString(), error);
  }
}

/** Throws Unauthorized for a token that nobody knows; without any, one is nobody. */
function identify(options: KubernetesServerOptions, authorization: string | undefined): Identity {
  if (authorization === undefined) return ANONYMOUS;
  const { staticTokens = [], users = [] } = options;
  const identity = authenticate({ authorization, staticTokens, users, wallNowMs: Date.now() });
  if (!identity || options.ended?.(identity.accessKeyId ?? '') === true) throw unauthorized();
  return identity;
}

async function serve(
  { options, history }: Serving,
  message: IncomingMessage,
  request: ResourceRequest,
  response: ServerResponse,
): Promise<void> {
  const { store } = options;
  const render = tableRenderer(message.headers.accept, request, options.now);
  switch (request.verb) {
    case 'get': {
      const object = readOne(store, request);
      warn(response, request);
      return send(response, 200, render ? render([object]) : object);
    }
    case 'list': {
      const { list, items } = readList(store, request, history);
      const shown = request.conversion.all(items);
      warn(response, request);
      if (render) return send(response, 200, { ...render(shown), metadata: list.metadata });
      const whole = { ...list, items: shown.map((item) => inList(item, request.type)) };
      return send(response, 200, { ...whole, ...metadataList(message.headers.accept, shown) });
    }
    case 'watch':
      // Where a list fails, a watch does not begin.
      if (request.custom !== undefined) request.conversion.all(selected(request, history));
      warn(response, request);
      return serveWatch({ store, history, request, response, render });
    default: {
      const answer: Answer = write({ store, clock: { now: options.now } }, request, history);
      const entry = journalEntry(request, { accepted: true, name: answer.name });
      if (entry) await options.journal.record(entry);
      warn(response, request);
      return send(response, answer.code, answer.body);
    }
  }
}

async function recordRefusal(journal: Journal, request: ResourceRequest, status: { reason?: string; message?: string }): Promise<void> {
  const entry = journalEntry(request, { accepted: false, error: status.reason ?? 'Unknown', message: status.message ?? '' });
  if (entry) await journal.record(entry);
}

/** As kubectl prints them: https://kubernetes.io/blog/2020/09/03/warnings/ */
function warn(response: ServerResponse, request: ResourceRequest | undefined): void {
  const warnings = (request?.warnings ?? []).map((text) => `299 - ${JSON.stringify(text)}`);
  if (warnings.length > 0) response.setHeader('Warning', warnings);
}

function send(response: ServerResponse, code: number, body: object | string): void {
  if (response.destroyed) return;
  const isText = typeof body === 'string';
  response.writeHead(code, {
    'Content-Type': isText ? 'text/plain; charset=utf-8' : 'application/json',
    'Cache-Control': 'no-cache, private',
  });
  response.end(isText ? body : `${JSON.stringify(body)}\n`);
}
