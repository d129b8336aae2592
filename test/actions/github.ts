/** GitHub's comments of one pull request, on 127.0.0.1. https://docs.github.com/en/rest/issues/comments */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StoredComment {
  id: number;
  body: string;
  user: { login: string };
}

export interface GitHub {
  url: string;
  comments: StoredComment[];
  /** "POST /repos/example/shop/issues/7/comments" of each request. */
  requests: string[];
  /** Answered to whoever writes. */
  refuse: number | undefined;
  close: () => Promise<void>;
}

export const LOGIN = 'github-actions[bot]';
export const TOKEN = 'ghs_of_the_job';

export async function startGitHub(): Promise<GitHub> {
  const state: Omit<GitHub, 'url' | 'close'> = { comments: [], requests: [], refuse: undefined };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  const found = (status: number, body: unknown): { status: number; body: unknown } => ({ status, body });
  const shown = (comment: StoredComment): object => ({
    ...comment,
    html_url: `https://github.com/example/shop/pull/7#issuecomment-${comment.id}`,
  });

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const url = new URL(request.url ?? '', 'http://github');
    state.requests.push(`${request.method} ${url.pathname}`);
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return found(401, { message: 'Bad credentials' });
    if (request.method === 'GET') {
      const [size, page] = ['per_page', 'page'].map((name) => Number(url.searchParams.get(name)));
      return found(200, state.comments.slice(((page ?? 1) - 1) * (size ?? 30), (page ?? 1) * (size ?? 30)).map(shown));
    }
    if (state.refuse !== undefined) return found(state.refuse, { message: 'Resource not accessible by integration' });
    const { body } = JSON.parse(await textOf(request)) as { body: string };
    if (body.length > 65_536) return found(422, { message: 'Body is too long (maximum is 65536 characters)' });
    const own = state.comments.find(({ id }) => url.pathname.endsWith(`/issues/comments/${id}`));
    if (request.method === 'PATCH')
      return own === undefined ? found(404, { message: 'Not Found' }) : found(200, shown(Object.assign(own, { body })));
    const made = { id: 1000 + state.comments.length, body, user: { login: LOGIN } };
    state.comments.push(made);
    return found(201, shown(made));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve, reject) => server.close((error) => (error === undefined ? resolve() : reject(error))));
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
