/** Grafana's annotations over HTTP as its documentation has them: find by all tags and time, create, patch. And the ways in which it fails. */
import { createServer, type IncomingMessage, type Server } from 'node:http';

export interface Stored {
  id: number;
  time: number;
  timeEnd: number;
  tags: string[];
  text: string;
}

export interface GrafanaStandIn {
  url: string;
  stored: Stored[];
  /** Method and path of each request, in order. */
  asked: string[];
  /** Authorization headers that came. */
  tokens: Set<string | undefined>;
  /** undefined: well. A number: it answers that. `slow`: never. `lost`: it does what is asked, and the answer is lost. */
  trouble: number | 'slow' | 'lost' | 'html' | undefined;
  close(): Promise<void>;
}

export async function startGrafana(): Promise<GrafanaStandIn> {
  const server: Server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const url = new URL(request.url ?? '', 'http://grafana');
      standIn.asked.push(`${request.method} ${url.pathname}`);
      standIn.tokens.add(request.headers.authorization);
      const { trouble } = standIn;
      if (trouble === 'slow') return;
      if (trouble === 'html') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      if (typeof trouble === 'number') return void response.writeHead(trouble, { location: 'http://elsewhere/' }).end('{"message":"no"}');
      const answer = answerTo(standIn.stored, request.method ?? '', url, body);
      if (trouble === 'lost') return void request.socket.destroy();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const standIn: GrafanaStandIn = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    stored: [],
    asked: [],
    tokens: new Set(),
    trouble: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  return standIn;
}

function answerTo(stored: Stored[], method: string, url: URL, body: Partial<Stored>): unknown {
  if (method === 'GET') {
    const [from, to] = ['from', 'to'].map((name) => Number(url.searchParams.get(name)));
    const tags = url.searchParams.getAll('tags');
    return stored.filter(
      (one) => tags.every((tag) => one.tags.includes(tag)) && one.time <= (to ?? 0) && Math.max(one.time, one.timeEnd) >= (from ?? 0),
    );
  }
  if (method === 'POST') {
    const { time = 0, timeEnd = time, tags = [], text = '' } = body;
    const id = stored.length + 1;
    stored.push({ id, time, timeEnd, tags, text });
    return { message: 'Annotation added', id };
  }
  const found = stored.find(({ id }) => url.pathname === `/api/annotations/${id}`);
  if (found !== undefined) Object.assign(found, body);
  return { message: 'Annotation patched' };
}

async function bodyOf(request: IncomingMessage): Promise<Partial<Stored>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Partial<Stored>);
}
