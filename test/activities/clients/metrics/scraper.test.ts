/** Two scrapes of one process are compared, and of no others: API servers behind a balancer, pods that begin anew, servers that say nothing. */
import { gzipSync } from 'node:zlib';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, describe, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import type { ScrapePort } from '../../../../activities/contract/ports.ts';
import { createScraper } from '../../../../activities/clients/metrics/scraper.ts';
import type { ScrapeQuery } from '../../../../domain/health/metrics/scrapes.ts';
import { type FakeApiServer, type Reply, type Seen, startFakeApiServer } from '../../support/fake-api-server.ts';

const ERRORS: ScrapeQuery = {
  target: 'api-server',
  kind: 'share',
  bad: { metric: 'apiserver_request_total', matchers: [{ label: 'code', matches: '5..' }] },
  all: { metric: 'apiserver_request_total' },
  intervals: 10,
};
const TOTAL: ScrapeQuery = {
  target: 'api-server',
  kind: 'increase',
  of: { metric: 'apiserver_request_total' },
  witness: { metric: 'up' },
  intervals: 10,
};
const DNS: ScrapeQuery = {
  target: 'coredns',
  kind: 'level',
  of: { metric: 'coredns_panics_total' },
  witness: { metric: 'coredns_panics_total' },
};
const EVERY = { intervalMs: 30_000 };

let server: FakeApiServer;
let nowMs = 0;
afterEach(() => server.close());

async function open(answer: (request: Seen) => Reply): Promise<ScrapePort> {
  server = await startFakeApiServer(answer);
  nowMs = 1_000_000;
  return createScraper(server.port, () => nowMs);
}

const text = (startedAt: number, good: number, bad: number): string =>
  [
    '# HELP apiserver_request_total Counter of apiserver requests.',
    '# TYPE apiserver_request_total counter',
    `apiserver_request_total{code="200",verb="GET"} ${good}`,
    `apiserver_request_total{code="503",verb="GET"} ${bad}`,
    'up 1',
    `process_start_time_seconds ${startedAt}`,
    '',
  ].join('\n');
const plain = (body: string): Reply => ({ status: 200, headers: { 'Content-Type': 'text/plain' }, body });

async function looks(port: ScrapePort, count: number, query: ScrapeQuery = ERRORS): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let at = 0; at < count; at += 1) {
    const answer = await port.query(query, EVERY);
    seen.push(answer.kind === 'samples' ? answer.samples.map(({ value }) => value) : answer);
    nowMs += 30_000;
  }
  return seen;
}
const waiting = (others = ''): object => ({
  kind: 'waiting',
  why: `no process of the API server was scraped twice, and two scrapes of one are compared${others}`,
});

describe('API servers behind a balancer', () => {
  test('are compared each with itself: the first scrape of each says nothing', async () => {
    const answers = [text(100, 1000, 0), text(200, 50_000, 9000), text(100, 1100, 0), text(200, 50_080, 9020)];
    const port = await open(() => plain(answers.shift() ?? ''));
    expect(await looks(port, 4)).toEqual([waiting(), waiting('; 2 processes have answered so far'), [0], [expect.closeTo(0.1)]]);
  });

  test('one that begins anew is another process: what it was before is not compared with it', async () => {
    const answers = [text(100, 1000, 0), text(100, 1100, 0), text(300, 5, 5), text(300, 55, 55)];
    const port = await open(() => plain(answers.shift() ?? ''));
    const [first, second, third, fourth] = await looks(port, 4);
    expect([first, second]).toEqual([waiting(), [0]]);
    // Of the old process nothing new is known, of the new one nothing yet.
    expect(third).toEqual(waiting('; 2 processes have answered so far'));
    expect(fourth).toEqual([expect.closeTo(50 / (50 + 50 + 100), 1)]);
  });

  test('what is older than the look goes back counts no more', async () => {
    let good = 0;
    const port = await open(() => plain(text(100, (good += 100), good > 300 ? 50 : 0)));
    const seen = await looks(port, 16, TOTAL);
    // Ten intervals, and one for looks that come late.
    expect(seen.at(-1)).toEqual([1100]);
  });

  test('a process that does not say when it began cannot be compared', async () => {
    const port = await open(() => plain('apiserver_request_total 1\n'));
    expect(await looks(port, 1)).toEqual([{ kind: 'nothing', why: 'the metrics of the API server have no process_start_time_seconds' }]);
  });
});

test('a connection that drops is asked again, and an API server that is away is an error', async () => {
  const replies: Reply[] = ['drop', plain(text(100, 1, 0)), { status: 503, body: { message: 'starting' } }, plain(text(100, 11, 0))];
  const port = await open(() => replies.shift() ?? 'drop');
  expect(await looks(port, 1)).toEqual([waiting()]);
  await expect(port.query(ERRORS, EVERY)).rejects.toThrow('reading /metrics: Kubernetes answered 503 (starting)');
  // What failed is not remembered.
  expect(await looks(port, 1)).toEqual([[0]]);
});

test('checks of one target are answered by one scrape, and what is asked anew is no increase', async () => {
  const port = await open(() => plain(text(100, 1000 + nowMs / 1000, 5)));
  port.keep([ERRORS]);
  await Promise.all([port.query(ERRORS, EVERY), port.query(ERRORS, EVERY)]);
  expect(server.seen).toHaveLength(1);
  nowMs += 30_000;
  // The scrape before has kept nothing of it: all that was ever counted would be new.
  expect(await port.query({ ...TOTAL, witness: { metric: 'process_start_time_seconds' } }, EVERY)).toEqual(waiting());
  nowMs += 30_000;
  expect(await looks(port, 1, { ...TOTAL, witness: { metric: 'process_start_time_seconds' } })).toEqual([[30]]);
});

test('megabytes come compressed, in pieces, and are kept as figures alone', async () => {
  const other = Array.from({ length: 200_000 }, (_, at) => `etcd_request_duration_seconds_bucket{operation="get",le="${at}"} ${at} `).join(
    '\n',
  );
  const port = await open(() => ({
    status: 200,
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(`${other}\n${text(100, nowMs, 0)}`),
  }));
  expect(await looks(port, 2)).toEqual([waiting(), [0]]);
  expect(server.seen.map(({ path }) => path)).toEqual(['/metrics', '/metrics']);
  // On connections of their own: a kept one would meet the same API server for ever.
  expect(new Set(server.seen.map(({ port: own }) => own)).size).toBe(2);
}, 360_000);

describe('pods', () => {
  const pod = (name: string): object => ({
    metadata: { name, namespace: 'kube-system', uid: `uid-${name}` },
    spec: {
      containers: [
        {
          name: 'coredns',
          ports: [
            { name: 'dns', containerPort: 53 },
            { name: 'metrics', containerPort: 9253 },
          ],
        },
      ],
    },
    status: { phase: 'Running' },
  });
  const open2 = (answer: (path: string) => Reply): Promise<ScrapePort> =>
    open(({ path }) => (path.endsWith('/pods') ? { status: 200, body: { items: [pod('a'), pod('b')] } } : answer(path)));
  const panics = (count: number): string => `coredns_panics_total ${count}\nprocess_start_time_seconds 5\n`;

  test('are scraped at the port that they name, and those that answer speak for one that does not', async () => {
    const port = await open2((path) =>
      path.includes('/a:') ? plain(panics(2)) : { status: 503, body: { message: 'connection refused' } },
    );
    expect(await looks(port, 1, DNS)).toEqual([[2]]);
    expect(server.seen.map(({ path }) => path)).toContain('/api/v1/namespaces/kube-system/pods/a:9253/proxy/metrics');
  });

  test('that all do not answer are not seen', async () => {
    const port = await open2(() => ({ status: 503, body: { message: 'error trying to reach service: connection refused' } }));
    await expect(port.query(DNS, EVERY)).rejects.toThrow(
      'reading /metrics of pods/kube-system/a: Kubernetes answered 503 (error trying to reach service: connection refused)',
    );
  });

  test('a look that is cancelled in the middle is no answer of those that had answered', async () => {
    const controller = new AbortController();
    const port = await open2((path) => {
      if (path.includes('/a:')) return plain(panics(2));
      controller.abort();
      return 'hang';
    });
    await expect(runWithin({ signal: controller.signal }, () => port.query(DNS, EVERY))).rejects.toBeInstanceOf(CancelledFailure);
  });

  test('that lack what is asked for are said to, and lines that cannot be read are no figures', async () => {
    const port = await open2(() => plain('coredns_build_info 1\nprocess_start_time_seconds 5\n'));
    expect(await looks(port, 1, DNS)).toEqual([{ kind: 'nothing', why: 'the metrics of pods of CoreDNS have no coredns_panics_total' }]);
    await server.close();
    const broken = await open2(() => plain('coredns_panics_total{ 1\n'));
    await expect(broken.query(DNS, EVERY)).rejects.toThrow("is no line of Prometheus' text format");
  });
});

test('a /readyz that may not be read is a missing right; one that is not answered is not', async () => {
  const READY: ScrapeQuery = { target: 'api-server', kind: 'readiness' };
  let reply: Reply = { status: 429, headers: { 'Retry-After': '3' }, body: {} };
  const port = await open(() => reply);
  await expect(port.query(READY, EVERY)).rejects.toMatchObject({ type: 'Throttled' });
  reply = { status: 403, body: { kind: 'Status', message: 'forbidden' } };
  expect(await port.query(READY, EVERY)).toEqual({
    kind: 'denied',
    why: 'Belay may not read /readyz (get on the path /readyz; deploy/kubernetes-rbac.yaml lets it)',
  });
});

test('parts of /readyz that fail are told by name', async () => {
  const READY: ScrapeQuery = { target: 'api-server', kind: 'readiness' };
  let body = 'ok';
  const port = await open(() => ({ status: body === 'ok' ? 200 : 500, body }));
  expect(await port.query(READY, EVERY)).toEqual({ kind: 'samples', samples: [{ labels: {}, value: 0 }] });
  body = '[+]ping ok\n[-]etcd failed: reason withheld\n[-]poststarthook/rbac/bootstrap-roles failed: not finished\nreadyz check failed\n';
  expect(await port.query(READY, EVERY)).toEqual({
    kind: 'samples',
    samples: [
      { labels: {}, value: 0 },
      { labels: { part: 'etcd' }, value: 1 },
      { labels: { part: 'poststarthook/rbac/bootstrap-roles' }, value: 1 },
    ],
  });
});
