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
  /** What a patch of an annotation is answered that is not there. */
  missing: 403 | 404;
  close(): Promise<void>;
}

export async function startGrafana(): Promise<GrafanaStandIn> {
  let lastId = 0;
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
      const answer = answerTo(standIn.stored, request.method ?? '', url, body, () => (lastId += 1));
      if (trouble === 'lost') return void request.socket.destroy();
      const status = answer === undefined ? standIn.missing : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? { message: 'no' }));
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
    missing: 404,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  return standIn;
}

/** undefined: there is no such annotation. */
function answerTo(stored: Stored[], method: string, url: URL, body: Partial<Stored>, nextId: () => number): unknown {
  if (method === 'GET') {
    const [from, to] = ['from', 'to'].map((name) => Number(url.searchParams.get(name)));
    const tags = url.searchParams.getAll('tags');
    return stored.filter(
      (one) => tags.every((tag) => one.tags.includes(tag)) && one.time <= (to ?? 0) && Math.max(one.time, one.timeEnd) >= (from ?? 0),
    );
  }
  if (method === 'POST') {
    const { time = 0, timeEnd = time, tags = [], text = '' } = body;
    const id = nextId();
    stored.push({ id, time, timeEnd, tags, text });
    return { message: 'Annotation added', id };
  }
  const found = stored.find(({ id }) => url.pathname === `/api/annotations/${id}`);
  if (found === undefined) return undefined;
  Object.assign(found, body);
  return { message: 'Annotation patched' };
}

async function bodyOf(request: IncomingMessage): Promise<Partial<Stored>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Partial<Stored>);
}
