/** The workflow of proposals on a real server, with clusters that the test writes down. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowHandle } from '@temporalio/client';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { createProposalActivities } from '../../../../activities/run/proposals/proposals.ts';
import type { DecisionReply } from '../../../../domain/gates/gate.ts';
import { DEFAULT_WINDOWS } from '../../../../domain/policy/config/defaults.ts';
import type { DeliveryTerms } from '../../../../domain/policy/deliveries.ts';
import type { CampaignPolicy } from '../../../../domain/policy/campaigns.ts';
import type { ClusterVersion, FleetVersions } from '../../../../domain/run/fleet.ts';
import type { PublishInput } from '../../../../domain/run/notifications.ts';
import {
  type ProposalCommand,
  proposalCommand,
  PROPOSALS_WORKFLOW,
  proposalsConfigured,
  type ProposalsInput,
  type ProposalsStatus,
  proposalsStatus,
} from '../../../../workflows/contract/proposals.ts';
import { WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeActivities, type FakeWorld, quickPolicy } from '../../../support/fake-activities.ts';
import { FakeFleet } from '../../../support/fake-campaign.ts';
import { sharedWorker } from '../../../support/shared-worker.ts';
import { SAM } from '../../../support/upgrade.ts';
import { campaignOf } from '../campaign/support.ts';

const ACCOUNT = '111122223333';
const REGION = 'eu-central-1';
export const AT = '2026-11-28T07:00:00.000Z';
/** No look comes by itself before. */
export const FAR = '2036-01-01T08:00:00.000Z';

export const offers = (...minors: string[]): FleetVersions['offered'] => minors.map((version) => ({ version, status: 'STANDARD_SUPPORT' }));

/** What a test changes. */
export interface ProposalWorld {
  clusters: ClusterVersion[];
  offered: FleetVersions['offered'];
  campaigns: CampaignPolicy[];
  /** Proposals are on in belay.yaml. */
  isOn: boolean;
  /** Why belay.yaml cannot be read. */
  broken?: string;
  /** So many looks come by themselves, a moment after each other, as weeks do; none after those. */
  weeks: number;
  /** It is broken by this once it was read. */
  breaks?: string;
}

export interface PlayedProposals {
  world: ProposalWorld;
  fake: FakeWorld;
  handle: WorkflowHandle<(input: ProposalsInput) => Promise<void>>;
  status(): Promise<ProposalsStatus>;
  until(what: string, seen: (status: ProposalsStatus) => boolean): Promise<ProposalsStatus>;
  command(command: Omit<ProposalCommand, 'actor'> & Partial<Pick<ProposalCommand, 'actor'>>): Promise<DecisionReply>;
  /** Asks for a look, and waits until it is over: the workflow has gone on in another run. */
  look(): Promise<void>;
  configure(): Promise<void>;
  /** What was told, by its thread: "1.35", "unread/2026-11-28". */
  told(about: string): PublishInput[];
  runId(): Promise<string>;
}

export async function withProposals(
  env: TestWorkflowEnvironment,
  change: Partial<ProposalWorld>,
  play: (played: PlayedProposals) => Promise<void>,
  {
    input = {},
    activities: changed = {},
    deliveries = [],
  }: { input?: ProposalsInput; activities?: Partial<BelayActivities>; deliveries?: DeliveryTerms[] } = {},
): Promise<void> {
  const world: ProposalWorld = {
    clusters: [
      { name: 'a', version: '1.34' },
      { name: 'b', version: '1.34' },
    ],
    offered: offers('1.34', '1.35'),
    campaigns: [],
    isOn: true,
    weeks: 0,
    ...change,
  };
  const policy = quickPolicy();
  const { activities, world: fake } = fakeActivities({ policy });
  const policies = () =>
    world.clusters.map(({ name }) => ({ ...policy, deliveries, cluster: { account: ACCOUNT, region: REGION, name }, environment: 'test' }));
  const real = createProposalActivities({
    file: () => {
      if (world.broken !== undefined) throw new Error(world.broken);
      const at = { days: ['mon' as const], start: '08:00', timeZone: 'UTC' };
      const proposals = {
        at,
        channel: 'C0PLATFORM',
        withinDays: 90,
        approvals: policy.approvals,
        timing: policy.timing,
        windows: DEFAULT_WINDOWS,
      };
      return { campaigns: world.campaigns, policies: policies(), ...(world.isOn ? { proposals } : {}) };
    },
    runs: { owners: async () => ({}) },
  });
  const fleet = new FakeFleet(world.campaigns[0] ?? campaignOf([]), []);
  const worker = await sharedWorker(env);
  worker.perform(PROPOSALS_WORKFLOW, {
    ...activities,
    ...fleet.activities(policy),
    ...real,
    loadProposals: async (given) => {
      const { proposals } = await real.loadProposals(given);
      if (world.breaks !== undefined) world.broken = world.breaks;
      delete world.breaks;
      if (proposals === undefined) return {};
      const nextAt = world.weeks > 0 ? new Date(Date.now() + 100).toISOString() : FAR;
      return { proposals: { ...proposals, nextAt } };
    },
    judgeProposals: async (given) => {
      world.weeks -= 1;
      return await real.judgeProposals(given);
    },
    readVersions: async ({ clusters }) => {
      const asked = new Set(clusters.map(({ name }) => name));
      return { readAt: AT, clusters: world.clusters.filter(({ name }) => asked.has(name)), offered: world.offered };
    },
    ...changed,
  });
  fleet.members = policies().map(({ cluster, environment }) => ({ cluster, environment, version: '1.34', offered: true }));
  const handle = await env.client.workflow.start<(input: ProposalsInput) => Promise<void>>(WORKFLOWS.proposals, {
    workflowId: PROPOSALS_WORKFLOW,
    taskQueue: worker.taskQueue,
    args: [input],
    followRuns: false,
  });
  const now = env.client.workflow.getHandle<(input: ProposalsInput) => Promise<void>>(PROPOSALS_WORKFLOW);
  const status = (): Promise<ProposalsStatus> => now.query(proposalsStatus);
  const runId = async (): Promise<string> => (await now.describe()).runId;
  const played: PlayedProposals = {
    world,
    fake,
    handle: now,
    status,
    until: (what, seen) =>
      eventually(what, async () => {
        const seenNow = await status().catch(() => undefined);
        return seenNow !== undefined && seen(seenNow) && seenNow;
      }),
    command: (command) => now.executeUpdate(proposalCommand, { args: [{ actor: SAM, ...command }] }),
    async look() {
      const before = await runId();
      const { accepted, message } = await played.command({ verb: 'look' });
      if (!accepted) throw new Error(message);
      await eventually('the look is over', async () => (await runId()) !== before);
    },
    configure: () => now.signal(proposalsConfigured, {}),
    told: (about) => fake.published.filter(({ upgrade }) => upgrade.workflowId === `${PROPOSALS_WORKFLOW}/${about}`),
    runId,
  };
  try {
    await played.until('belay.yaml was read', ({ nextAt, trouble }) => nextAt !== undefined || trouble !== undefined || !world.isOn);
    await play(played);
  } finally {
    await now.terminate('end of test').catch(() => undefined);
    void handle;
  }
}
