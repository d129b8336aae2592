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

const campaign = () => campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'])], { select: { clusters: ['a', 'b'] } });
const MEMBERS = [member('a'), member('b'), member('bank')];

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
const bank = { ...member('bank'), verdict: { kind: 'upgrade', minors: 1 } as const };

test.each<[string, (plan: CampaignPlan) => Partial<CampaignPlan>, string]>([
  [
    'a ring covers the first gate of its runs',
    (plan) => ({ rings: inFirst(plan, { coversStart: true }) }),
    'ring dev covers no gate there',
  ],
  [
    'a cluster of others is in a ring',
    (plan) => ({ rings: inFirst(plan, { members: [bank] }) }),
    '111122223333/eu-central-1/bank is not in ring dev there',
  ],
  [
    'a cluster is in an earlier ring',
    (plan) => ({ rings: inFirst(plan, { members: plan.rings[1]?.members ?? [] }) }),
    '111122223333/eu-central-1/b is not in ring dev there',
  ],
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

test('RS2: the first ring asks, also where its plan says that it begins by itself', async () => {
  const of = campaign();
  await withCampaign(
    env,
    of,
    MEMBERS,
    async (played) => {
      await played.gate('dev');
      expect(played.fleet.started).toEqual([]);
    },
    { planOf: forged(of, (plan) => ({ rings: inFirst(plan, { promotion: 'after-soak' }) })) },
  );
});
