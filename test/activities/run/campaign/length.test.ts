/** How long upgrades of a cluster have taken, by its records. */
import { expect, test } from 'vitest';
import { at, gate } from '../../../domain/run/durations/support.ts';
import { p90Of } from '../../../../activities/run/campaign/fleet.ts';

const CLUSTER = { account: '111122223333', region: 'eu-central-1', name: 'prod' };
const HOUR_MS = 3_600_000;

const record = (hours: number, change: { cluster?: Partial<typeof CLUSTER>; from?: string; outcome?: string } = {}): object => ({
  report: {
    outcome: change.outcome ?? 'completed',
    status: {
      cluster: { ...CLUSTER, ...change.cluster },
      from: change.from ?? '1.33',
      to: '1.34',
      startedAt: '2026-11-01T00:00:00.000Z',
      endedAt: new Date(Date.parse('2026-11-01T00:00:00.000Z') + hours * HOUR_MS).toISOString(),
    },
  },
});
const p90 = (...records: object[]): Promise<number | undefined> => p90Of({ newest: async () => records }, CLUSTER);

test.each<[string, object[], number | undefined]>([
  ['none', [], undefined],
  ['nine of ten were no longer', Array.from({ length: 10 }, (_, index) => record(index + 1)), 9 * HOUR_MS],
  ['two minors took twice as long', [record(4, { from: '1.32' })], 2 * HOUR_MS],
  ['one that did not arrive says nothing', [record(2), record(9, { outcome: 'aborted' })], 2 * HOUR_MS],
  ['a rollback says nothing', [record(9, { from: '1.35' })], undefined],
  ['F38: another of its name, in another region', [record(9, { cluster: { region: 'us-east-1' } })], undefined],
  ['F38: another of its name, in another account', [record(9, { cluster: { account: '444455556666' } })], undefined],
])('%s', async (_, records, length) => {
  expect(await p90(...records)).toBe(length);
});

test('records that cannot be read are none: the plan then says what it assumes', async () => {
  const newest = async (): Promise<never> => {
    throw new Error('AccessDenied');
  };
  expect(await p90Of({ newest }, CLUSTER)).toBe(undefined);
});

test('what people took at gates is none of it, as forecasts of campaigns count no decisions; windows and what goes on beside are', async () => {
  const byItself = gate('window:node-groups@1.34#1', 'node-groups@1.34', 200, 240);
  const decisions = [
    gate('before:control-plane@1.34#1', 'control-plane@1.34', 0, 180),
    gate('pace:karpenter-drift@1.34#1', 'karpenter-drift@1.34', 240, 290),
    { ...byItself, gate: { ...byItself.gate, byItself: true as const } },
  ];
  const status = { cluster: CLUSTER, runId: 'r', steps: [], from: '1.33', to: '1.34', startedAt: at(0), endedAt: at(300) };
  const of = (decided: unknown[]): object => ({ report: { outcome: 'completed', decisions: decided, status }, plan: { steps: [] } });
  expect(await p90(of(decisions))).toBe(2 * HOUR_MS);
  expect(await p90(of([{ kind: 'of another release' }]))).toBe(5 * HOUR_MS);
});
