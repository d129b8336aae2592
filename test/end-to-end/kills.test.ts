/** Processes killed at the worst moments: the outcome and the mutations are those of an undisturbed run, none is made twice. */
import { expect, test } from 'vitest';
import { type Rehearsed, rehearsed, tally } from './support/rehearsal.ts';

const LIMIT_MS = 900_000;

/** The same as without kills, and each process back in time. */
function expectUndisturbed(run: Rehearsed, calm: Rehearsed, kills: readonly string[]): void {
  expect([run.ok, run.why]).toEqual([true, '']);
  const { report } = run;
  expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(run.budgets.after).toEqual(calm.budgets.before);
  expect(report.killed.map(({ process, at }) => `${process}@${at}`).toSorted()).toEqual([...kills].toSorted());
  // Ten seconds are Temporal's own; machines that are busy with other plays take theirs.
  for (const { recoveredMs } of report.killed) expect(recoveredMs).toBeLessThan(30_000);
  expect(tally(report, 'eks')).toEqual(tally(calm.report, 'eks'));
  expect(withoutPaces(tally(report, 'kubernetes'))).toEqual(withoutPaces(tally(calm.report, 'kubernetes')));
  // Frozen, paced and restored once each. While the worker is away drift goes on at the pace that is set, so the faster one may not be needed.
  for (const pool of new Set(tally(calm.report, 'kubernetes').filter(isPace))) {
    const patches = tally(report, 'kubernetes').filter((line) => line === pool).length;
    expect(patches).toBeGreaterThanOrEqual(3);
    expect(patches).toBeLessThanOrEqual(4);
  }
  const tokens = report.mutations.flatMap(({ api, accepted, token }) => (api === 'eks' && accepted && token !== undefined ? [token] : []));
  expect(tokens.length).toBeGreaterThan(0);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(report.steps.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(calm.report.steps.map(({ id }) => `${id} completed`));
  expect(report.gates.map(({ id, choice }) => `${id} ${choice}`)).toEqual(calm.report.gates.map(({ id, choice }) => `${id} ${choice}`));
}

const isPace = (line: string): boolean => line.startsWith('patch nodepools ');
const withoutPaces = (lines: string[]): string[] => [...new Set(lines.filter(isPace)), ...lines.filter((line) => !isPace(line))].toSorted();

test(
  'T1 T2 T5 K10: seed-000: worker, Temporal and Slack app, each in the middle of its work',
  async () => {
    const kills = ['worker@control-plane', 'worker@karpenter-drift', 'temporal@node-groups', 'slack@node-groups'];
    const calm = await rehearsed({ scenario: 'seed-000' });
    const run = await rehearsed({ scenario: 'seed-000', speed: 60, kills });
    expectUndisturbed(run, calm, kills);
  },
  LIMIT_MS,
);

test(
  'T2 K10: small: the worker in the phases before and after',
  async () => {
    const kills = ['worker@freeze-drift', 'worker@add-ons-bridge', 'worker@add-ons-target'];
    const calm = await rehearsed({ scenario: 'small' });
    const run = await rehearsed({ scenario: 'small', speed: 120, kills });
    expectUndisturbed(run, calm, kills);
  },
  LIMIT_MS,
);
