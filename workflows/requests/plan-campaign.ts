/** The plan of a campaign: reads every cluster, each network by its own worker, and checks all of them where that is wanted. Changes nothing. */
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { memberReadiness } from '../../domain/plan/campaign/readiness.ts';
import { type CampaignPlan, type FleetMember, memberKey, type MemberReadiness } from '../../domain/plan/campaign/types.ts';
import type { CampaignPlanInput } from '../contract/campaign.ts';
import { campaignActivities, configActivities } from '../runtime/activity-proxies.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { count } from '../../domain/core/text.ts';

/** Clusters of one activity. */
const PART = 50;
/** Checks at the same time in one account and region: each reads a whole cluster. */
const CHECKS_AT_ONCE = 3;

interface FleetPlace {
  cluster: ClusterRef;
  environment: string;
}

export async function planCampaign({ campaign, readiness }: CampaignPlanInput): Promise<CampaignPlan> {
  const { clusters, target } = await configActivities.loadCampaign({ campaign });
  const fleet = await readFleet(clusters, target);
  const first = await planFleet(campaign, fleet);
  if (!readiness || first.problems.length > 0) return first;
  const going = first.rings.flatMap(({ members }) => members.filter(({ verdict }) => verdict.kind === 'upgrade'));
  const checked = await checkAll(
    going.map(({ cluster }) => cluster),
    first.target,
  );
  return await planFleet(
    campaign,
    fleet.map((member) => {
      const found = checked.get(memberKey(member.cluster));
      return found === undefined ? member : { ...member, readiness: found };
    }),
  );
}

/** The records of each cluster are read for it, one after the other: from a bucket that takes minutes for a thousand clusters. */
export const planFleet = (campaign: string, fleet: FleetMember[]): Promise<CampaignPlan> =>
  campaignActivities.planCampaign.executeWithOptions({ summary: `Plan ${count(fleet.length, 'cluster')} of campaign ${campaign}` }, [
    { campaign, fleet },
  ]);

/** What a network's worker does not answer is unknown for its clusters alone. */
export async function readFleet(clusters: readonly FleetPlace[], target: string): Promise<FleetMember[]> {
  const read = await Promise.all(inParts(clusters, ({ cluster }) => cluster).map((part) => readPart(part, target)));
  return read.flat();
}

/** As many as one activity reads, all of one network. */
export const inParts = <T>(items: readonly T[], clusterOf: (item: T) => ClusterRef): T[][] =>
  [...Map.groupBy(items, (item) => clusterOf(item).network).values()].flatMap(cut);

function cut<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += PART) parts.push(items.slice(at, at + PART));
  return parts;
}

async function readPart(part: readonly FleetPlace[], target: string): Promise<FleetMember[]> {
  const refs = part.map(({ cluster }) => cluster);
  const environments = new Map(part.map(({ cluster, environment }) => [memberKey(cluster), environment]));
  const withEnvironment = (members: readonly Omit<FleetMember, 'environment'>[]): FleetMember[] =>
    members.map((member) => ({ ...member, environment: environments.get(memberKey(member.cluster)) ?? member.cluster.name }));
  try {
    const { members } = await campaignActivities.readFleet.executeWithOptions({ summary: `Read ${count(refs.length, 'cluster')}` }, [
      { clusters: refs, target },
    ]);
    return withEnvironment(members);
  } catch (error) {
    return withEnvironment(refs.map((cluster) => ({ cluster, why: messageOf(error) })));
  }
}

async function checkAll(clusters: readonly ClusterRef[], target: string): Promise<Map<string, MemberReadiness>> {
  const found = new Map<string, MemberReadiness>();
  await inPlaces(clusters, async (cluster) => void found.set(memberKey(cluster), await check(cluster, target)));
  return found;
}

/** Each cluster once, a few at a time for each account and region. */
export async function inPlaces(clusters: readonly ClusterRef[], work: (cluster: ClusterRef) => Promise<void>): Promise<void> {
  const places = [...Map.groupBy(clusters, ({ account, region }) => `${account}/${region}`).values()];
  await Promise.all(
    places.map(async (place) => {
      const waiting = [...place];
      const lane = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
      };
      await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, lane));
    }),
  );
}

async function check(cluster: ClusterRef, target: string): Promise<MemberReadiness> {
  try {
    const policy = await configActivities.loadPolicy({ cluster });
    const { summary } = await campaignActivities.checkReadiness.executeWithOptions({ summary: `Check ${cluster.name} for ${target}` }, [
      { cluster, target, policy },
    ]);
    return memberReadiness(summary);
  } catch (error) {
    return { verdict: 'unknown', why: messageOf(error).slice(0, 200) };
  }
}
