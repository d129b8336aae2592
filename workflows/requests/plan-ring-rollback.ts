/** The plan that takes a ring of a campaign back: which of its clusters still can. Changes nothing. */
import { ApplicationFailure } from '@temporalio/common';
import type { KnownRing } from '../../activities/contract/campaign.ts';
import { planRingRollback as planOf, type RingMemberBack } from '../../domain/plan/campaign/plan-rollback.ts';
import { type CampaignPlan, memberKey } from '../../domain/plan/campaign/types.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { RingRollbackInput } from '../contract/campaign.ts';
import { membersByFile, noSuchRing } from '../messages/campaign-rollback.ts';
import { campaignActivities, configActivities, phaseActivities } from '../runtime/activity-proxies.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { inParts, inPlaces, planFleet, readFleet } from './plan-campaign.ts';
import { inspectAndPlan } from './plan-upgrade.ts';
import { count } from '../../domain/core/text.ts';

const MAX_WHY = 200;

export async function planRingRollback({ campaign, ring: name }: RingRollbackInput): Promise<CampaignPlan> {
  const { known } = await campaignActivities.findRing.executeWithOptions(
    { summary: `What does campaign ${campaign} know of ring ${name}?` },
    [{ campaign, ring: name }],
  );
  const { of, ring, members } = known ?? (await byFile(campaign, name));
  const ways = await readWays(members.flatMap(({ cluster, not }) => (not === undefined ? [cluster] : [])));
  const refusals = await readRefusals(members.map(({ cluster }) => cluster).filter((cluster) => isOpen(ways.get(memberKey(cluster)))));
  const seen = members.map((member): RingMemberBack => {
    const refused = refusals.get(memberKey(member.cluster));
    return { ...member, ...ways.get(memberKey(member.cluster)), ...(refused === undefined ? {} : { refused }) };
  });
  const warnings = known === undefined ? [membersByFile(campaign, name)] : [];
  return planOf(of, ring, { members: seen, warnings, now: new Date().toISOString() });
}

/** Temporal has forgotten the campaign: the ring as belay.yaml has it, and EKS says which of its clusters have moved. */
async function byFile(campaign: string, name: string): Promise<KnownRing> {
  const { clusters, target } = await configActivities.loadCampaign({ campaign });
  const plan = await planFleet(campaign, await readFleet(clusters, target));
  const ring = plan.rings.find((each) => each.name === name);
  if (ring === undefined)
    throw ApplicationFailure.nonRetryable(
      noSuchRing(
        campaign,
        name,
        plan.rings.map((each) => each.name),
      ),
      'Configuration',
    );
  const { target: from, limits } = plan;
  return {
    of: { campaign, target: from, limits },
    ring,
    members: ring.members.map(({ cluster, environment }) => ({ cluster, environment })),
  };
}

type Way = Pick<RingMemberBack, 'back' | 'unread'>;

async function readWays(clusters: readonly ClusterRef[]): Promise<Map<string, Way>> {
  const found = new Map<string, Way>();
  await Promise.all(
    inParts(clusters, (cluster) => cluster).map(async (part) => {
      const summary = `Until when does EKS take ${count(part.length, 'cluster')} back?`;
      try {
        const { ways } = await campaignActivities.readWaysBack.executeWithOptions({ summary }, [{ clusters: part }]);
        for (const [key, way] of Object.entries(ways)) found.set(key, way);
      } catch (error) {
        for (const cluster of part) found.set(memberKey(cluster), { unread: messageOf(error).slice(0, MAX_WHY) });
      }
    }),
  );
  return found;
}

const isOpen = (way: Way | undefined): boolean => way?.back?.kind === 'open';

/** As `belay rollback` would, for each; what cannot be judged is refused. */
async function readRefusals(clusters: readonly ClusterRef[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await inPlaces(clusters, async (cluster) => {
    const why = await whyRefused(cluster);
    if (why !== undefined) found.set(memberKey(cluster), why.slice(0, MAX_WHY));
  });
  return found;
}

async function whyRefused(cluster: ClusterRef): Promise<string | undefined> {
  try {
    const policy = await configActivities.loadPolicy({ cluster });
    const result = await inspectAndPlan(phaseActivities(policy.timing), { cluster, target: 'back', back: true }, policy);
    return result.kind === 'plan' ? undefined : (result.violations[0]?.message ?? 'its rollback is refused');
  } catch (error) {
    return `whether it can go back is not known: ${messageOf(error)}`;
  }
}
