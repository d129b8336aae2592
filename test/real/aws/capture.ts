/** A proxy before the twin's AWS side that keeps what passes, and botocore's judgement of it. */
import { spawn } from 'node:child_process';
import { createServer, request as send } from 'node:http';
import { join } from 'node:path';
import { pythonTools } from './tools.ts';

export interface Exchange {
  /** The capture that it is of. */
  where: string;
  service: string;
  method: string;
  path: string;
  target: string;
  body: string;
  status: number;
  headers: Record<string, string>;
  answer: string;
}

export interface Judged {
  operation: string;
  problems: string[];
  where: string;
  status: number;
  /** The model has pages for this operation. */
  paged: boolean;
  /** Token of the page that is asked for; null: the first one. */
  asks: string | null;
  /** Token of the page after this one; null: there is none. */
  gives: string | null;
  /** The request but for its token. */
  request: string;
}

export interface Capture {
  url: string;
  exchanges: Exchange[];
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 and passes everything on to `upstream`. `where`: said of each exchange. */
export async function startCapture(upstream: string, where: string): Promise<Capture> {
  const exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = 'GET', url: path = '/', headers } = request;
      const passed = send(`${upstream}${path}`, { method, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const text = Buffer.concat(parts);
          const status = answer.statusCode ?? 0;
          const service = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '')?.[1];
          // Presigned requests are nobody's commands.
          if (service !== undefined)
            exchanges.push({
              where,
              service,
              method,
              path,
              target: String(headers['x-amz-target'] ?? ''),
              body: body.toString(),
              status,
              headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
              answer: text.toString(),
            });
          response.writeHead(status, answer.headers);
          response.end(text);
        });
      });
      passed.on('error', () => response.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What the service models say of each exchange. */
export function judge(exchanges: readonly Exchange[]): Promise<Judged[]> {
  return new Promise((resolve, reject) => {
    const script = new URL('captured.py', import.meta.url).pathname;
    const child = spawn(join(pythonTools(), 'python'), [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`captured.py ended with ${code}`));
      resolve(out.split('\n').flatMap((line): Judged[] => (line === '' ? [] : [JSON.parse(line)])));
    });
    child.stdin.end(JSON.stringify(exchanges));
  });
}
