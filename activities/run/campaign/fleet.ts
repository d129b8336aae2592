/** What is known of the clusters of a campaign, and its plan. */
import type { CampaignPolicy } from '../../../domain/policy/campaigns.ts';
import { deliveriesOfSome } from '../../../domain/policy/deliveries.ts';
import { exclusionOf, ringsFor } from '../../../domain/plan/campaign/select.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';
import { field, isRecord, messageOf, textField } from '../../../domain/core/unknown.ts';
import { tryMinorDistance } from '../../../domain/core/version.ts';
import { limitsOf, planCampaign } from '../../../domain/plan/campaign/plan-campaign.ts';
import { type FleetMember, memberKey } from '../../../domain/plan/campaign/types.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { PastUpgrade } from '../../../domain/run/durations/learn.ts';
import { isWorkedBeside, waitedMs } from '../../../domain/run/durations/waits.ts';
import { isListed } from '../../../domain/run/fleet.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import type { ClusterDeps } from '../../clients/clusters.ts';
import type { CampaignActivities } from '../../contract/campaign.ts';
import type { RecordStore } from '../../contract/records.ts';
import { listAddonNames } from '../../observe/inspect/add-ons.ts';
import { listOfferedVersions } from '../../observe/inspect/eks.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { isPastUpgrade } from '../records/learn-durations.ts';
import { failureOf, translateError } from '../../runtime/translate-errors.ts';
import type { CampaignRuns } from './runs.ts';

export interface FleetDeps extends Pick<ClusterDeps, 'aws'> {
  /** belay.yaml as it is now; both throw for what it does not name. */
  campaignOf(name: string): { campaign: CampaignPolicy; policies: readonly UpgradePolicy[] };
  store: Pick<RecordStore, 'newest'>;
  runs: Pick<CampaignRuns, 'owners'>;
  now?: () => string;
}

/** Records that are looked at for how long upgrades of a cluster take. */
const RECORDS = 20;
const MAX_WHY = 200;

export function createFleetActivities(deps: FleetDeps): Pick<CampaignActivities, 'loadCampaign' | 'readFleet' | 'planCampaign'> {
  const { aws, now = () => new Date().toISOString() } = deps;
  return {
    async loadCampaign({ campaign: name }) {
      const { campaign, policies } = configured(() => deps.campaignOf(name));
      const [first] = policies;
      if (first === undefined) throw failureOf('Configuration', 'belay.yaml names no cluster');
      const { deliveries: _ofFirst, ...shared } = first;
      const deliveries = deliveriesOfSome(policies.filter((each) => ringsFor(campaign, each).length > 0));
      const policy: UpgradePolicy = {
        ...shared,
        ...(deliveries.length === 0 ? {} : { deliveries }),
        approvals: campaign.approvals,
        environment: `campaign ${name}`,
        // As it holds for all: what one cluster says of its own gates and hours is not said of the others.
        ...defined({ channel: campaign.channel, timing: campaign.timing, windows: campaign.windows }),
      };
      return {
        target: campaign.target,
        policy,
        // By what belay.yaml says of them; tags are EKS's to say.
        clusters: policies.map(({ cluster, environment }) => ({
          cluster,
          environment,
          rings: ringsFor(campaign, { cluster, environment }),
          ...(exclusionOf(campaign, cluster, now().slice(0, 10)) === undefined ? {} : { excluded: true as const }),
        })),
        rings: campaign.rings,
        limits: limitsOf(campaign),
        covering: campaign.rings.flatMap(({ name: ring, coversStart }) => (coversStart ? [ring] : [])),
      };
    },

    async readFleet({ clusters, target }) {
      const offers = new Map<string, Promise<boolean | undefined>>();
      const offered = (ref: ClusterRef): Promise<boolean | undefined> => {
        const key = `${ref.account}/${ref.region}`;
        const asked = offers.get(key) ?? isOffered(aws, ref, target);
        offers.set(key, asked);
        return asked;
      };
      return {
        members: await someAtOnce(clusters, async (ref) => ({
          ...(await memberOf(aws, ref)),
          ...defined({ offered: await offered(ref) }),
        })),
      };
    },

    async planCampaign({ campaign: name, fleet }) {
      const { campaign } = configured(() => deps.campaignOf(name));
      const owners = await deps.runs.owners();
      const known = await someAtOnce(fleet, async (member) => {
        const owner = owners[memberKey(member.cluster)];
        return { ...member, ...defined({ owner, p90Ms: await p90Of(deps.store, member.cluster) }) };
      });
      return planCampaign(campaign, known, now());
    },
  };
}

function configured<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw failureOf('Configuration', messageOf(error), { cause: error });
  }
}

/** What cannot be read says why. */
async function memberOf(aws: FleetDeps['aws'], ref: ClusterRef): Promise<Omit<FleetMember, 'environment' | 'offered'>> {
  try {
    const { version, tags, upgradePolicy, computeConfig } = await describeCluster(aws(ref), ref);
    const addOns = await listAddonNames(aws(ref), ref).catch(() => undefined);
    const kinds =
      addOns === undefined
        ? undefined
        : [...addOns.map((name) => `add-on ${name}`), ...(computeConfig?.enabled === true ? ['EKS Auto Mode'] : [])];
    const { supportType } = upgradePolicy ?? {};
    return {
      cluster: ref,
      ...defined({ version, kinds, tags: tags ?? {}, supportType }),
      ...(version === undefined ? { why: 'EKS names no version' } : {}),
    };
  } catch (error) {
    return { cluster: ref, why: translateError(error, `reading ${ref.name}`).message.slice(0, MAX_WHY) };
  }
}

/** undefined: it could not be read. */
async function isOffered(aws: FleetDeps['aws'], ref: ClusterRef, target: string): Promise<boolean | undefined> {
  try {
    const offered = await listOfferedVersions(aws(ref));
    return offered.length === 0 ? undefined : isListed(target, offered);
  } catch {
    return undefined;
  }
}

/** Of recorded upgrades that came to their end, for one minor and without what people took at gates: nine of ten were no longer. */
export async function p90Of(store: Pick<RecordStore, 'newest'>, cluster: ClusterRef): Promise<number | undefined> {
  const records = await store.newest(RECORDS, cluster).catch(() => []);
  const lengths = records.flatMap((record) => lengthIn(record, cluster)).toSorted((a, b) => a - b);
  return lengths[Math.ceil(lengths.length * 0.9) - 1];
}

function lengthIn(record: unknown, cluster: ClusterRef): number[] {
  const report = field(record, 'report');
  const status = field(report, 'status');
  const isMeant = field(report, 'outcome') === 'completed' && field(status, 'undoes') === undefined;
  const of = field(status, 'cluster');
  if (!isMeant || !isRecord(of) || !isSame(of, cluster)) return [];
  const minors = tryMinorDistance(textField(status, 'from'), textField(status, 'to')) ?? 0;
  const span = { fromMs: Date.parse(textField(status, 'startedAt') ?? ''), toMs: Date.parse(textField(status, 'endedAt') ?? '') };
  const lengthMs = span.toMs - span.fromMs - (isPastUpgrade(record) ? peopleTookMs(record, span) : 0);
  return lengthMs > 0 && minors > 0 ? [Math.round(lengthMs / minors)] : [];
}

/** Until a window opens is no time of people, but of belay.yaml. */
function peopleTookMs({ report: { decisions, status } }: PastUpgrade, span: { fromMs: number; toMs: number }): number {
  try {
    const gates = decisions.filter(({ gate }) => gate.byItself !== true && !isWorkedBeside(gate.id));
    return waitedMs(
      gates,
      span,
      status.steps.flatMap(({ held = [] }) => held),
    );
  } catch {
    // Of a release that wrote its gates otherwise.
    return 0;
  }
}

/** Two clusters may have one name. */
const isSame = (of: Record<string, unknown>, { account, region, name }: ClusterRef): boolean =>
  of['name'] === name && of['account'] === account && of['region'] === region;
