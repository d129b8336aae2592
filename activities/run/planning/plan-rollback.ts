/** The way back: what is read for its plan and its checks. */
import { backFindings, isUnderWay } from '../../../domain/plan/rollback/findings.ts';
import { nodesAhead } from '../../../domain/plan/rollback/nodes.ts';
import { planRollback } from '../../../domain/plan/rollback/plan-rollback.ts';
import type { PlanResult } from '../../../domain/plan/model/types.ts';
import type { SeenForBack } from '../../../domain/plan/rollback/evidence.ts';
import type { ClusterFacts, KarpenterFact } from '../../../domain/facts/facts.ts';
import { parseStepId } from '../../../domain/core/phases.ts';
import type { Timing } from '../../../domain/policy/policy.ts';
import { parseKubernetesVersion } from '../../../domain/core/version.ts';
import { report } from '../../observe/checks/catalogue.ts';
import { checkExpectedVersion } from '../../observe/checks/control-plane.ts';
import type { ClusterClients, ClusterDeps } from '../../clients/clusters.ts';
import type { RollbackPlanActivities } from '../../contract/belay-activities.ts';
import { readRollbackWindow } from '../../eks/rollback-window.ts';
import { inspectCluster } from '../../observe/inspect/inspect-cluster.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { readAmiHolds } from '../../karpenter/amis/hold-amis.ts';
import { readFargateBack } from '../../eks/fargate/workload-owners.ts';
import { readNewerApis } from '../../observe/readiness/kubernetes/newer-apis.ts';
import type { ClusterPorts, KubernetesPort } from '../../contract/ports.ts';
import { oneLook } from '../../kubernetes/objects/shared-lists.ts';
import { readAmiBuilds } from '../../karpenter/amis/ami-builds.ts';
import type { RecordStore } from '../../contract/records.ts';
import { readAllInsights } from '../../observe/readiness/aws/insights.ts';
import { see, transientByAttempt } from '../../runtime/see.ts';
import { planUndoOf, undoOptionsOf } from './plan-undo.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

type Deps = ClusterDeps & Pick<ClusterClients, 'account'> & { store: Pick<RecordStore, 'newest' | 'read'> };

export function createRollbackPlanActivities(deps: Deps): Omit<RollbackPlanActivities, 'captureRollbackPoint'> {
  return {
    planRollback: ({ cluster, policy, undo }) =>
      heartbeating(`inspecting ${cluster.name} for a rollback`, async () => {
        if (undo !== undefined) {
          const asked = await askedOf(deps, cluster);
          return identified(await planUndoOf({ ...deps, ...asked, policy }, undo), asked.facts);
        }
        const { facts, seen } = await look(deps, cluster);
        return identified(planRollback(facts, seen, policy), facts);
      }),

    listUndo: ({ cluster, policy }) =>
      heartbeating(`inspecting ${cluster.name} for what can be undone`, async () => ({
        options: await undoOptionsOf({ ...deps, ...(await askedOf(deps, cluster)), policy }),
      })),

    checkWayBack: ({ cluster, timing, to, policy, later = [] }) =>
      heartbeating(`checking the way of ${cluster.name} back to ${to}`, async () => {
        const { facts, seen: looked } = await look(deps, cluster);
        const seen = await askEks(deps, { ref: cluster, timing, facts, seen: looked });
        const phases = later.map((step) => parseStepId(step).phase);
        const { version } = facts.controlPlane;
        // A retry of the step may find that it is there already.
        if (version === to) return report([checkExpectedVersion(version, [to])]);
        return report(backFindings({ facts, seen, backTo: parseKubernetesVersion(to), policy, later: phases }));
      }),
  };
}

function identified(result: PlanResult, { controlPlane: { identity } }: ClusterFacts): PlanResult {
  return result.kind === 'plan' && identity !== undefined ? { ...result, identity } : result;
}

async function askedOf(deps: Deps, ref: ClusterRef) {
  const ports = oneLook(await deps.clusterPorts(ref));
  return { aws: deps.aws(ref), account: deps.account(ref), kubernetes: ports.kubernetes, facts: await inspect(deps, ref, ports) };
}

interface Looked {
  facts: ClusterFacts;
  seen: SeenForBack;
}

/** Everything but EKS's own judgement. */
async function look(deps: Deps, ref: ClusterRef): Promise<Looked> {
  const aws = deps.aws(ref);
  const { back } = await readRollbackWindow(aws, { cluster: ref });
  const ports = oneLook(await deps.clusterPorts(ref));
  const facts = await inspect(deps, ref, ports);
  if (back.kind === 'none' || (back.kind === 'closed' && !isUnderWay(facts, parseKubernetesVersion(back.window.backTo))))
    return { facts, seen: { back } };
  const minor = back.window.backTo;
  const newerApis = await readNewerApis(ports.kubernetes, parseKubernetesVersion(back.window.at), transientByAttempt());
  const seen: SeenForBack = { back, newerApis, ...(await fargateFor(facts, ports.kubernetes, minor)) };
  if (facts.karpenter === undefined) return { facts, seen };
  const images = await imagesFor(deps, ref, ports.kubernetes, { karpenter: facts.karpenter, minor });
  return { facts: { ...facts, ...images }, seen };
}

/** What runs on Fargate, where a node of it is newer. */
async function fargateFor(facts: ClusterFacts, kubernetes: KubernetesPort, minor: string): Promise<Pick<SeenForBack, 'fargate'>> {
  const isNewer = nodesAhead(facts, parseKubernetesVersion(minor)).some(({ owner }) => owner === 'fargate');
  if (!isNewer) return {};
  const read = await see('reading what runs on Fargate', () => readFargateBack(kubernetes, minor), transientByAttempt());
  return { fargate: read.ok ? read.value : read.unseen.why };
}

/** Images of the older minor behind the aliases of node classes, and those that nodes run. */
async function imagesFor(
  deps: Deps,
  ref: ClusterRef,
  kubernetes: KubernetesPort,
  { karpenter, minor }: { karpenter: KarpenterFact; minor: string },
): Promise<Pick<ClusterFacts, 'amiBuilds' | 'amiBuildsUnseen' | 'amiHolds'>> {
  const aliases = karpenter.nodeClasses.flatMap(({ alias }) => alias ?? []);
  if (aliases.length === 0) return {};
  const amiHolds = await readAmiHolds(kubernetes);
  const builds = await see('looking up AMIs', () => readAmiBuilds(deps.account(ref), kubernetes, [minor], aliases), transientByAttempt());
  return { amiHolds, ...(builds.ok ? { amiBuilds: builds.value } : { amiBuildsUnseen: builds.unseen.why }) };
}

async function inspect(deps: Deps, ref: ClusterRef, ports: ClusterPorts): Promise<ClusterFacts> {
  return inspectCluster({ aws: deps.aws(ref), ports, account: deps.account(ref), ref, onTransient: transientByAttempt() });
}

/** They exist for as long as there is a way back, and decide nothing once EKS is on it. */
async function askEks(deps: Deps, { ref, timing, facts, seen }: { ref: ClusterRef; timing: Timing } & Looked): Promise<SeenForBack> {
  if (seen.back.kind !== 'open' || isUnderWay(facts, parseKubernetesVersion(seen.back.window.backTo))) return seen;
  const insights = await see('reading the insights', () => readAllInsights({ aws: deps.aws(ref), ref, timing }), transientByAttempt());
  return { ...seen, insights: insights.ok ? insights.value.insights : insights.unseen.why };
}
