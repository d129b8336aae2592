/** How the run of a campaign's cluster has ended: by Temporal, and where it has forgotten, by the record. */
import { expect, test } from 'vitest';
import { createMemberActivities } from '../../../../activities/run/campaign/members.ts';
import type { FoundRun } from '../../../../activities/run/campaign/runs.ts';

const CLUSTER = { account: '111122223333', region: 'eu-central-1', name: 'prod' };
const KEY = '111122223333/eu-central-1/prod';

async function look({ run, records = [] }: { run?: FoundRun; records?: object[] }, back?: true): Promise<unknown> {
  const { lookAtMembers } = createMemberActivities({
    aws: () => {
      throw new Error('AWS does not answer');
    },
    windows: { judgeWindow: async () => ({ kind: 'open' }) },
    windowsOf: () => undefined,
    store: { newest: async () => records },
    runs: {
      find: async () => run,
      goesBack: async () => false,
      asks: async () => ({ kind: 'alone', why: 'of no ring' }),
      start: async () => ({ kind: 'running' }),
    },
  });
  const asked = {
    target: '1.32',
    campaign: 'to-1-32',
    members: [{ cluster: CLUSTER, runId: 'run-7' }],
    ...(back === undefined ? {} : { back }),
  };
  return (await lookAtMembers(asked)).looks[KEY];
}

const ended = (change: Partial<Extract<FoundRun, { state: 'ended' }>>): { run: FoundRun } => ({
  run: {
    state: 'ended',
    runId: 'run-8',
    startedAt: '2026-11-26T08:00:00.000Z',
    target: '1.32',
    outcome: 'completed',
    why: 'Upgraded to 1.32',
    ...change,
  },
});
const record = (from: string, to: string, outcome = 'completed'): { records: object[] } => ({
  records: [{ report: { outcome, status: { runId: 'run-7', from, to, headline: `From ${from} to ${to}` } } }],
});

test.each<[string, Parameters<typeof look>[0], object]>([
  ['it arrived', ended({}), { outcome: 'completed', why: 'Upgraded to 1.32' }],
  ['another run took it further', ended({ target: '1.33' }), { outcome: 'completed', why: 'Upgraded to 1.32' }],
  [
    'another run took its place and went less far',
    ended({ target: '1.31' }),
    { outcome: 'failed', why: 'another run took its place, to 1.31' },
  ],
  ['it went back', ended({ target: '1.31', outcome: 'rolled-back', why: 'Back at 1.31' }), { outcome: 'rolled-back', why: 'Back at 1.31' }],
  ['by its record it arrived', record('1.31', '1.32'), { outcome: 'completed', why: 'From 1.31 to 1.32' }],
  ['by its record it went back', record('1.32', '1.31'), { outcome: 'rolled-back', why: 'From 1.32 to 1.31' }],
  ['by its record it was aborted', record('1.31', '1.32', 'aborted'), { outcome: 'failed', why: 'From 1.31 to 1.32' }],
])('%s', async (_, known, end) => {
  expect(await look(known)).toMatchObject({ kind: 'ended', ...end });
});

test('where neither Temporal nor a record knows, nobody says that it arrived', async () => {
  expect(await look({})).toEqual({
    kind: 'forgotten',
    why: 'Temporal and the records know nothing of its run any more: its version is not known (reading prod: Error: AWS does not answer)',
  });
});

test.each<[string, Parameters<typeof look>[0], object]>([
  ['it went back', ended({ outcome: 'rolled-back', why: 'Back at 1.32' }), { outcome: 'completed', why: 'Back at 1.32' }],
  ['another run took it up', ended({ why: 'Upgraded to 1.33' }), { outcome: 'failed', why: 'Upgraded to 1.33' }],
  ['it failed', ended({ outcome: 'failed', why: 'EKS refused' }), { outcome: 'failed', why: 'EKS refused' }],
  ['by its record it went back', record('1.33', '1.32'), { outcome: 'completed', why: 'From 1.33 to 1.32' }],
  ['by its record it was aborted', record('1.33', '1.32', 'aborted'), { outcome: 'failed', why: 'From 1.33 to 1.32' }],
])('F41: on the way back, %s', async (_, known, end) => {
  expect(await look(known, true)).toMatchObject({ kind: 'ended', ...end });
});
