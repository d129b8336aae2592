/** A worker's windows: belay.yaml as it is on the disk now, by EKS's own clock; and what other clusters' records say. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { loadConfig } from '../../worker/config/config.ts';
import { createPorts, type Ports } from '../../worker/ports.ts';
import { type FakeEks, startFakeEks } from '../activities/support/fake-eks.ts';
import { CLUSTER } from '../support/facts.ts';
import { quickPolicy } from '../support/fake-activities.ts';

const DAY_MS = 24 * 60 * 60_000;
/** So that midnight changes none of the days. */
const BEGAN_MS = Date.now();
const day = (afterDays: number): string => new Date(BEGAN_MS + afterDays * DAY_MS).toISOString().slice(0, 10);

let eks: FakeEks;
let directory: string;
let ports: Ports;
const file = (): string => join(directory, 'belay.yaml');
const save = (more = ''): Promise<void> =>
  writeFile(file(), `clusters: { ${CLUSTER.name}: { region: ${CLUSTER.region}, account: "${CLUSTER.account}" } }\n${more}`);
const FROZEN = `windows: { exclusions: [{ from: ${day(-2)}, until: ${day(2)}, reason: an incident }] }\n`;
const CALM = 'windows: {}\n';

const run = <K extends keyof BelayActivities>(name: K, ...input: Parameters<BelayActivities[K]>) => {
  const activity = ports.activities[name] as (...args: Parameters<BelayActivities[K]>) => ReturnType<BelayActivities[K]>;
  return new MockActivityEnvironment().run(activity, ...input) as ReturnType<BelayActivities[K]>;
};
const question = { cluster: CLUSTER, phases: ['control-plane' as const], needMs: 1000 };

beforeAll(async () => {
  eks = await startFakeEks();
});
afterAll(() => eks.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'belay-windows-'));
  await save();
  ports = createPorts(loadConfig(file()), { namespace: 'default', env: {} });
});
afterEach(async () => {
  await ports.close();
  await rm(directory, { recursive: true, force: true });
});

describe('windows while the worker runs', () => {
  test('P4: an exclusion that is declared now counts now, and its end as well', async () => {
    expect(await run('judgeWindow', question)).toEqual({ kind: 'open' });
    await save(FROZEN);
    expect(await run('judgeWindow', question)).toMatchObject({
      kind: 'closed',
      why: expect.stringContaining('maintenance exclusion "an incident" (no-upgrades) lasts until'),
    });
    await save(CALM);
    expect(await run('judgeWindow', question)).toEqual({ kind: 'open' });
  });

  test('P4: a file that is broken, or that does not name the cluster any more, is never a yes', async () => {
    await writeFile(file(), 'clusters: {');
    expect(await run('judgeWindow', question)).toMatchObject({ kind: 'unknown', why: expect.stringContaining('not valid YAML') });
    await writeFile(file(), `clusters: { other: { region: ${CLUSTER.region}, account: "${CLUSTER.account}" } }\n`);
    expect(await run('judgeWindow', question)).toMatchObject({ kind: 'unknown', why: expect.stringContaining('no cluster "prod"') });
  });

  test('waiting ends when the file allows it, and outlives a broken one', async () => {
    await save(FROZEN);
    const { timing } = quickPolicy();
    const told = await run('judgeWindow', question);
    const toldOf = told.kind === 'closed' ? told.opensAt : undefined;
    let over = false;
    const waiting = run('awaitWindow', { ...question, timing, toldOf }).finally(() => (over = true));
    await writeFile(file(), 'clusters: {');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(over).toBe(false);
    await save(CALM);
    expect(await waiting).toEqual({ opened: true });
  });

  test('P4: waiting ends as well when the next window is later than was told: a freeze that is made longer; not when it is sooner', async () => {
    await save(FROZEN);
    const { timing } = quickPolicy();
    const told = await run('judgeWindow', question);
    const toldOf = told.kind === 'closed' ? told.opensAt : undefined;
    expect(toldOf).toBeDefined();
    const startedMs = performance.now();
    const waiting = run('awaitWindow', { ...question, timing, toldOf });
    await save(FROZEN.replace(day(2), day(1)));
    await new Promise((resolve) => setTimeout(resolve, 20 * timing.pollMaxMs));
    await save(FROZEN.replace(day(2), day(9)));
    expect(await waiting).toEqual({ opened: false });
    expect(performance.now() - startedMs).toBeGreaterThan(20 * timing.pollMaxMs);
  });

  test('waiting outlives a session that has expired: whoever renews it need not tell Belay', async () => {
    eks.faults.push(...Array.from({ length: 2 }, () => ({ operation: 'DescribeCluster', fault: 'ExpiredTokenException' })));
    const { timing } = quickPolicy();
    expect(await run('awaitWindow', { ...question, timing })).toEqual({ opened: true });
    expect(eks.faults).toEqual([]);
  });
});

describe('the order of environments', () => {
  const after = { environment: 'staging', clusters: [CLUSTER], bakedDays: 3 };
  const record = async (endedDaysAgo: number, change: Partial<UpgradeReport> = {}): Promise<void> => {
    const at = new Date(Date.now() - endedDaysAgo * DAY_MS).toISOString();
    const report = {
      outcome: 'completed',
      status: { cluster: CLUSTER, to: '1.32', startedAt: at, endedAt: at, runId: `run-${endedDaysAgo}` },
      ...change,
    } as unknown as UpgradeReport;
    await run('writeRecord', { cluster: CLUSTER, report });
  };

  test('is judged by EKS and by the records of runs that were completed', async () => {
    await record(1.5);
    await record(9, { outcome: 'aborted' });
    const judged = () => run('judgeOrder', { cluster: CLUSTER, target: '1.32', after });
    expect(await judged()).toMatchObject({ status: 'fail', lines: [expect.stringContaining('(1 day ago), not baked for 3 days yet')] });
    await record(5);
    expect(await judged()).toMatchObject({ status: 'pass' });
    expect(await run('judgeOrder', { cluster: CLUSTER, target: '1.33', after })).toEqual({
      status: 'fail',
      lines: ['prod is at 1.32, not at 1.33'],
    });
  });

  test('days before a way back count for nothing', async () => {
    const at = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    const moved = (from: string, to: string, daysAgo: number): Promise<void> =>
      record(daysAgo, {
        status: { cluster: CLUSTER, from, to, startedAt: at(daysAgo), endedAt: at(daysAgo), runId: `run-${daysAgo}` } as never,
      });
    await moved('1.31', '1.32', 9);
    expect(await run('judgeOrder', { cluster: CLUSTER, target: '1.32', after })).toMatchObject({ status: 'pass' });
    await moved('1.32', '1.31', 8);
    await moved('1.31', '1.32', 1.5);
    expect(await run('judgeOrder', { cluster: CLUSTER, target: '1.32', after })).toMatchObject({
      status: 'fail',
      lines: [expect.stringContaining('(1 day ago), not baked for 3 days yet')],
    });
  });

  test('without records, or with one that is no JSON, nothing is known', async () => {
    const judged = () => run('judgeOrder', { cluster: CLUSTER, target: '1.32', after });
    expect(await judged()).toMatchObject({ status: 'unknown' });
    await record(5);
    await writeFile(join(directory, 'records', `${CLUSTER.account}_${CLUSTER.region}_${CLUSTER.name}_x.json`), '{');
    expect(await judged()).toMatchObject({ status: 'unknown' });
  });
});
