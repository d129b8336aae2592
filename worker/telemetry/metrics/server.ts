/** The HTTP server of a process's own port. It changes nothing and has no login, so it answers three paths and reads no body. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { field, messageOf } from '../../../domain/core/unknown.ts';

export interface Pages {
  /** In the text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */
  metrics(): Promise<{ contentType: string; text: string }>;
  /** Why the process gets no work, in one sentence; undefined: it is ready. */
  notReady(): string | undefined;
}

export interface Listening {
  port: number;
  close(): Promise<void>;
}

/** `host` undefined: every address. `port` 0: a free one. Throws an error that names the address and the fix. */
export async function servePages(pages: Pages, { host, port }: { host?: string; port: number }): Promise<Listening> {
  const server = createServer((request, response) => {
    answer(pages, request, response).catch((error: unknown) => send(response, 500, `${messageOf(error)}\n`));
  });
  await listen(server, host, port);
  // Nothing is kept alive only to be looked at.
  server.unref();
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string | undefined, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const why = field(error, 'code') === 'EADDRINUSE' ? 'it is in use' : messageOf(error);
      reject(
        new Error(
          `Cannot show metrics on ${host ?? 'any address'}, port ${port}: ${why}. Set BELAY_METRICS_ADDRESS to an address of this machine that is free; each process needs its own.`,
          { cause: error },
        ),
      );
    });
    server.listen({ port, host }, resolve);
  });
}

async function answer(pages: Pages, { method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'Only GET.\n');
  const path = url.split('?')[0];
  if (path === '/metrics') {
    const { contentType, text } = await pages.metrics();
    return send(response, 200, text, contentType);
  }
  // That it is answered at all shows that the event loop turns.
  if (path === '/healthz') return send(response, 200, 'ok\n');
  if (path === '/readyz') {
    const why = pages.notReady();
    return why === undefined ? send(response, 200, 'ok\n') : send(response, 503, `${why}\n`);
  }
  return send(response, 404, 'There are /metrics, /healthz and /readyz.\n');
}

function send(response: ServerResponse, status: number, text: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text);
}
