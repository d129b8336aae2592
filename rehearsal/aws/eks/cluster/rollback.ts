/** When a cluster may go back to the minor it came from, and what stands in the way (EKS user guide, "Roll back a cluster", 2026). */
import { AUTO_MODE_LABELS, forbidsDrift, isMarked } from '../../../controllers/auto-mode.ts';
import { kubeletMinor } from '../../../controllers/nodes.ts';
import { paramOf } from '../../../world/api-server.ts';
import type { World } from '../../../world/world.ts';
import { minorOf } from '../catalogue.ts';
import { invalidRequest, invalidState } from '../errors.ts';
import type { EksInsight, EksUpdate } from '../state.ts';

const DAY_MS = 24 * 3_600_000;
const WINDOW_DAYS = 7;

/** The upgrade that brought the cluster where it is, if the last change of version was one. */
function lastHop(world: World): EksUpdate | undefined {
  const last = world.eks.updates
    .filter((u) => u.resource.kind === 'cluster' && u.status === 'Successful' && /^Version(Update|Rollback)$/.test(u.type))
    .toSorted((a, b) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0))
    .at(-1);
  return last?.type === 'VersionUpdate' && paramOf(last, 'Version') === world.eks.cluster.version ? last : undefined;
}

/** The minor that the last hop came from, whether or not the window is still open. Undefined for a cluster that was made at its version, or rolled back. */
export function rolledUpFrom(world: World): string | undefined {
  return lastHop(world) === undefined ? undefined : `1.${minorOf(world.eks.cluster.version) - 1}`;
}

const closesMs = (hop: EksUpdate): number => (hop.endedAtMs ?? 0) + WINDOW_DAYS * DAY_MS;

/** True for seven days after the last hop ended. */
export function rollbackOpen(world: World): boolean {
  const hop = lastHop(world);
  return hop !== undefined && world.clock.nowMs() < closesMs(hop);
}

/** Throws as EKS does where a rollback may not begin. Forcing waives readiness, never a condition. */
export function refuseRollback(world: World, version: string, { force }: { force: boolean }): void {
  const { cluster, versions } = world.eks;
  const members = { clusterName: cluster.name };
  const hop = lastHop(world);
  if (hop === undefined || !rollbackOpen(world)) {
    const until = hop === undefined ? '' : ` It closed at ${new Date(closesMs(hop)).toISOString()}.`;
    throw invalidRequest(
      `Cluster ${cluster.name} cannot be rolled back to ${version}: the ${WINDOW_DAYS}-day rollback window is closed.${until}`,
      members,
    );
  }
  const offered = versions.find((v) => v.version === version);
  const today = world.clock.now().toISOString().slice(0, 10);
  if (offered !== undefined && today > offered.endOfStandardSupport && cluster.supportType !== 'EXTENDED')
    throw invalidRequest(
      `Cluster ${cluster.name} cannot be rolled back to ${version}, which is in extended support: set the upgrade policy to EXTENDED first.`,
      members,
    );
  const blocking = rollbackReadiness(world, version).filter(({ status }) => status === 'ERROR' || status === 'UNKNOWN');
  if (blocking.length > 0 && !force)
    throw invalidState(`EKS detected rollback readiness issues: ${blocking.map(({ reason }) => reason).join(' ')}`, members);
}

type Readiness = Pick<EksInsight, 'name' | 'recommendation' | 'status' | 'reason' | 'resources' | 'addOnCompatibility'>;

/** What ROLLBACK_READINESS insights say of going back to a minor: nodes first, then add-ons, then the control plane. */
export function rollbackReadiness(world: World, version: string): Readiness[] {
  return [kubelets(world, version), addOns(world, version), ...(world.eks.cluster.autoMode ? [autoModeNodes(world)] : [])];
}

/** EKS itself takes the nodes of Auto Mode back. */
function kubelets(world: World, version: string): Readiness {
  const insight = {
    name: 'Kubelet version rollback compatibility',
    recommendation: `Roll back node groups and self-managed nodes to ${version} before the control plane.`,
  };
  const newer = world.store
    .list('nodes')
    .filter((n) => n.metadata.labels?.['eks.amazonaws.com/compute-type'] !== 'auto' && minorOf(kubeletMinor(n)) > minorOf(version));
  if (newer.length === 0) return { ...insight, status: 'PASSING', reason: `No node runs a kubelet newer than ${version}.` };
  return {
    ...insight,
    status: 'ERROR',
    reason: `${newer.length} ${newer.length === 1 ? 'node runs' : 'nodes run'} a kubelet newer than ${version}.`,
    resources: newer.map((n) => ({ status: 'ERROR', kubernetesResourceUri: `/api/v1/nodes/${n.metadata.name}` })),
  };
}

/** What would hold a node of Auto Mode for ever: EKS honours it even where the rollback is forced. */
function autoModeNodes(world: World): Readiness {
  const insight = {
    name: 'EKS Auto Mode node rollback readiness',
    recommendation: 'Remove NodePool disruption budgets of 0 and do-not-disrupt annotations from nodes before the rollback.',
  };
  const pools = world.store.list('nodepools').filter((pool) => forbidsDrift(world, pool));
  const nodes = world.store.list('nodes', { labels: AUTO_MODE_LABELS }).filter(isMarked);
  if (pools.length === 0 && nodes.length === 0) return { ...insight, status: 'PASSING', reason: 'Nothing holds nodes of EKS Auto Mode.' };
  const words = [
    ...(pools.length === 0
      ? []
      : [`NodePools whose budgets allow no disruption: ${pools.map(({ metadata }) => metadata.name).join(', ')}.`]),
    ...(nodes.length === 0 ? [] : [`Nodes that must not be disrupted: ${nodes.length}.`]),
  ];
  return {
    ...insight,
    status: 'ERROR',
    reason: words.join(' '),
    resources: [
      ...pools.map(({ metadata }) => `/apis/karpenter.sh/v1/nodepools/${metadata.name}`),
      ...nodes.map(({ metadata }) => `/api/v1/nodes/${metadata.name}`),
    ].map((kubernetesResourceUri) => ({ status: 'ERROR', kubernetesResourceUri })),
  };
}

function addOns(world: World, version: string): Readiness {
  const insight = {
    name: 'EKS add-on version rollback compatibility',
    recommendation: `Update the installed EKS add-ons to versions that Kubernetes ${version} supports.`,
  };
  const { addOnCatalogue } = world.eks;
  const unfit = world.eks.addOns.filter(({ name, version: installed }) => {
    const offered = addOnCatalogue[name]?.find((v) => v.version === installed);
    return offered !== undefined && !offered.minors.includes(version);
  });
  if (unfit.length === 0)
    return { ...insight, status: 'PASSING', reason: `All installed EKS add-on versions support Kubernetes ${version}.` };
  return {
    ...insight,
    status: 'ERROR',
    reason: `Add-on versions that Kubernetes ${version} does not support: ${unfit.map((a) => `${a.name} ${a.version}`).join(', ')}.`,
    addOnCompatibility: unfit.map(({ name }) => ({
      name,
      compatibleVersions: (addOnCatalogue[name] ?? []).filter((v) => v.minors.includes(version)).map((v) => v.version),
    })),
  };
}
