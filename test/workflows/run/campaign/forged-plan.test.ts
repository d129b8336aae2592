/** Whoever starts a campaign hands its plan over, signed: what belay.yaml would not have made starts nothing, and the first ring asks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { hashOfPlan, planCampaign } from '../../../../domain/plan/campaign/plan-campaign.ts';
import type { CampaignPlan } from '../../../../domain/plan/campaign/types.ts';
import { startTemporal } from '../../../support/temporal.ts';
import type { FakeFleet } from '../../../support/fake-campaign.ts';
import { campaignOf, member, ringOf, rollbackOf, withCampaign } from './support.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const campaign = (dev: Parameters<typeof ringOf>[2] = {}) =>
  campaignOf([ringOf('dev', ['a'], { soakMs: 7_200_000, ...dev }), ringOf('prod', ['b', 'c'])], {
    select: { clusters: ['a', 'b', 'c'] },
    exclude: [{ clusters: ['c'], reason: 'audit' }],
    perRegion: 3,
  });
const MEMBERS = [member('a'), member('b'), member('c'), member('bank')];

/** As somebody would write it who may start the campaign: the hash fits. */
const forged =
  (of: ReturnType<typeof campaign>, change: (plan: CampaignPlan) => Partial<CampaignPlan>) =>
  ({ members }: FakeFleet): CampaignPlan => {
    const plan = planCampaign(of, members, '2026-11-26T09:00:00.000Z');
    const altered = { ...plan, ...change(plan), problems: [] };
    return { ...altered, hash: hashOfPlan(altered) };
  };
const inFirst = (plan: CampaignPlan, change: Partial<CampaignPlan['rings'][number]>): CampaignPlan['rings'] =>
  plan.rings.map((ring, index) => (index === 0 ? { ...ring, ...change } : ring));
const other = (name: string) => ({ ...member(name), verdict: { kind: 'upgrade', minors: 1 } as const });

test.each<[string, (plan: CampaignPlan) => Partial<CampaignPlan>, string]>([
  [
    'a ring covers the first gate of its runs',
    (plan) => ({ rings: inFirst(plan, { coversStart: true }) }),
    'ring dev covers no gate there',
  ],
  [
    'a cluster of others is in a ring',
    (plan) => ({ rings: inFirst(plan, { members: [other('bank')] }) }),
    '111122223333/eu-central-1/bank is not in ring dev there',
  ],
  [
    'a cluster is in an earlier ring',
    (plan) => ({ rings: inFirst(plan, { members: plan.rings[1]?.members ?? [] }) }),
    '111122223333/eu-central-1/b is not in ring dev there',
  ],
  [
    'an excluded cluster is in a ring',
    (plan) => ({ rings: plan.rings.map((ring) => (ring.name === 'prod' ? { ...ring, members: [...ring.members, other('c')] } : ring)) }),
    '111122223333/eu-central-1/c is excluded there',
  ],
  ['more run at a time', (plan) => ({ rings: inFirst(plan, { parallel: 5 }) }), 'ring dev has parallel 1 there, not 5'],
  ['a ring is not watched', (plan) => ({ rings: inFirst(plan, { soakMs: 0 }) }), 'ring dev has soak 2 h there, not 0 s'],
  ['more may fail', (plan) => ({ rings: inFirst(plan, { failures: 1 }) }), 'ring dev has failures 0 there, not 1'],
  [
    'a ring begins by itself',
    (plan) => ({ rings: inFirst(plan, { promotion: 'after-soak' }) }),
    'ring dev has promotion ask there, not after-soak',
  ],
  ['nothing limits a region', ({ limits: { stuckAfterMs } }) => ({ limits: { stuckAfterMs } }), 'perRegion is 3 there, not unlimited'],
])('RS2: a plan in which %s, unlike in belay.yaml, starts nothing', async (_what, change, why) => {
  const of = campaign();
  await withCampaign(
    env,
    of,
    MEMBERS,
    async ({ handle, fleet, world }) => {
      expect((await handle.result()).state.phase).toBe('stopped');
      expect(JSON.stringify(world.published)).toContain(`its plan is not one that belay.yaml makes: ${why}`);
      expect(fleet.started).toEqual([]);
    },
    { planOf: forged(of, change) },
  );
});

test('RS2: a way back of clusters that the campaign has nowhere starts nothing', async () => {
  const of = campaign();
  await withCampaign(
    env,
    of,
    MEMBERS,
    async ({ handle, fleet }) => {
      expect((await handle.result()).state.phase).toBe('stopped');
      expect(fleet.started).toEqual([]);
    },
    { planOf: () => rollbackOf(of, { bank: 6 }) },
  );
});

test('RS2: the first ring asks, also where belay.yaml says that it begins by itself', async () => {
  const of = campaign({ promotion: 'after-soak' });
  await withCampaign(
    env,
    of,
    MEMBERS,
    async (played) => {
      await played.gate('dev');
      expect(played.fleet.started).toEqual([]);
    },
    { planOf: forged(of, () => ({})) },
  );
});
