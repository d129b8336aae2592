/** A tiny Kubernetes API server over TLS, scripted per test: answers are a function of the request. */
import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { generate } from 'selfsigned';
import { connectionFactory } from '../../../activities/clients/kubernetes/connection.ts';
import { createKubernetesPort } from '../../../activities/clients/kubernetes/client.ts';
import { createTransport } from '../../../activities/clients/kubernetes/transport.ts';
import type { TokenSource } from '../../../activities/clients/aws/eks-token.ts';
import type { KubernetesPort } from '../../../activities/contract/ports.ts';
import { CLUSTER } from '../../support/facts.ts';

export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  token: string;
  contentType: string;
  body: string;
  /** Which TCP connection it came on. */
  port: number;
}

/** `rest`: of a body that comes in two parts. `hang`: no answer ever. `drop`: the connection ends. */
export type Reply = { status: number; body?: unknown; rest?: Promise<string>; headers?: Record<string, string> } | 'hang' | 'drop';

export interface FakeApiServer {
  port: KubernetesPort;
  endpoint: string;
  caData: string;
  seen: Seen[];
  tokens: { minted: number; source: TokenSource };
  close(): Promise<void>;
}

export async function startFakeApiServer(answer: (request: Seen) => Reply, timeoutMs = 10_000): Promise<FakeApiServer> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'fake' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const seen: Seen[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void read(request).then((one) => {
      seen.push(one);
      const reply = answer(one);
      if (reply === 'hang') return;
      if (reply === 'drop') return void request.socket.destroy();
      response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
      const body = typeof reply.body === 'string' || Buffer.isBuffer(reply.body) ? reply.body : JSON.stringify(reply.body ?? {});
      if (reply.rest === undefined) return void response.end(body);
      response.write(body);
      void reply.rest.then((rest) => response.end(rest));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const endpoint = `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const caData = Buffer.from(cert).toString('base64');

  const tokens = { minted: 0, source: countingTokens() };
  function countingTokens(): TokenSource {
    let current: string | undefined;
    return {
      async token() {
        if (current === undefined) {
          tokens.minted += 1;
          current = `token-${tokens.minted}`;
        }
        return current;
      },
      renew() {
        current = undefined;
      },
    };
  }
  const transport = createTransport(
    connectionFactory({ ref: CLUSTER }, { endpoint: async () => ({ endpoint, caData }), tokens: tokens.source }),
    timeoutMs,
  );
  return {
    port: createKubernetesPort(transport),
    endpoint,
    caData,
    seen,
    tokens,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await transport.close();
      await closed;
    },
  };
}

async function read(request: IncomingMessage): Promise<Seen> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const url = new URL(request.url ?? '/', 'https://x');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    token: (request.headers.authorization ?? '').replace('Bearer ', ''),
    contentType: request.headers['content-type'] ?? '',
    body,
    port: request.socket.remotePort ?? 0,
  };
}
