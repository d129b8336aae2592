/** Planning: the cluster's policy, and the plan made from what inspection reads now. */
import { oneLook } from '../../kubernetes/objects/shared-lists.ts';
import type { OrderVerdict, PlanOrder } from '../../../domain/policy/environments.ts';
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import { amiMoves, classesInUse, promotionFor, unpromoted } from '../../../domain/plan/karpenter/ami-changes.ts';
import { planUpgrade } from '../../../domain/plan/plan-upgrade.ts';
import type { TriedCheck } from '../../../domain/health/checks.ts';
import type { CampaignPolicy } from '../../../domain/policy/campaigns.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { promotedAliases } from '../../../domain/policy/ami-promotion.ts';
import { PLAN_CHECKS, planFacts } from '../../../domain/readiness/plan-facts.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import {
  formatKubernetesVersion,
  type KubernetesVersion,
  minorsBetween,
  parseKubernetesVersion,
  tryKubernetesVersion,
} from '../../../domain/core/version.ts';
import type { ClusterClients, ClusterDeps } from '../../clients/clusters.ts';
import type { PlanningActivities } from '../../contract/belay-activities.ts';
import { currentSignal } from '../../runtime/context.ts';
import { learnFromRecords } from '../records/learn-durations.ts';
import { tryChecks } from '../../observe/health/baseline.ts';
import { inspectCluster } from '../../observe/inspect/inspect-cluster.ts';
import { readPromotion } from '../../observe/inspect/promotion.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { readAmiHolds } from '../../karpenter/amis/hold-amis.ts';
import type { ClusterPorts } from '../../contract/ports.ts';
import type { RecordStore } from '../../contract/records.ts';
import { readAmiBuilds } from '../../karpenter/amis/ami-builds.ts';
import { gatherEvidence } from '../../observe/readiness/gather.ts';
import { see, transientByAttempt } from '../../runtime/see.ts';
import { ownCluster, type OwnPod } from './own-cluster.ts';
import { readPlanForecast } from './plan-forecast.ts';
import { createRecentPlans } from './recent-plans.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { WindowActivities } from '../../contract/windows.ts';
import { windowsOfPlan } from '../windows/of-plan.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface PlanningDeps extends ClusterDeps, Pick<ClusterClients, 'account'> {
  policyOf(clusterName: string): UpgradePolicy;
  /** By belay.yaml as it is now; throws for a campaign that it does not name. Absent: this process works on no campaigns. */
  campaignOf?(name: string): { campaign: Pick<CampaignPolicy, 'notify'> };
  store: Pick<RecordStore, 'newest' | 'read'>;
  /** Search attributes that the namespace lacks. */
  missingSearchAttributes?: () => readonly string[];
  windows: Pick<WindowActivities, 'judgeOrder'>;
  /** Where this process runs; undefined: it is no worker, so nothing depends on it. */
  pod?: OwnPod;
}

export function createPlanningActivities(deps: PlanningDeps): PlanningActivities {
  const recent = createRecentPlans();
  return {
    async loadPolicy({ cluster, campaign }) {
      try {
        const missing = deps.missingSearchAttributes?.() ?? [];
        return {
          ...deps.policyOf(cluster.name),
          ...(campaign !== undefined && isQuiet(deps, campaign) ? { quiet: true as const } : {}),
          ...(missing.length === 0 ? {} : { missingSearchAttributes: [...missing] }),
        };
      } catch (error) {
        throw failureOf('Configuration', messageOf(error), { cause: error });
      }
    },

    async makePlan({ cluster, target, strategy, policy, shown }) {
      const question = { cluster, target, strategy, policy };
      const known = shown === true ? recent.take(question) : undefined;
      if (known !== undefined) return known;
      const refused = new AbortController();
      let tried: Promise<TriedCheck[] | undefined> = Promise.resolve(undefined);
      const facts = await heartbeating(`inspecting ${cluster.name}`, () =>
        readFacts(deps, cluster, policy, target, (ports, inspected) => {
          // Beside all else that is read: a check is tried for a while, and a plan waits for none of them.
          tried = tryChecks(ports, policy.health, inspected, { signal: AbortSignal.any([currentSignal(), refused.signal]) });
          tried.catch(() => {});
        }),
      );
      const learnt = await learnFromRecords(deps, policy);
      const result = planUpgrade(facts, { target, strategy, policy, now: facts.readAt, ...learnt });
      if (result.kind === 'refused') {
        refused.abort();
        return result;
      }
      const windows = windowsOfPlan(result.plan, policy.windows, facts.readAt);
      const order = await heartbeating('judging the order of environments', () => orderOf(deps, policy, result.plan.to));
      const health = await heartbeating(`trying the health checks of ${cluster.name}`, () => tried);
      const forecast = await readPlanForecast(deps.store, result.plan, facts.readAt);
      const { identity } = facts.controlPlane;
      const planned = {
        ...result,
        ...defined({ identity, windows, order, health, forecast }),
      };
      recent.keep(question, planned);
      return planned;
    },

    async readPromotion({ cluster, to, policy }) {
      const facts = await heartbeating(`inspecting ${cluster.name}`, () => readFacts(deps, cluster, policy, to));
      const ready = new Set(
        classesInUse(facts).flatMap(({ nodeClass }) => (promotionFor(facts, policy, nodeClass)?.kind === 'ready' ? [nodeClass.name] : [])),
      );
      const moves = amiMoves(facts, policy, to);
      return { moves: moves.filter(({ nodeClass }) => ready.has(nodeClass)), unpromoted: unpromoted(facts, policy, moves) };
    },
  };
}

/** What cannot be judged is said: the run itself asks people about it. */
/** What nobody has asked to be quiet is not. */
function isQuiet(deps: PlanningDeps, name: string): boolean {
  try {
    const found = deps.campaignOf?.(name);
    return found !== undefined && (found.campaign.notify ?? 'exceptions') === 'exceptions';
  } catch {
    return false;
  }
}

async function orderOf({ windows }: PlanningDeps, policy: UpgradePolicy, target: string): Promise<PlanOrder | undefined> {
  const { after, cluster } = policy;
  if (after === undefined) return undefined;
  const onTransient = transientByAttempt();
  const judged = await see('judging the order of environments', () => windows.judgeOrder({ cluster, target, after }), onTransient);
  const verdict: OrderVerdict = judged.ok ? judged.value : { status: 'unknown', lines: [judged.unseen.why] };
  return { environment: after.environment, bakedDays: after.bakedDays, ...verdict };
}

/** Everything that a plan to `target` is made from. */
async function readFacts(
  deps: PlanningDeps,
  cluster: ClusterRef,
  policy: UpgradePolicy,
  target: string,
  inspectedFirst: (ports: ClusterPorts, inspected: ClusterFacts) => void = () => {},
): Promise<ClusterFacts> {
  const [aws, ports] = [deps.aws(cluster), oneLook(await deps.clusterPorts(cluster))];
  const onTransient = transientByAttempt();
  const inspected = await inspectCluster({ aws, ports, account: deps.account(cluster), ref: cluster, onTransient });
  inspectedFirst(ports, inspected);
  const reading = {
    aws,
    account: deps.account(cluster),
    kubernetes: ports.kubernetes,
    ref: cluster,
    timing: policy.timing,
    onTransient,
  } as const;
  const now = parseKubernetesVersion(inspected.controlPlane.version);
  const wanted = tryKubernetesVersion(target);
  const minors = wanted === undefined ? [] : minorsOnTheWay(now, wanted);
  const { promoteFrom, amis: given = {} } = policy.karpenter;
  const promotion = promoteFrom === undefined ? undefined : await readPromotion(deps, promoteFrom, onTransient);
  const named = [...Object.values(given).flat(), ...promotedAliases(promotion ?? [], promoteFrom?.bakedDays ?? 0)].filter((text) =>
    text.includes('@'),
  );
  const builds = await see('looking up AMIs', () => readAmiBuilds(reading.account, ports.kubernetes, minors, named), onTransient);
  const amis = builds.ok ? { amiBuilds: builds.value } : { amiBuildsUnseen: builds.unseen.why };
  const amiHolds =
    policy.karpenter.holdAmis === true && inspected.karpenter !== undefined ? await readAmiHolds(ports.kubernetes) : undefined;
  const seen = {
    ...inspected,
    ...(await workerFacts(deps, ports, inspected, policy)),
    ...defined({ amiHolds }),
    ...amis,
    ...defined({ promotion }),
  };
  return { ...seen, ...planFacts(await gatherEvidence({ ...reading, target: now, checks: PLAN_CHECKS })) };
}

/** A worker on the cluster itself is replaced with its node, in the middle of its own work. */
async function workerFacts(
  { pod }: PlanningDeps,
  { kubernetes }: ClusterPorts,
  { controlPlane: { identity } }: ClusterFacts,
  policy: UpgradePolicy,
): Promise<Pick<ClusterFacts, 'workerOnCluster' | 'workerPlaceUnknown'>> {
  const own = pod === undefined ? undefined : await ownCluster(pod, { kubernetes, ...defined({ identity }) });
  if (own?.kind === 'unknown') return { workerPlaceUnknown: own.why };
  return own?.kind === 'same' ? { workerOnCluster: { allowed: policy.allowWorkerOnCluster === true } } : {};
}

/** Of a control plane that is there already: its own minor. */
function minorsOnTheWay(now: KubernetesVersion, wanted: KubernetesVersion): string[] {
  const ahead = minorsBetween(now, wanted).slice(1).map(formatKubernetesVersion);
  return ahead.length === 0 ? [formatKubernetesVersion(wanted)] : ahead;
}
