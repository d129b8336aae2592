/** May a cluster go back with its ring: by its campaign, by EKS's list of updates, and by what runs on it. */
import { expect, test } from 'vitest';
import type { AwsClients } from '../../../../activities/clients/aws/clients.ts';
import { createBackActivities } from '../../../../activities/run/campaign/back.ts';
import type { CampaignRuns } from '../../../../activities/run/campaign/runs.ts';
import { defined } from '../../../../domain/core/defined.ts';
import { pause } from '../../../../domain/run/campaign/commands.ts';
import { startTwin } from '../../support/twin.ts';
import { begun, COMPLETED, done, NOON, planOf, seen, started } from '../../../support/campaigns.ts';

const CLUSTER = { account: '111122223333', region: 'eu-central-1', name: 'prod' };
const NOW_MS = Date.parse('2026-11-26T09:00:00.000Z');
const PLAN = planOf(['dev-a', 'dev-b']);
const STATE = seen(started(begun(PLAN), { 'dev-a': 'run', 'dev-b': 'run' }), PLAN, { 'dev-a': COMPLETED });

const unread = (): AwsClients => {
  throw new Error('AWS does not answer');
};
const back = (runs: Partial<CampaignRuns>, aws: (cluster: typeof CLUSTER) => AwsClients = unread) =>
  createBackActivities({ aws, runs: { campaign: async () => undefined, find: async () => undefined, ...runs }, nowMs: () => NOW_MS });
const asked = { cluster: CLUSTER, campaign: 'to-1-34', target: '1.33', way: { unread: 'reading prod: AWS does not answer' } };
const AGAIN = '2026-11-26T09:10:00.000Z';

test.each<[string, Partial<CampaignRuns>, object]>([
  [
    'its campaign goes on: others would start meanwhile',
    { campaign: async () => ({ plan: PLAN, state: STATE, isOpen: true }) },
    { kind: 'held', why: 'campaign to-1-34 is running; pause it first (belay campaign pause to-1-34)', again: AGAIN },
  ],
  [
    'whether it goes on is not known',
    {
      campaign: async () => {
        throw new Error('Temporal does not answer');
      },
    },
    { kind: 'unknown', why: 'Temporal does not answer', again: AGAIN },
  ],
  [
    'it is paused, and the way back cannot be read',
    { campaign: async () => ({ plan: PLAN, state: done(pause(STATE, 'going back', NOON)), isOpen: true }) },
    { kind: 'unknown', why: 'reading prod: AWS does not answer', again: AGAIN },
  ],
  [
    'a run is open on it: the start sees which',
    { find: async () => ({ state: 'open', startedAt: '2026-11-26T08:00:00.000Z', runId: 'run-7' }) },
    { kind: 'ready' },
  ],
])('%s', async (_, runs, result) => {
  expect(await back(runs).examineWayBack(asked)).toEqual(result);
});

test('F41: EKS decides who can go back, on the wire; a cluster that was never moved, or is out of reach, cannot', async () => {
  const twin = await startTwin('seed-002');
  try {
    const { aws } = twin.clients;
    const { examineWayBack, readWaysBack } = back({}, aws);
    const cluster = twin.ref;
    const nowhere = { ...cluster, name: 'nowhere' };
    const { ways } = await readWaysBack({ clusters: [cluster, nowhere] });
    const [way, unknown] = Object.values(ways);
    expect([way, unknown]).toEqual([
      { back: { kind: 'none', why: 'never-moved' } },
      { unread: expect.stringContaining('No cluster found for name: nowhere') },
    ]);
    expect(await examineWayBack({ ...asked, cluster, ...defined({ way }) })).toEqual({
      kind: 'held',
      why: 'EKS has no update of its control plane to roll back',
    });
  } finally {
    await twin.close();
  }
});

test('the ring is the campaign’s own: what it moved, and what it did not', async () => {
  const { findRing } = back({ campaign: async () => ({ plan: PLAN, state: STATE, isOpen: false }) });
  const { known } = await findRing({ campaign: 'to-1-34', ring: 'dev' });
  expect(known?.members.map(({ cluster, not }) => [cluster.name, not])).toEqual([
    ['dev-a', undefined],
    ['dev-b', 'its run has not ended: abort it first (belay abort dev-b)'],
  ]);
  expect(known).toMatchObject({ of: { campaign: 'to-1-34', target: '1.34' }, ring: { name: 'dev', parallel: 2 } });
  await expect(findRing({ campaign: 'to-1-34', ring: 'prod' })).rejects.toThrow('campaign to-1-34 has no ring prod; its rings: dev');
  expect(await back({}).findRing({ campaign: 'to-1-34', ring: 'dev' })).toEqual({});
});
