/** A forecast beside a run: at its first gate before anything is done, and in its record compared with what happened. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { PlanForecast } from '../../../domain/plan/forecast/quoted.ts';
import { quoteForecast } from '../../../domain/run/forecasts/quote.ts';
import { storedForecast } from '../../../domain/run/forecasts/stored.ts';
import { fakeActivities, inputs, withChange } from '../../support/fake-activities.ts';
import { forecast } from '../../support/forecasts.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const PLAN = plan(['pre-checks', 'freeze-drift', 'control-plane', 'karpenter-drift', 'validation']);
const QUOTED = quoteForecast(storedForecast(forecast({ from: '1.31', to: '1.32', planHash: PLAN.hash })), PLAN, '2026-09-08T09:05:00.000Z');
const NODE = {
  node: 'ip-10-0-1-7.internal',
  nodePool: 'general',
  pod: { namespace: 'billing', name: 'ledger-0', controller: { kind: 'StatefulSet', name: 'ledger' } },
  workload: { kind: 'StatefulSet' as const, namespace: 'billing', name: 'ledger', replicas: 1 },
  reason: 'Pod billing/ledger-0 is blocked by PodDisruptionBudget billing/ledger',
  sinceMs: 60_000,
};

/** One node is blocked until people were asked about it. */
const watchDrift: BelayActivities['watchDrift'] = async ({ asked = [] }) =>
  asked.length === 0
    ? { kind: 'blocked', node: NODE, replacedCount: 2, remainingCount: 1 }
    : { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };

async function run(of: PlanForecast | undefined) {
  const fake = fakeActivities({ plan: PLAN });
  const makePlan: BelayActivities['makePlan'] = async () => ({ kind: 'plan', plan: PLAN, ...(of === undefined ? {} : { forecast: of }) });
  const report = await withUpgrade(env, withChange(fake, { makePlan, watchDrift }), (upgrade) => upgrade.finish());
  const evidence = report.decisions.find(({ gate }) => gate.id === 'before:pre-checks@1.32#1')?.gate.evidence ?? [];
  const [record] = inputs(fake.world, 'writeRecord') as Parameters<BelayActivities['writeRecord']>[0][];
  return { report, record, said: evidence.filter(({ title }) => title === 'Forecast'), plan: fake.world.published };
}

test('the first gate says what was foreseen, the rest behind Details; the record is given it, with the pods that blocked', async () => {
  const { report, record, said, plan: published } = await run(QUOTED);
  expect(report.outcome).toBe('completed');
  expect(said).toEqual([
    {
      title: 'Forecast',
      lines: [
        'Simulated on a snapshot from 2 hours ago: 3 h 10 min (p90 4 h 5 min), 2 nodes will be blocked, 1 workload will be down for a while, 1 known limit.',
      ],
      more: [expect.stringContaining('Pod billing/ledger-0'), expect.anything(), expect.anything()],
      verdict: 'advice',
    },
  ]);
  expect(published.find(({ notification }) => notification.kind === 'plan')?.notification).toMatchObject({ forecast: QUOTED });
  expect(record?.forecast).toEqual(QUOTED);
  expect(record?.report.decisions.flatMap(({ gate }) => gate.blocked ?? [])).toEqual([
    { node: 'ip-10-0-1-7.internal', pod: 'billing/ledger-0', workload: 'StatefulSet billing/ledger' },
  ]);
});

test('one that could not be read is said in a line, and holds up nothing', async () => {
  const { report, record, said } = await run({ kind: 'unread', why: 'EACCES' });
  expect(report.outcome).toBe('completed');
  expect(said).toEqual([{ title: 'Forecast', lines: ['Could not read the forecast of this upgrade: EACCES.'], verdict: 'advice' }]);
  expect(record).not.toHaveProperty('forecast');
});

test('where none was made, nothing is said', async () => {
  const { report, record, said } = await run(undefined);
  expect(report.outcome).toBe('completed');
  expect(said).toEqual([]);
  expect(record).not.toHaveProperty('forecast');
});
