/** A campaign from its plan to its end, for the recording: a cluster that is adopted, a failure, a retry, a pause, and another run in the middle. */
import { randomUUID } from 'node:crypto';
import type { CampaignPlan } from '../../domain/plan/campaign/types.ts';
import {
  type CampaignPlanInput,
  campaignPlanWorkflowId,
  type RingRollbackInput,
  ringRollbackPlanWorkflowId,
} from '../../workflows/contract/campaign.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { eventually } from '../support/eventually.ts';
import { campaignOf, member, ringOf, rollbackOf, wayBack, withCampaign } from '../workflows/run/campaign/support.ts';
import { fakeActivities } from '../support/fake-activities.ts';
import { FakeFleet } from '../support/fake-campaign.ts';
import { startWorker } from '../support/temporal.ts';
import type { Story } from './story.ts';

export const campaignPlanned: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const campaign = campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'])]);
  const fake = fakeActivities();
  const fleet = new FakeFleet(campaign, [member('a'), member('b')]);
  const worker = await startWorker(
    env,
    { ...fake.activities, ...fleet.activities(await fake.activities.loadPolicy({ cluster: member('a').cluster })) },
    taskQueue,
  );
  const workflowId = `${campaignPlanWorkflowId(campaign.name)}/checked`;
  await worker.runUntil(
    env.client.workflow.execute<(input: CampaignPlanInput) => Promise<CampaignPlan>>(WORKFLOWS.campaignPlan, {
      workflowId,
      taskQueue,
      args: [{ campaign: campaign.name, readiness: true }],
    }),
  );
  return workflowId;
};

export const campaignRun: Story = async (env) => {
  const campaign = campaignOf([ringOf('dev', ['a', 'b'], { soakMs: 200 }), ringOf('prod', ['c', 'd'], { promotion: 'after-soak' })], {
    finishBy: '2025-01-01',
  });
  await withCampaign(
    env,
    campaign,
    ['a', 'b', 'c', 'd'].map((name) => member(name)),
    async (played) => {
      const { fleet } = played;
      await played.gate('dev');
      // Begun by people, and past its control plane: it is adopted.
      for (const each of fleet.members) if (each.cluster.name === 'b') each.version = campaign.target;
      fleet.runs.set('b', { kind: 'open', runId: 'run-b' });
      await played.decide('dev');
      await played.until(({ state: { members } }) => Object.values(members).filter(({ kind }) => kind === 'running').length === 2);
      fleet.end('a', 'failed', 'its nodes did not come up');
      fleet.end('b');
      await played.until(({ state }) => state.rings[0]?.state === 'stopped');
      await played.command({ verb: 'retry' });
      await played.gate('dev', 2);
      fleet.runs.delete('a');
      await played.command({ verb: 'pause', reason: 'lunch' });
      await played.command({ verb: 'resume' });
      await played.decide('dev', 'approve', { attempt: 2 });
      await eventually('it starts again', () => fleet.open.length === 1);
      fleet.end('a');
      await eventually('the next ring starts by itself', () => fleet.open.length === 2);
      fleet.end('c');
      fleet.end('d');
      await played.handle.result();
    },
  );
  return `eks-campaign/${campaign.name}`;
};

/** Its campaign is forgotten, so that the ring is read from belay.yaml. */
export const ringRollbackPlanned: Story = async (env) => {
  const taskQueue = `belay-${randomUUID()}`;
  const campaign = campaignOf([ringOf('prod', ['a', 'b'])]);
  const fake = fakeActivities();
  const fleet = new FakeFleet(campaign, [member('a', { version: '1.32' }), member('b', { version: '1.32' })]);
  fleet.ways.set('a', wayBack(5));
  const policy = await fake.activities.loadPolicy({ cluster: member('a').cluster });
  const worker = await startWorker(env, { ...fake.activities, ...fleet.activities(policy) }, taskQueue);
  const input: RingRollbackInput = { campaign: campaign.name, ring: 'prod' };
  const workflowId = ringRollbackPlanWorkflowId(input);
  await worker.runUntil(
    env.client.workflow.execute<(input: RingRollbackInput) => Promise<CampaignPlan>>(WORKFLOWS.ringRollbackPlan, {
      workflowId,
      taskQueue,
      args: [input],
    }),
  );
  return workflowId;
};

export const ringRolledBack: Story = async (env) => {
  const campaign = campaignOf([ringOf('prod', ['a', 'b'])]);
  const plan = rollbackOf(campaign, { a: 5, b: 1 });
  await withCampaign(
    env,
    campaign,
    ['a', 'b'].map((name) => member(name)),
    async (played) => {
      await played.gate('prod');
      await played.decide('prod', 'approve', { reason: 'the shop is down' });
      await eventually('both go', () => played.fleet.open.length === 2);
      played.fleet.end('a');
      played.fleet.end('b');
      await played.handle.result();
    },
    { planOf: () => plan },
  );
  return `eks-campaign/${plan.campaign}`;
};
