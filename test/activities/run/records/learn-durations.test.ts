/** Records are read for what is usual: odd ones teach nothing, and none of them stops a plan. */
import { describe, expect, test } from 'vitest';
import { learnFromRecords } from '../../../../activities/run/records/learn-durations.ts';
import type { PastUpgrade } from '../../../../domain/run/durations/learn.ts';
import { MINUTE_MS, past } from '../../../domain/run/durations/support.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { step } from '../../../support/plan.ts';

function record(runId: string, minutes: number, cluster = CLUSTER): object {
  const { report, plan }: PastUpgrade = past([{ step: step('control-plane'), minutes }], { cluster });
  return { format: 1, report: { ...report, status: { ...report.status, runId } }, plan };
}

const learnFrom = (records: unknown[]): ReturnType<typeof learnFromRecords> =>
  learnFromRecords({ store: { newest: async () => records }, policyOf: named }, policy());

function named(name: string): ReturnType<typeof policy> {
  if (name !== CLUSTER.name) throw new Error(`no cluster "${name}"`);
  return policy();
}

describe('records of earlier upgrades', () => {
  test('are each counted once, though they are among the own and among all', async () => {
    expect(await learnFrom([record('a', 10), record('b', 12)])).toMatchObject({
      learnt: { 'control-plane': { medianMs: 11 * MINUTE_MS, count: 2, of: 'cluster' } },
    });
  });

  test('of a cluster that belay.yaml no longer names count among all', async () => {
    expect(await learnFrom([record('a', 10, { ...CLUSTER, name: 'gone' })])).toMatchObject({ learnt: { 'control-plane': { of: 'all' } } });
  });

  test.each([
    ['that ended before there was a plan', { report: { decisions: [], status: { runId: 'x', cluster: CLUSTER, steps: [] } } }],
    ['that is no record', ['something else']],
    [
      'whose plan has another shape',
      { ...record('x', 90), plan: { steps: [{ id: 'node-groups@1.32', params: { phase: 'node-groups' } }] } },
    ],
  ])('one %s teaches nothing and hides no other', async (_what, odd) => {
    expect(await learnFrom([odd, record('a', 10)])).toMatchObject({ learnt: { 'control-plane': { medianMs: 10 * MINUTE_MS, count: 1 } } });
  });

  test('that cannot be read are a sentence in the plan', async () => {
    const newest = async (): Promise<never> => {
      throw new Error("EACCES: permission denied, scandir '/records'");
    };
    expect(await learnFromRecords({ store: { newest }, policyOf: named }, policy())).toEqual({
      unlearnt: "the records of earlier upgrades cannot be read: EACCES: permission denied, scandir '/records'",
    });
  });
});
