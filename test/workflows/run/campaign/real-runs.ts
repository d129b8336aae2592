/** A campaign whose clusters have real runs: small ones, that wait at their gates until somebody votes. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { createMemberActivities } from '../../../../activities/run/campaign/members.ts';
import { createCampaigns, type Campaigns } from '../../../../client/campaigns/campaigns.ts';
import { createUpgrades, UpgradesError, type UpgradesSettings } from '../../../../client/upgrades-client.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import type { UpgradePlan } from '../../../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../../../domain/policy/policy.ts';
import type { Bundle, BundleView } from '../../../../domain/run/campaign/bundles.ts';
import { createCampaignRuns } from '../../../../worker/temporal/campaign-runs.ts';
import { type UpgradeInput, WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { upgradeWorkflowId } from '../../../../workflows/contract/ids.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeActivities, quickPolicy } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { sharedWorker } from '../../../support/shared-worker.ts';
import { ALEX, follow, type RunningUpgrade } from '../../../support/upgrade.ts';
import { campaignOf, member, type PlayedCampaign, ringOf, withCampaign } from './support.ts';

export interface PlayedRuns extends PlayedCampaign {
  campaigns: Campaigns;
  /** Of the ring `all`. */
  clusters: ClusterRef[];
  run(cluster: ClusterRef | undefined): RunningUpgrade;
  /** What the campaign offers and has posted, once it is so. */
  offered(seen: (open: Bundle[]) => boolean): Promise<Bundle[]>;
  /** What its messages have said, in order. */
  said(): BundleView[];
}

export interface RealRuns {
  count: number;
  steps?: UpgradePlan;
  policy?: Partial<UpgradePolicy>;
  change?: (activities: BelayActivities) => Partial<BelayActivities>;
  settings?: Partial<UpgradesSettings>;
  /** Between two looks of the campaign. */
  looksMs?: number;
  /** How a run of the campaign is started; by its index. */
  input?: (index: number) => Partial<UpgradeInput>;
}

/** The ring's approval stands for nothing: each run waits at its first gate. */
export async function withRealRuns(
  env: TestWorkflowEnvironment,
  { count, steps = plan(['pre-checks']), policy: policed, change = () => ({}), settings = {}, looksMs = 500, input = () => ({}) }: RealRuns,
  play: (played: PlayedRuns) => Promise<void>,
): Promise<void> {
  const made = campaignOf([]);
  const suffix = made.name.slice(-8);
  const names = Array.from({ length: count }, (_, index) => `c${String(index + 1).padStart(3, '0')}-${suffix}`);
  const campaign = { ...made, rings: [ringOf('all', names, { parallel: { kind: 'count', value: count } })] };
  const members = names.map((name) => member(name));
  const clusters = members.map(({ cluster }) => cluster);
  const worker = await sharedWorker(env);
  const base = quickPolicy(policed);
  const policy = { ...base, timing: { ...base.timing, gateDeadlineMs: 600_000 } };
  const { activities } = fakeActivities({ policy, plan: steps });
  const theirs = { ...activities, ...change(activities) };
  for (const name of names) worker.perform(name, theirs);
  const upgrades: UpgradesSettings = {
    taskQueue: worker.taskQueue,
    resolveCluster: (name) => clusters.find((each) => each.name === name) ?? member(name).cluster,
    ...settings,
  };
  const runs = createCampaignRuns({
    connection: () => env.nativeConnection,
    namespace: env.namespace ?? 'default',
    dataConverter: {},
    interceptors: [],
    ...upgrades,
  });
  const { lookAtMembers } = createMemberActivities({
    aws: () => {
      throw new Error('this test has no AWS');
    },
    windows: { judgeWindow: async () => ({ kind: 'open' }) },
    windowsOf: () => undefined,
    runs,
    store: { newest: async () => [] },
  });
  const started: string[] = [];
  const startMember: BelayActivities['startMember'] = async ({ cluster, target }) => {
    const workflowId = upgradeWorkflowId(cluster);
    const index = names.indexOf(cluster.name);
    const args: [UpgradeInput] = [{ cluster, target, requestedBy: ALEX, campaign: { name: campaign.name, ring: 'all' }, ...input(index) }];
    const handle = await env.client.workflow.start(WORKFLOWS.upgrade, { workflowId, taskQueue: worker.taskQueue, args });
    started.push(workflowId);
    return { kind: 'started', runId: handle.firstExecutionRunId };
  };
  const campaigns = createCampaigns(env.client, upgrades, createUpgrades({ client: env.client, ...upgrades }));
  try {
    await withCampaign(
      env,
      campaign,
      members,
      async (played) => {
        await played.gate('all');
        await played.decide('all');
        const said: PlayedRuns['said'] = () =>
          played.world.published.flatMap(({ notification }) => (notification.kind === 'bundle' ? [notification.view] : []));
        await play({
          ...played,
          campaigns,
          clusters,
          run: (cluster) => follow(env, upgradeWorkflowId(cluster ?? member('none').cluster)),
          offered: (seen) =>
            eventually(
              String(seen),
              async () => {
                const open = await openBundles(campaigns, campaign.name);
                return open !== undefined && seen(open) && open.every(({ id }) => said().some((view) => view.id === id)) && open;
              },
              120_000,
            ),
          said,
        });
      },
      { change: () => ({ lookAtMembers, startMember }), timing: { pollMinMs: 50, pollMaxMs: looksMs / 10 } },
    );
  } finally {
    for (const workflowId of started)
      await env.client.workflow
        .getHandle(workflowId)
        .terminate('end of test')
        .catch(() => undefined);
  }
}

export const approversOf = (change: Partial<UpgradePolicy['approvals']>): UpgradePolicy['approvals'] => ({
  ...quickPolicy().approvals,
  ...change,
});

/** undefined: it has not answered in time, as a campaign of hundreds of runs does not on a machine that has a lot to do. */
async function openBundles(campaigns: Campaigns, name: string): Promise<Bundle[] | undefined> {
  try {
    return (await campaigns.bundles(name)).open;
  } catch (error) {
    if (error instanceof UpgradesError && error.code === 'unreachable') return undefined;
    throw error;
  }
}
