/** The Prometheus client over real HTTP: what is a value, what is none, and what is a failure. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createPrometheusClient, type PrometheusOptions } from '../../../../activities/clients/metrics/prometheus.ts';
import { failureType } from '../../../../activities/runtime/translate-errors.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

const json =
  (body: unknown, status = 200) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
const vector = (...samples: [Record<string, string>, string][]): unknown => ({
  status: 'success',
  data: { resultType: 'vector', result: samples.map(([metric, value]) => ({ metric, value: [1763716800.1, value] })) },
});
const query = async (answer: (request: IncomingMessage, response: ServerResponse) => void, options: Partial<PrometheusOptions> = {}) =>
  createPrometheusClient({ url: await serve(answer), ...options }).query('up');

describe('answers', () => {
  test.each([
    [
      'a vector',
      vector([{ version: '1.28.3' }, '12'], [{}, '0.42']),
      [
        { labels: { version: '1.28.3' }, value: 12 },
        { labels: {}, value: 0.42 },
      ],
    ],
    ['an empty vector: not zero', vector(), []],
    ['NaN: no value', vector([{ a: '1' }, 'NaN'], [{ a: '2' }, '1']), [{ labels: { a: '2' }, value: 1 }]],
    [
      'infinities',
      vector([{}, '+Inf'], [{}, '-Inf']),
      [
        { labels: {}, value: Infinity },
        { labels: {}, value: -Infinity },
      ],
    ],
    ['a scalar', { status: 'success', data: { resultType: 'scalar', result: [1763716800.1, '7'] } }, [{ labels: {}, value: 7 }]],
    ['a scalar NaN', { status: 'success', data: { resultType: 'scalar', result: [1763716800.1, 'NaN'] } }, []],
  ])('%s', async (_title, body, series) => {
    expect(await query(json(body))).toEqual(series);
  });

  test('what Prometheus finds wrong with the query itself takes nothing from the answer', async () => {
    const warnings = [
      'PromQL warning: quantile value should be between 0 and 1, got 9 (1:10)',
      'PromQL info: metric might not be a counter',
    ];
    expect(await query(json({ ...(vector([{ job: 'a' }, '1']) as object), warnings }))).toEqual([{ labels: { job: 'a' }, value: 1 }]);
  });

  test('the query, the path before the API and the headers arrive as they are', async () => {
    let seen: { url: string; tenant: unknown } | undefined;
    const url = await serve((request, response) => {
      seen = { url: request.url ?? '', tenant: request.headers['x-scope-orgid'] };
      json(vector())(request, response);
    });
    await createPrometheusClient({ url: `${url}/workspaces/ws-1/`, headers: { 'X-Scope-OrgID': 'team' } }).query(
      'sum(rate(a{b=~"c|d"}[5m]))',
    );
    const { pathname, searchParams } = new URL(seen?.url ?? '', 'http://x');
    expect([pathname, searchParams.get('query'), seen?.tenant]).toEqual([
      '/workspaces/ws-1/api/v1/query',
      'sum(rate(a{b=~"c|d"}[5m]))',
      'team',
    ]);
  });
});

describe('failures', () => {
  test.each([
    [
      'a query that is wrong',
      json({ status: 'error', errorType: 'bad_data', error: 'parse error' }, 400),
      'InvalidRequest',
      'asking Prometheus "up": bad_data: parse error',
    ],
    [
      'a time-out of its own',
      json({ status: 'error', errorType: 'timeout', error: 'query timed out' }, 503),
      'Unavailable',
      'asking Prometheus "up": timeout: query timed out',
    ],
    [
      'a matrix',
      json({ status: 'success', data: { resultType: 'matrix', result: [] } }),
      'InvalidRequest',
      'asking Prometheus "up": it gives a matrix, an instant vector or a scalar is needed',
    ],
    [
      'only a part of it that answers',
      json({
        ...(vector() as object),
        warnings: ['PromQL info: metric might not be a counter', 'receive series from Addr: 10.0.3.7:10901: timeout'],
      }),
      'Unavailable',
      'asking Prometheus "up": only a part of it has answered: receive series from Addr: 10.0.3.7:10901: timeout',
    ],
    [
      'no rights',
      json({}, 403),
      'AccessDenied',
      'asking Prometheus "up": it answered 403; check the headers under prometheus in belay.yaml',
    ],
    [
      'some other server',
      json({ hello: 'world' }),
      'Unavailable',
      'asking Prometheus "up": the answer (200) is not one of Prometheus; check its address',
    ],
    [
      'a proxy with an error page',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(502).end('<html>'),
      'Unavailable',
      'asking Prometheus "up": the answer (502) is not one of Prometheus; check its address',
    ],
  ])('%s', async (_title, answer, type, message) => {
    const error: unknown = await query(answer).catch((thrown: unknown) => thrown);
    expect(failureType(error)).toBe(type);
    expect(error).toMatchObject({ message });
  });

  test.each([
    ['hangs', (): void => undefined],
    ['drops the connection', (request: IncomingMessage): void => void request.socket.destroy()],
  ])('a server that %s cannot be asked', async (_title, answer) => {
    const error: unknown = await query(answer, { timeoutMs: 50 }).catch((thrown: unknown) => thrown);
    expect(failureType(error)).toBe('Unavailable');
  });
});

describe('RS20: what is asked and what is believed', () => {
  test('a redirect is not followed, and says whereto without what may be a token', async () => {
    let asked = 0;
    const elsewhere = await serve((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    const promise = query((_request, response) => response.writeHead(302, { location: `${elsewhere}/login?state=secret` }).end());
    await expect(promise).rejects.toMatchObject({
      type: 'Configuration',
      message: expect.stringMatching(/redirects to http:\/\/127\.0\.0\.1:\d+\/login, and redirects are not followed; write the address/),
    });
    expect(asked).toBe(0);
  });

  test.each([
    ['a bearer token', { headers: { authorization: 'Bearer example' } }],
    ['a signature', { sign: async () => ({ authorization: 'AWS4-HMAC-SHA256 example' }) }],
  ])('%s is not sent over plain http to another machine, unless belay.yaml says so', async (_what, options: Partial<PrometheusOptions>) => {
    const ask = (more: Partial<PrometheusOptions>) =>
      createPrometheusClient({ url: 'http://prometheus.invalid:9090', ...options, ...more }).query('up');
    await expect(ask({})).rejects.toMatchObject({
      type: 'Configuration',
      message: expect.stringContaining('is plain http, and credentials'),
    });
    await expect(ask({ allowPlainHttp: true })).rejects.toMatchObject({ type: 'Unavailable' });
  });

  test('to this machine it is', async () => {
    expect(await query(json(vector()), { headers: { authorization: 'Bearer example' } })).toEqual([]);
  });

  test('an answer without end is not read to its end', async () => {
    let sent = 0;
    const promise = query((_request, response) => {
      const chunk = 'x'.repeat(1024 * 1024);
      const more = (): void => {
        sent += 1;
        if (sent < 200 && !response.destroyed) response.write(chunk, more);
      };
      more();
    });
    await expect(promise).rejects.toMatchObject({ type: 'InvalidRequest', message: expect.stringContaining('larger than 16 MiB') });
    expect(sent).toBeLessThan(100);
  });
});
