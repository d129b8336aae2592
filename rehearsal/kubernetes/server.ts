/** The Kubernetes API server's stand-in: HTTPS on 127.0.0.1, world time in its Date header, silence while it is down. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { type KubernetesFates, sufferKubernetes } from '../faults/kubernetes.ts';
import { listen } from '../loopback.ts';
import type { Journal } from '../world/journal.ts';
import { authenticate, type Identity } from './http/authentication.ts';
import { makeCertificates } from './http/certificates.ts';
import { journalEntry } from './http/journal-entry.ts';
import { answerPublicPath, answerMetaPath } from './http/meta-paths.ts';
import { readList, readOne } from './http/reads.ts';
import { parseResourceRequest, readBody, type ResourceRequest } from './http/request.ts';
import { failureStatus, forbidden, unauthorized } from './http/status.ts';
import { tableRenderer } from './http/tables.ts';
import { WatchHistory } from './http/watch-history.ts';
import { serveWatch } from './http/watching.ts';
import { type Answer, write } from './http/writes.ts';
import type { ObjectStore } from './store.ts';

/** What a request wants to do, for `forbidden`. */
export interface AccessAttributes {
  verb: string;
  group: string;
  /** "pods", "pods/eviction" */
  resource: string;
  namespace?: string;
  name?: string;
}

export interface KubernetesServerOptions {
  store: ObjectStore;
  journal: Journal;
  /** World time: the Date header of every answer. */
  now: () => Date;
  /** Minor that /version tells, e.g. "1.32". */
  version: () => string;
  /** While true, connections are dropped without an answer. */
  down: () => boolean;
  /** Tokens that kubeconfigs for people carry. */
  staticTokens?: string[];
  /** Answers 403 where it says true. Default: everything is allowed to everybody who is signed in. */
  forbidden?: (attributes: AccessAttributes, identity: Identity) => boolean;
  /** What goes wrong with requests. Default: nothing. */
  fates?: KubernetesFates;
  /** How many changes a watch can start behind. Default 10 000. */
  watchHistory?: number;
}

export interface KubernetesServer {
  /** https://127.0.0.1:PORT */
  url: string;
  /** The certificate authority: base64 of a PEM, as EKS and kubeconfigs give it. */
  caData: string;
  close(): Promise<void>;
}

const DOWN_CHECK_MS = 25;

export async function startKubernetesServer(options: KubernetesServerOptions): Promise<KubernetesServer> {
  const certificates = await makeCertificates();
  const history = new WatchHistory(options.store, options.watchHistory ?? 10_000);
  const sockets = new Set<Socket>();
  const server = createServer({ key: certificates.key, cert: certificates.cert }, (message, response) => {
    handle(options, history, message, response).catch(() => message.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket: Socket) => {
    if (options.down()) return void socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const weather = setInterval(() => {
    if (options.down()) for (const socket of sockets) socket.destroy();
  }, DOWN_CHECK_MS).unref();
  const port = await listen(server);
  return {
    url: `https://127.0.0.1:${port}`,
    caData: Buffer.from(certificates.ca).toString('base64'),
    close: async () => {
      clearInterval(weather);
      history.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function handle(
  options: KubernetesServerOptions,
  history: WatchHistory,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (options.down()) return void message.socket.destroy();
  response.setHeader('Date', options.now().toUTCString());
  let request: ResourceRequest | undefined;
  try {
    const url = new URL(message.url ?? '/', 'https://127.0.0.1');
    if (answerPublicPath(options, url, message, response)) return;
    const { authorization } = message.headers;
    const identity = authenticate({ authorization, staticTokens: options.staticTokens ?? [], wallNowMs: Date.now() });
    if (!identity) throw unauthorized();
    const body = await readBody(message);
    if (answerMetaPath(options, url, message, { body, identity }, response)) return;
    request = parseResourceRequest(options.store, message, url, body);
    const attributes = attributesOf(request);
    if (options.forbidden?.(attributes, identity)) throw forbidden(attributes, identity.username);
    if (await sufferKubernetes({ ...options, request, response })) return;
    await serve(options, history, message, request, response);
  } catch (error) {
    const details = request ? { name: request.name, group: request.type.group || undefined, kind: request.type.plural } : undefined;
    const status = failureStatus(error, details);
    if (request) await recordRefusal(options.journal, request, status);
    const retryAfterSeconds = status.details?.retryAfterSeconds;
    if (typeof retryAfterSeconds === 'number') response.setHeader('Retry-After', String(retryAfterSeconds));
    send(response, status.code, status);
  }
}

async function serve(
  options: KubernetesServerOptions,
  history: WatchHistory,
  message: IncomingMessage,
  request: ResourceRequest,
  response: ServerResponse,
): Promise<void> {
  const { store } = options;
  const render = tableRenderer(message.headers.accept, request, options.now);
  switch (request.verb) {
    case 'get': {
      const object = readOne(store, request);
      return send(response, 200, render ? render([object]) : object);
    }
    case 'list': {
      const { list, items } = readList(store, request, history.floor);
      return send(response, 200, render ? { ...render(items), metadata: list.metadata } : { ...list, items });
    }
    case 'watch':
      return serveWatch({ store, history, request, response, render });
    default: {
      const answer: Answer = write({ store, clock: { now: options.now } }, request);
      const entry = journalEntry(request, { accepted: true, name: answer.name });
      if (entry) await options.journal.record(entry);
      return send(response, answer.code, answer.body);
    }
  }
}

async function recordRefusal(journal: Journal, request: ResourceRequest, status: { reason?: string; message?: string }): Promise<void> {
  const entry = journalEntry(request, { accepted: false, error: status.reason ?? 'Unknown', message: status.message ?? '' });
  if (entry) await journal.record(entry);
}

function attributesOf(request: ResourceRequest): AccessAttributes {
  const { verb, type, subresource, namespace, name } = request;
  return {
    verb,
    group: type.group,
    resource: subresource ? `${type.plural}/${subresource}` : type.plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

function send(response: ServerResponse, code: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(code, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
  response.end(JSON.stringify(body));
}
