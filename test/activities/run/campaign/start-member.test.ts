/** A cluster of a campaign is started, adopted, or held with the reason. */
import { expect, test } from 'vitest';
import { createMemberActivities } from '../../../../activities/run/campaign/members.ts';
import type { CampaignRuns, FoundRun } from '../../../../activities/run/campaign/runs.ts';
import type { Actor } from '../../../../domain/gates/actor.ts';

const CLUSTER = { account: '111122223333', region: 'eu-central-1', name: 'prod' };
const OF = { campaign: 'to-1-32', ring: 'prod', attempt: 1 };
const ALEX: Actor = { kind: 'slack', id: 'U0ALEX' };
const NOW_MS = Date.parse('2026-11-26T09:00:00.000Z');

const ASKED_AT = '2026-11-26T08:59:00.000Z';
const BEFORE = '2026-11-26T08:58:59.999Z';

const open = (target?: string): FoundRun => ({
  state: 'open',
  runId: 'run-7',
  startedAt: BEFORE,
  ...(target === undefined ? {} : { target }),
});
const ended = (startedAt: string, target: string): FoundRun => ({
  state: 'ended',
  runId: 'run-6',
  startedAt,
  target,
  outcome: 'failed',
  why: '',
});

const activities = (runs: CampaignRuns) =>
  createMemberActivities({
    aws: () => {
      throw new Error('AWS is not asked');
    },
    windows: { judgeWindow: async () => ({ kind: 'open' }) },
    windowsOf: () => undefined,
    store: { newest: async () => [] },
    runs,
    nowMs: () => NOW_MS,
  });

const runsWith = (change: Partial<CampaignRuns>): CampaignRuns => ({
  find: async () => undefined,
  goesBack: async () => false,
  campaign: async () => undefined,
  asks: async () => ({ kind: 'alone', why: 'of no ring' }),
  owners: async () => ({}),
  start: async () => ({ kind: 'started', runId: 'run-8' }),
  ...change,
});

async function start(change: Partial<CampaignRuns>, back?: true): Promise<{ result: unknown; starts: number }> {
  let starts = 0;
  const runs = runsWith(change);
  const counted: CampaignRuns = {
    ...runs,
    start: async (request) => {
      starts += 1;
      return await runs.start(request);
    },
  };
  const { startMember } = activities(counted);
  const asked = { cluster: CLUSTER, target: '1.32', of: OF, requestedBy: ALEX, askedAt: ASKED_AT, ...(back === undefined ? {} : { back }) };
  return { result: await startMember(asked), starts };
}

const SOON = '2026-11-26T09:10:00.000Z';
const held = (why: string, again = SOON): object => ({ kind: 'held', why, again });

test.each<[string, Partial<CampaignRuns>, object, number]>([
  ['nothing runs: it starts', {}, { kind: 'started', runId: 'run-8' }, 1],
  [
    'one that had begun before this start, and has ended, is none',
    { find: async () => ended(BEFORE, '1.32') },
    { kind: 'started', runId: 'run-8' },
    1,
  ],
  [
    'F27: the one that an earlier try has started is not started again after it has ended',
    { find: async () => ended(ASKED_AT, '1.32') },
    { kind: 'started', runId: 'run-6', adopted: true },
    0,
  ],
  [
    'one to another minor that has ended meanwhile is none',
    { find: async () => ended(ASKED_AT, '1.31') },
    { kind: 'started', runId: 'run-8' },
    1,
  ],
  ['F12: an open run to the target is adopted', { find: async () => open('1.32') }, { kind: 'started', runId: 'run-7', adopted: true }, 0],
  ['F13: one to another minor is left alone', { find: async () => open('1.31') }, held('another operation runs on it, to 1.31'), 0],
  ['F13: one that says no target is, too', { find: async () => open() }, held('another operation runs on it, to another version'), 0],
  [
    'F13: a rollback to the target is, too',
    { find: async () => open('1.32'), goesBack: async () => true },
    held('another operation runs on it: a rollback to 1.32'),
    0,
  ],
  [
    'F13: where nobody says which it is, it is not adopted',
    {
      find: async () => open('1.32'),
      goesBack: async () => {
        throw new Error('no worker answered');
      },
    },
    held('a run to 1.32 is open on it, and whether it is a rollback is not known: no worker answered'),
    0,
  ],
  [
    'F9: what its checks refuse is held, and looked at in an hour',
    { start: async () => ({ kind: 'held', why: 'K8S012: a webhook is down' }) },
    held('K8S012: a webhook is down', '2026-11-26T10:00:00.000Z'),
    1,
  ],
  [
    'one that was quicker and has ended is looked at soon',
    { start: async () => ({ kind: 'running' }) },
    held('another run of it has just begun'),
    1,
  ],
])('%s', async (_, runs, result, starts) => {
  expect(await start(runs)).toEqual({ result, starts });
});

test('F14 F27: who is quicker, another campaign or an earlier try, has started it, and it is adopted', async () => {
  let looks = 0;
  const runs: Partial<CampaignRuns> = {
    find: async () => (++looks === 1 ? undefined : open('1.32')),
    start: async () => ({ kind: 'running' }),
  };
  expect(await start(runs)).toEqual({ result: { kind: 'started', runId: 'run-7', adopted: true }, starts: 1 });
});

test('F27: who was quicker and has ended already is adopted, too', async () => {
  let looks = 0;
  const runs: Partial<CampaignRuns> = {
    find: async () => (++looks === 1 ? undefined : ended(ASKED_AT, '1.32')),
    start: async () => ({ kind: 'running' }),
  };
  expect(await start(runs)).toEqual({ result: { kind: 'started', runId: 'run-6', adopted: true }, starts: 1 });
});

test.each<[string, Partial<CampaignRuns>, object, number]>([
  ['F41: nothing runs: its way back starts', {}, { kind: 'started', runId: 'run-8' }, 1],
  [
    'a rollback to the minor that is open already is adopted',
    { find: async () => open('1.32'), goesBack: async () => true },
    { kind: 'started', runId: 'run-7', adopted: true },
    0,
  ],
  ['an upgrade to it is left alone', { find: async () => open('1.32') }, held('another operation runs on it: an upgrade to 1.32'), 0],
])('on the way back: %s', async (_, runs, result, starts) => {
  expect(await start(runs, true)).toEqual({ result, starts });
});

test.each<[string, FoundRun | undefined, boolean]>([
  ['none', undefined, false],
  ['one that has ended', ended(BEFORE, '1.32'), false],
  ['one to another minor', open('1.31'), true],
])('whether a run is open on a cluster that needs no control plane update: %s', async (_, run, isOpen) => {
  expect(await activities(runsWith({ find: async () => run })).findOpenRun({ cluster: CLUSTER })).toEqual({ isOpen });
});
