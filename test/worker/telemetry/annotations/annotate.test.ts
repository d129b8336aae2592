/** Steps as annotations in Grafana: each once, a region when it has ended; a Grafana that is away, slow or refuses holds up nothing but the next look. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StepRun } from '../../../../client/reading/steps.ts';
import { annotator } from '../../../../worker/telemetry/annotations/annotate.ts';
import { grafanaAt } from '../../../../worker/telemetry/annotations/grafana.ts';
import { type GrafanaStandIn, startGrafana } from './grafana-stand-in.ts';

const START_MS = Date.parse('2026-11-02T09:00:00.123Z');
const CLUSTER = { account: '111122223333', region: 'eu-west-1', name: 'prod' };
const ENV = { GRAFANA_TOKEN: 'glsa_secret' };

let grafana: GrafanaStandIn;
let steps: StepRun[];
beforeEach(async () => {
  grafana = await startGrafana();
  steps = [];
});
afterEach(() => grafana.close());

const running = (change: Partial<StepRun> = {}): StepRun => ({
  cluster: CLUSTER,
  phase: 'control-plane',
  step: 'control-plane@1.34',
  startMs: START_MS,
  ...change,
});
const ended = (change: Partial<StepRun> = {}): StepRun => running({ end: { atMs: START_MS + 600_000, how: 'completed' }, ...change });

/** A process that begins anew. */
const begin = (limitMs?: number): (() => Promise<void>) =>
  annotator({
    steps: async () => steps,
    grafana: grafanaAt({ url: `${grafana.url}/`, bearerTokenFrom: 'GRAFANA_TOKEN' }, ENV, limitMs),
    isOurs: ({ cluster }) => cluster.name === 'prod',
  });

const REGION = {
  id: 1,
  time: START_MS,
  timeEnd: START_MS + 600_000,
  tags: ['belay', 'prod', 'control-plane'],
  text: 'control-plane@1.34 on prod: completed',
};

test('a step is an annotation while it runs, and a region when it has ended', async () => {
  const look = begin();
  steps = [running()];
  await look();
  expect(grafana.stored).toEqual([{ ...REGION, timeEnd: START_MS, text: 'control-plane@1.34 on prod' }]);
  steps = [ended()];
  await look();
  expect(grafana.stored).toEqual([REGION]);
  expect(grafana.tokens).toEqual(new Set(['Bearer glsa_secret']));
});

test('what has been said is not said again, and nothing is asked for it', async () => {
  const look = begin();
  steps = [ended()];
  await look();
  const { length } = grafana.asked;
  await look();
  expect(grafana.asked).toHaveLength(length);
});

test('a restart, and a second process, find what is there; a step that ended meanwhile is closed', async () => {
  steps = [running()];
  await begin()();
  steps = [ended()];
  await begin()();
  await begin()();
  expect(grafana.stored).toEqual([REGION]);
});

test('a step that is tried again is a region of its own', async () => {
  steps = [ended({ end: { atMs: START_MS + 1_000, how: 'failed' } }), running({ startMs: START_MS + 2_000 })];
  await begin()();
  expect(grafana.stored.map(({ time, timeEnd, text }) => [time - START_MS, timeEnd - START_MS, text])).toEqual([
    [0, 1_000, 'control-plane@1.34 on prod: failed'],
    [2_000, 2_000, 'control-plane@1.34 on prod'],
  ]);
});

test('a cluster that belay.yaml does not name is told to nobody', async () => {
  steps = [ended({ cluster: { ...CLUSTER, name: '<img src=x>' } })];
  await begin()();
  expect(grafana.asked).toEqual([]);
});

test.each([404, 403] as const)(
  'one that somebody deleted in Grafana, which answers %s for it, is written again; the steps after it are too',
  async (status) => {
    const look = begin();
    steps = [running()];
    await look();
    grafana.missing = status;
    grafana.stored.splice(0);
    steps = [ended(), running({ phase: 'node-groups', step: 'node-groups@1.34', startMs: START_MS + 700_000 })];
    await look();
    expect(grafana.stored.map(({ text }) => text)).toEqual(['control-plane@1.34 on prod: completed', 'node-groups@1.34 on prod']);
    expect(grafana.stored[0]).toEqual({ ...REGION, id: 2 });
  },
);

test('one that Grafana refuses holds up no other, and is written once Grafana takes it', async () => {
  const refuses = new Set(['control-plane@1.34 on prod: completed', 'node-groups@1.34 on prod']);
  const well = grafanaAt({ url: grafana.url }, {});
  const refusing = async <T>(text: string, call: () => Promise<T>, status: number): Promise<T> => {
    grafana.trouble = refuses.has(text) ? status : undefined;
    return await call().finally(() => (grafana.trouble = undefined));
  };
  const look = annotator({
    steps: async () => steps,
    grafana: {
      ...well,
      create: (annotation) => refusing(annotation.text, () => well.create(annotation), 400),
      patch: (id, change) => refusing(change.text, () => well.patch(id, change), 403),
    },
    isOurs: () => true,
  });
  steps = [running()];
  await look();
  steps = [
    ended(),
    running({ phase: 'node-groups', step: 'node-groups@1.34', startMs: START_MS + 1 }),
    running({ phase: 'validation', step: 'validation@1.34', startMs: START_MS + 2 }),
  ];
  await expect(look()).rejects.toMatchObject({ type: 'AccessDenied' });
  await expect(look()).rejects.toMatchObject({ type: 'InvalidRequest' });
  await expect(look()).rejects.toMatchObject({ type: 'AccessDenied' });
  expect(grafana.stored.map(({ text }) => text)).toEqual(['control-plane@1.34 on prod', 'validation@1.34 on prod']);
  refuses.clear();
  await look();
  expect(grafana.stored.map(({ text }) => text).toSorted()).toEqual([
    'control-plane@1.34 on prod: completed',
    'node-groups@1.34 on prod',
    'validation@1.34 on prod',
  ]);
});

test('an answer that is lost makes no second annotation', async () => {
  const well = grafanaAt({ url: grafana.url }, {});
  const look = annotator({
    steps: async () => steps,
    grafana: {
      ...well,
      async create(annotation) {
        grafana.trouble = 'lost';
        return await well.create(annotation);
      },
    },
    isOurs: () => true,
  });
  steps = [ended()];
  await expect(look()).rejects.toMatchObject({ type: 'Unavailable' });
  grafana.trouble = undefined;
  await look();
  await begin()();
  expect(grafana.stored).toEqual([REGION]);
});

test.each([
  [
    403,
    'AccessDenied',
    'it answered 403; the token of grafana.bearerTokenFrom needs annotations:read, annotations:create and annotations:write',
  ],
  [
    401,
    'AccessDenied',
    'it answered 401; the token of grafana.bearerTokenFrom needs annotations:read, annotations:create and annotations:write',
  ],
  [404, 'NotFound', 'it answered 404; grafana.url has to be the address of Grafana itself, with the path before /api'],
  [302, 'Configuration', 'it redirects, and redirects are not followed; write the address that answers itself under grafana.url'],
  [429, 'Throttled', 'it answered 429'],
  [502, 'Unavailable', 'it answered 502'],
  ['html', 'Unavailable', 'reading annotations of Grafana at'],
  ['slow', 'Unavailable', 'reading annotations of Grafana at'],
] as const)(
  'one that answers %s ends the look with a reason and without the token, and the next look goes on',
  async (trouble, type, words) => {
    const look = begin(trouble === 'slow' ? 300 : undefined);
    steps = [ended(), ended({ startMs: START_MS + 1 })];
    grafana.trouble = trouble;
    const failure: unknown = await look().catch((error: unknown) => error);
    expect(failure).toMatchObject({ type, message: expect.stringContaining(words) });
    expect(String(failure)).not.toContain('glsa_secret');
    // The first call that fails is the last: a Grafana in trouble is not asked for each step.
    expect(grafana.asked.length).toBeLessThanOrEqual(1);
    grafana.trouble = undefined;
    await begin()();
    expect(grafana.stored).toHaveLength(2);
  },
);

test('one that is not there', async () => {
  const look = begin();
  steps = [ended()];
  await grafana.close();
  await expect(look()).rejects.toMatchObject({ type: 'Unavailable' });
  grafana = await startGrafana();
});

test.each([
  [
    { url: 'https://grafana.example', bearerTokenFrom: 'NO_TOKEN' },
    'grafana.bearerTokenFrom names NO_TOKEN, which is not set in this environment; set it to a token of a service account',
  ],
  [
    { url: 'http://grafana.example', bearerTokenFrom: 'GRAFANA_TOKEN' },
    'grafana.url: http://grafana.example is plain http, and the token would be readable on the way; use https:// or set grafana.allowPlainHttp in belay.yaml',
  ],
])('settings by which nothing is sent: %j', (access, message) => {
  expect(() => grafanaAt(access, ENV)).toThrow(message);
});
