/** F41: a ring goes back, by one approval, and its campaign hears of it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { CampaignPlan } from '../../../../domain/plan/campaign/types.ts';
import type { KnownRing } from '../../../../activities/contract/campaign.ts';
import { ringRollbackPlanWorkflowId, type RingRollbackInput } from '../../../../workflows/contract/campaign.ts';
import { WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeActivities } from '../../../support/fake-activities.ts';
import { FakeFleet } from '../../../support/fake-campaign.ts';
import { sharedWorker } from '../../../support/shared-worker.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { campaignOf, member, ringOf, rollbackOf, wayBack, withCampaign } from './support.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const KEY = (name: string): string => `111122223333/eu-central-1/${name}`;
const DAYS = { a: 5, b: -1, c: 1, d: -2, e: 3 };
const RING = campaignOf([ringOf('prod', Object.keys(DAYS))]);
const MEMBERS = Object.keys(DAYS).map((name) => member(name, { version: '1.32' }));

/** Its campaign knows the ring, but `forgotten`; Belay refuses the way back of those in `refused`. */
async function planned({ forgotten = false, refused = [] as string[] }): Promise<{ plan: CampaignPlan; asked: string[] }> {
  const campaign = campaignOf(RING.rings);
  const fleet = new FakeFleet(campaign, MEMBERS);
  for (const [name, left] of Object.entries(DAYS)) fleet.ways.set(name, wayBack(left));
  const known: KnownRing = {
    of: { campaign: campaign.name, target: '1.32', limits: { stuckAfterMs: 3_600_000 } },
    ring: { name: 'prod', parallel: 2 },
    members: MEMBERS.map(({ cluster, environment }) => ({ cluster, environment })),
  };
  fleet.ring = forgotten ? undefined : known;
  const { activities } = fakeActivities();
  const policy = await activities.loadPolicy({ cluster: member('a').cluster });
  const worker = await sharedWorker(env);
  const asked: string[] = [];
  worker.perform(campaign.name, {
    ...activities,
    ...fleet.activities(policy),
    planRollback: async (input) => {
      asked.push(input.cluster.name);
      if (!refused.includes(input.cluster.name)) return await activities.planRollback(input);
      return { kind: 'refused', violations: [{ rule: 'r', message: 'Add-on x needs 1.32.', remedy: '' }] };
    },
  });
  const input: RingRollbackInput = { campaign: campaign.name, ring: 'prod' };
  const plan = await env.client.workflow.execute<(input: RingRollbackInput) => Promise<CampaignPlan>>(WORKFLOWS.ringRollbackPlan, {
    workflowId: ringRollbackPlanWorkflowId(input),
    taskQueue: worker.taskQueue,
    args: [input],
  });
  return { plan, asked: asked.toSorted() };
}

const going = ({ rings }: CampaignPlan): string[] =>
  rings.flatMap(({ members }) => members.flatMap(({ cluster, verdict }) => (verdict.kind === 'upgrade' ? [cluster.name] : [])));

test('F41: the plan asks EKS and the rules of each cluster, and lists who cannot go back', async () => {
  const { plan, asked } = await planned({ refused: ['e'] });
  expect(asked).toEqual(['a', 'c', 'e']);
  expect(going(plan)).toEqual(['c', 'a']);
  expect(plan.rings[0]?.members.find(({ cluster }) => cluster.name === 'e')?.verdict).toEqual({
    kind: 'refused',
    why: 'Add-on x needs 1.32.',
  });
  expect(plan.warnings).toEqual([]);
});

test('F41: a campaign that Temporal has forgotten goes back by belay.yaml, and the plan says so', async () => {
  const { plan } = await planned({ forgotten: true });
  expect(going(plan)).toEqual(['c', 'e', 'a']);
  expect(plan.warnings).toEqual([
    expect.stringMatching(/^Temporal no longer knows campaign .*, so this lists the clusters that belay.yaml has in ring prod now/),
  ]);
});

test('F41: three within seven days go back after one approval, least time left first, two past are listed; one that fails keeps no other', async () => {
  const campaign = campaignOf(RING.rings);
  await withCampaign(
    env,
    campaign,
    MEMBERS,
    async (played) => {
      const { fleet } = played;
      const [open] = (await played.gate('prod')).gates;
      expect(open?.title).toBe(`Roll ring prod of campaign ${campaign.name} back to 1.31?`);
      expect(open?.evidence?.map(({ title, lines }) => [title, lines.map((line) => line.replace(/ until .*| \(since .*/, ''))])).toEqual([
        [
          'Clusters to roll back',
          ['c: at 1.32, EKS can roll it back', 'e: at 1.32, EKS can roll it back', 'a: at 1.32, EKS can roll it back'],
        ],
        ['Clusters that stay as they are', ['b: EKS can no longer roll it back', 'd: EKS can no longer roll it back']],
      ]);
      await expect(played.decide('prod')).rejects.toThrow();
      expect(fleet.started).toEqual([]);
      expect(await played.decide('prod', 'approve', { reason: 'the shop is down' })).toMatchObject({ accepted: true });
      await eventually('two go', () => fleet.open.length === 2);
      expect(fleet.startedNames).toEqual(['c', 'e']);
      expect(fleet.started.map(({ back }) => back)).toEqual([true, true]);
      expect(fleet.started[0]?.of).toEqual({ campaign: `${campaign.name}.rollback.prod`, ring: 'prod', attempt: 1, coversStart: true });
      fleet.end('c', 'failed', 'EKS refused it');
      await eventually('the third goes all the same', () => fleet.started.length === 3);
      fleet.end('e');
      fleet.end('a');
      const stopped = await played.until(({ state }) => state.rings[0]?.state === 'stopped');
      expect(stopped.state.rings[0]?.why).toMatch(/^only 2 of 5 clusters succeeded, and 3 must: c \(failed: EKS refused it\), b \(held: /);
      expect(stopped.state.members[KEY('a')]).toEqual({ kind: 'done', by: 'run' });
    },
    { planOf: () => rollbackOf(campaign, DAYS) },
  );
});

test('F41: nothing goes back while the campaign goes on, nor once EKS takes it back no more', async () => {
  const campaign = campaignOf(RING.rings);
  await withCampaign(
    env,
    campaign,
    MEMBERS,
    async (played) => {
      const { fleet } = played;
      fleet.examined.set('a', { kind: 'held', why: 'campaign x goes on; pause it first', again: new Date().toISOString() });
      await played.gate('prod');
      await played.decide('prod', 'approve', { reason: 'the shop is down' });
      await played.until(
        ({ state }) => state.rings[0]?.why === '0 of 1 required cluster done; waiting for a (held: campaign x goes on; pause it first)',
      );
      expect(fleet.started).toEqual([]);
      fleet.examined.set('a', { kind: 'held', why: 'EKS can no longer roll it back (since noon)' });
      const stopped = await played.until(({ state }) => state.rings[0]?.state === 'stopped');
      expect(stopped.state.rings[0]?.why).toBe(
        'only 0 of 1 cluster succeeded, and 1 must: a (held: EKS can no longer roll it back (since noon))',
      );
      expect(fleet.started).toEqual([]);
    },
    { planOf: () => rollbackOf(campaign, { a: 1 }) },
  );
});

test('a ring behind that went back while its campaign was paused stops the campaign when it is resumed, before anything else starts', async () => {
  const campaign = campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b', 'c'], { parallel: { kind: 'count', value: 1 } })]);
  await withCampaign(
    env,
    campaign,
    ['a', 'b', 'c'].map((name) => member(name)),
    async (played) => {
      const { fleet } = played;
      await played.gate('dev');
      await played.decide('dev');
      await eventually('it starts', () => fleet.open.length === 1);
      fleet.end('a');
      await played.gate('prod');
      await played.decide('prod');
      await eventually('the next ring starts', () => fleet.open.length === 1);
      await played.command({ verb: 'pause', reason: 'ring dev goes back' });
      fleet.end('a', 'rolled-back', 'Back at 1.31');
      fleet.end('b');
      await played.until(({ state }) => state.members[KEY('b')]?.kind === 'done');
      await played.command({ verb: 'resume' });
      const stopped = await played.until(({ state }) => state.rings[1]?.state === 'stopped');
      expect(stopped.state.rings[1]?.why).toBe('ring dev: 1 failure, and at most 0 allowed: a (rolled-back: Back at 1.31)');
      expect(fleet.startedNames).toEqual(['a', 'b']);
    },
  );
});
