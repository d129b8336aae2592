/** A campaign on a real server, with a fleet that the test plays. */
import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowHandle } from '@temporalio/client';
import type { DecisionReply } from '../../../../domain/gates/gate.ts';
import type { WayBack } from '../../../../domain/facts/rollback-window.ts';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { Actor } from '../../../../domain/gates/actor.ts';
import { planCampaign } from '../../../../domain/plan/campaign/plan-campaign.ts';
import { planRingRollback } from '../../../../domain/plan/campaign/plan-rollback.ts';
import type { CampaignPlan, FleetMember } from '../../../../domain/plan/campaign/types.ts';
import type { CampaignPolicy, RingPolicy } from '../../../../domain/policy/campaigns.ts';
import type { UpgradePolicy } from '../../../../domain/policy/policy.ts';
import {
  campaignCommand,
  type CampaignCommand,
  type CampaignInput,
  type CampaignStatus,
  campaignStatus,
} from '../../../../workflows/contract/campaign.ts';
import { decisionId } from '../../../../workflows/contract/ids.ts';
import { decideGate, WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeActivities, type FakeWorld, quickPolicy } from '../../../support/fake-activities.ts';
import { FakeFleet } from '../../../support/fake-campaign.ts';
import { sharedWorker } from '../../../support/shared-worker.ts';
import { ALEX, SAM } from '../../../support/upgrade.ts';

export const ringOf = (name: string, clusters: string[], change: Partial<RingPolicy> = {}): RingPolicy => ({
  name,
  select: { clusters },
  optional: false,
  canary: false,
  parallel: { kind: 'count', value: 2 },
  failures: { kind: 'count', value: 0 },
  soakMs: 0,
  soakOnRed: 'restart',
  promotion: 'ask',
  coversStart: false,
  ...change,
});

export function campaignOf(rings: RingPolicy[], change: Partial<CampaignPolicy> = {}): CampaignPolicy {
  return {
    name: `to-1-32-${randomUUID().slice(0, 8)}`,
    target: '1.32',
    select: {},
    exclude: [],
    rings,
    rest: 'refuse',
    hops: 'refuse',
    stuckAfterMs: 3_600_000,
    approvals: quickPolicy().approvals,
    ...change,
  };
}

export const member = (name: string, change: Partial<FleetMember> = {}): FleetMember => ({
  cluster: { account: '111122223333', region: 'eu-central-1', name },
  environment: 'test',
  version: '1.31',
  offered: true,
  ...change,
});

export interface PlayedCampaign {
  fleet: FakeFleet;
  world: FakeWorld;
  handle: WorkflowHandle<(input: CampaignInput) => Promise<CampaignStatus>>;
  status(): Promise<CampaignStatus>;
  /** Waits until it is so, and gives the status then. */
  until(seen: (status: CampaignStatus) => boolean): Promise<CampaignStatus>;
  /** The gate of this ring's attempt, once it is open. */
  gate(ring: string, attempt?: number): Promise<CampaignStatus>;
  decide(ring: string, choice?: string, change?: { attempt?: number; actor?: Actor; reason?: string }): Promise<DecisionReply>;
  command(command: Omit<CampaignCommand, 'actor'> & { actor?: Actor }): Promise<DecisionReply>;
  /** Starts it once more, as after a termination. */
  again(): Promise<void>;
}

/** Takes ring prod back; `days`: how long EKS still takes a cluster back, none where it is over. */
export const rollbackOf = (campaign: CampaignPolicy, days: Readonly<Record<string, number>>, memberOf = member): CampaignPlan =>
  planRingRollback(
    { campaign: campaign.name, target: campaign.target, limits: { stuckAfterMs: campaign.stuckAfterMs } },
    { name: 'prod', parallel: 2 },
    {
      members: Object.entries(days).map(([name, left]) => ({ ...memberOf(name), back: wayBack(left) })),
      warnings: [],
      now: new Date().toISOString(),
    },
  );

export const wayBack = (daysLeft: number): WayBack => ({
  kind: daysLeft > 0 ? 'open' : 'closed',
  window: {
    at: '1.32',
    backTo: '1.31',
    movedAt: new Date(Date.now() + (daysLeft - 7) * DAY_MS).toISOString(),
    closesAt: new Date(Date.now() + daysLeft * DAY_MS).toISOString(),
  },
});
const DAY_MS = 86_400_000;

/** Looks every tenth of a second. */
const QUICK: Partial<UpgradePolicy['timing']> = { pollMinMs: 10, pollMaxMs: 10, boardEditMs: 10 };

export async function withCampaign(
  env: TestWorkflowEnvironment,
  campaign: CampaignPolicy,
  members: FleetMember[],
  play: (played: PlayedCampaign) => Promise<void>,
  {
    requestedBy = ALEX,
    change = () => ({}),
    planOf = (fleet) => planCampaign(campaign, fleet.members, '2026-11-26T09:00:00.000Z'),
    timing = {},
  }: {
    requestedBy?: Actor;
    change?: (activities: BelayActivities) => Partial<BelayActivities>;
    planOf?: (fleet: FakeFleet) => CampaignPlan;
    timing?: Partial<UpgradePolicy['timing']>;
  } = {},
): Promise<void> {
  const base = quickPolicy();
  const policy = { ...base, timing: { ...base.timing, ...QUICK, ...timing } };
  const fleet = new FakeFleet(campaign, members);
  const { activities, world } = fakeActivities({ policy });
  const worker = await sharedWorker(env);
  const all = { ...activities, ...fleet.activities(policy) };
  const plan = planOf(fleet);
  for (const name of new Set([campaign.name, plan.campaign])) worker.perform(name, { ...all, ...change(all) });
  const workflowId = `eks-campaign/${plan.campaign}`;
  const start = (): Promise<PlayedCampaign['handle']> =>
    env.client.workflow.start<(input: CampaignInput) => Promise<CampaignStatus>>(WORKFLOWS.campaign, {
      workflowId,
      taskQueue: worker.taskQueue,
      args: [{ campaign: plan.campaign, plan: planOf(fleet), requestedBy }],
    });
  let handle = await start();
  const status = (): Promise<CampaignStatus> => handle.query(campaignStatus);
  const until: PlayedCampaign['until'] = (seen) =>
    eventually(String(seen), async () => {
      const now = await status();
      return seen(now) && now;
    });
  const played: PlayedCampaign = {
    fleet,
    world,
    get handle() {
      return handle;
    },
    status,
    until,
    gate: (ring, attempt = 1) => until(({ gates }) => gates.some(({ id }) => id === `ring:${ring}@${plan.target}#${attempt}`)),
    async decide(ring, choice = 'approve', { attempt = 1, actor = SAM, ...why } = {}) {
      const gateId = `ring:${ring}@${plan.target}#${attempt}`;
      return await handle.executeUpdate(decideGate, {
        args: [{ gateId, decisionId: decisionId(gateId, actor.id, choice, 1), choice, actor, ...why }],
      });
    },
    command: (command) => handle.executeUpdate(campaignCommand, { args: [{ actor: SAM, ...command }] }),
    async again() {
      handle = await start();
    },
  };
  try {
    await play(played);
  } finally {
    await handle.terminate('end of test').catch(() => undefined);
  }
}
