/** A load balancer in front of two processes: each request goes to the next one, whole, and never to both. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

export interface Forwarded {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  port: number;
}

export interface Balancer {
  url: string;
  /** What was forwarded, in order. */
  requests: Forwarded[];
  /** The same request byte for byte, to the other process: as somebody does who has recorded it. */
  replay(request: Forwarded): Promise<number>;
  close(): Promise<void>;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const requests: Forwarded[] = [];
  const server: Server = createServer((request, response) => {
    void (async () => {
      const port = ports[requests.length % ports.length] ?? 0;
      const forwarded = { path: request.url ?? '/', headers: request.headers, body: await buffer(request), port };
      requests.push(forwarded);
      try {
        const answer = await send(forwarded, port);
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(await answer.text());
      } catch {
        // It is dead.
        response.writeHead(502).end();
      }
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`,
    requests,
    replay: async (request) => (await send(request, ports.find((port) => port !== request.port) ?? 0)).status,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function send({ path, headers, body }: Forwarded, port: number): Promise<Response> {
  const kept = Object.entries(headers).filter(([name]) => name.startsWith('x-slack-') || name === 'content-type');
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body,
  });
}
