/** Processes killed at the worst moments: the outcome and the mutations are those of an undisturbed run, none is made twice. */
import { expect, test } from '@jest/globals';
import { type Rehearsed, rehearsed, tally } from './support/rehearsal.ts';

const LIMIT_MS = 300_000;

/** The same as without kills, and each process back in time. */
function expectUndisturbed(run: Rehearsed, calm: Rehearsed, kills: readonly string[]): void {
  expect([run.ok, run.why]).toEqual([true, '']);
  const { report } = run;
  expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(run.budgets.after).toEqual(calm.budgets.before);
  expect(report.killed.map(({ process, at }) => `${process}@${at}`).toSorted()).toEqual([...kills].toSorted());
  for (const { recoveredMs } of report.killed) expect(recoveredMs).toBeLessThan(15_000);
  for (const api of ['eks', 'kubernetes'] as const) expect(tally(report, api)).toEqual(tally(calm.report, api));
  const tokens = report.mutations.flatMap(({ api, accepted, token }) => (api === 'eks' && accepted && token !== undefined ? [token] : []));
  expect(tokens.length).toBeGreaterThan(0);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(report.steps.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(calm.report.steps.map(({ id }) => `${id} completed`));
  expect(report.gates.map(({ id, choice }) => `${id} ${choice}`)).toEqual(calm.report.gates.map(({ id, choice }) => `${id} ${choice}`));
}

test(
  'seed-000: worker, Temporal and Slack app, each in the middle of its work',
  async () => {
    const kills = ['worker@control-plane', 'worker@karpenter-drift', 'temporal@node-groups', 'slack@node-groups'];
    const calm = await rehearsed({ scenario: 'seed-000' });
    const run = await rehearsed({ scenario: 'seed-000', speed: 60, kills });
    expectUndisturbed(run, calm, kills);
  },
  LIMIT_MS,
);

test(
  'small: the worker in the phases before and after',
  async () => {
    const kills = ['worker@freeze-drift', 'worker@add-ons-bridge', 'worker@add-ons-target'];
    const calm = await rehearsed({ scenario: 'small' });
    const run = await rehearsed({ scenario: 'small', speed: 120, kills });
    expectUndisturbed(run, calm, kills);
  },
  LIMIT_MS,
);
