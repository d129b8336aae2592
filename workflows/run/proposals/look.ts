/** One look: what all clusters run and EKS offers them, and what is new of what is due. */
import { isCancellation } from '@temporalio/workflow';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { CampaignProposal, Looked, ProposalFacts, ProposedCampaign } from '../../../domain/run/proposals/proposal.ts';
import { planCampaign } from '../../requests/plan-campaign.ts';
import { campaignActivities, configActivities } from '../../runtime/activity-proxies.ts';
import { messageOf } from '../../runtime/root-cause.ts';

export interface ProposalSettings {
  /** ISO 8601 */
  nextAt: string;
  policy: UpgradePolicy;
  clusters: ClusterRef[];
}

/** Clusters of one activity. */
const PART = 50;
/** Activities at the same time. */
const AT_ONCE = 20;
/** Campaigns of one target that are planned for their proposal. */
const PLANNED = 5;

type Read = Parameters<typeof campaignActivities.judgeProposals>[0]['read'][number];

/** What cannot be read says why, and hides nothing else. */
export async function lookAtClusters(clusters: readonly ClusterRef[]): Promise<Looked> {
  const waiting = partsOf(clusters);
  const read: Read[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) read.push(await readPart(next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  try {
    const { looked } = await campaignActivities.judgeProposals.executeWithOptions({ summary: 'What is due' }, [{ read }]);
    return looked;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { kind: 'unread', why: [messageOf(error)] };
  }
}

/** Of one region, account and network each: EKS offers a version region by region. */
function partsOf(clusters: readonly ClusterRef[]): ClusterRef[][] {
  const places = Map.groupBy(clusters, ({ account, region, network = '' }) => `${account}/${region}/${network}`);
  return [...places.values()].flatMap((place) =>
    Array.from({ length: Math.ceil(place.length / PART) }, (_, part) => place.slice(part * PART, (part + 1) * PART)),
  );
}

async function readPart(clusters: ClusterRef[]): Promise<Read> {
  const { account = '', region = '' } = clusters[0] ?? {};
  const summary = `Read the versions of ${clusters.length} clusters of ${account} in ${region}`;
  try {
    return { account, region, ...(await campaignActivities.readVersions.executeWithOptions({ summary }, [{ clusters }])) };
  } catch (error) {
    if (isCancellation(error)) throw error;
    const why = messageOf(error);
    const readAt = new Date().toISOString();
    return { account, region, readAt, clusters: clusters.map(({ name }) => ({ name, why })), offered: [], whyNotOffered: why };
  }
}

/** With the campaign that belay.yaml has for each, and its plan; or with what could be written there. */
export async function describeProposals(due: readonly ProposalFacts[]): Promise<CampaignProposal[]> {
  const described: CampaignProposal[] = [];
  for (const facts of due) {
    const { campaigns, snippet } = await configActivities.describeProposal.executeWithOptions({ summary: `Campaigns to ${facts.target}` }, [
      { facts },
    ]);
    const planned: ProposedCampaign[] = [];
    for (const name of campaigns.slice(0, PLANNED)) planned.push(await planOf(name));
    const unplanned = campaigns.slice(PLANNED).map((name) => ({ name, why: `only the first ${PLANNED} campaigns are planned here` }));
    described.push({ ...facts, campaigns: [...planned, ...unplanned], ...defined({ snippet }) });
  }
  return described;
}

async function planOf(name: string): Promise<ProposedCampaign> {
  try {
    const { hash, rings, problems } = await planCampaign({ campaign: name, readiness: false });
    const clusterCount = rings.flatMap(({ members }) => members.filter(({ verdict }) => verdict.kind === 'upgrade')).length;
    return { name, plan: { hash, ringCount: rings.length, clusterCount, problems: problems.slice(0, 3) } };
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { name, why: messageOf(error).slice(0, 200) };
  }
}
