/** Computes EKS's upgrade insights from the world when a refresh ends. */
import { minorOf } from '../aws/eks/catalogue.ts';
import { deprecationsFor } from '../aws/eks/cluster/removed-apis.ts';
import { addOnArn, clusterArn, uuidOf } from '../aws/eks/render.ts';
import { rollbackOpen, rollbackReadiness, rolledUpFrom } from '../aws/eks/cluster/rollback.ts';
import type { EksInsight } from '../aws/eks/state.ts';
import type { Controller, World } from '../world/world.ts';
import { ADD_ON_PARTS } from './add-on-workloads.ts';
import { kubeletMinor } from './nodes.ts';

/** Kubelets and kube-proxy may be this many minors behind the API server. */
const SKEW_LIMIT = 3;
export const HYBRID_LABELS = { 'eks.amazonaws.com/compute-type': 'hybrid' };

export function createInsights(): Controller {
  let computedForMs: number | undefined;
  return {
    name: 'insights',
    everyMs: 5_000,
    tick(world) {
      const refresh = world.eks.insightsRefresh;
      if (refresh === undefined || refresh.endsMs > world.clock.nowMs() || computedForMs === refresh.endsMs) return;
      if (world.faults.inForce('eks:insight-stale')) return;
      computedForMs = refresh.endsMs;
      const unknown = world.faults.takes('eks:insight-unknown') !== undefined;
      world.eks.insights = computeInsights(world).map((insight) => (unknown ? { ...insight, status: 'UNKNOWN' } : insight));
    },
  };
}

type Verdict = Pick<EksInsight, 'status' | 'reason' | 'resources' | 'addOnCompatibility' | 'deprecations'>;

/** A status that did not change keeps the time of its last transition. */
function computeInsights(world: World): EksInsight[] {
  return [...upgradeInsights(world), ...configurationInsights(world), ...rollbackInsights(world)].map((insight) => {
    const before = world.eks.insights.find(({ id }) => id === insight.id);
    const same = before?.status === insight.status;
    return { ...insight, lastTransitionMs: same ? (before.lastTransitionMs ?? before.lastRefreshMs) : insight.lastRefreshMs };
  });
}

/** They are there for the seven days in which a rollback is possible. */
function rollbackInsights(world: World): EksInsight[] {
  const version = rolledUpFrom(world);
  if (version === undefined || !rollbackOpen(world)) return [];
  return rollbackReadiness(world, version).map((readiness) => ({
    id: uuidOf(`${world.eks.cluster.name}/rollback/${readiness.name}`),
    category: 'ROLLBACK_READINESS',
    kubernetesVersion: version,
    lastRefreshMs: world.clock.nowMs(),
    ...readiness,
  }));
}

/** EKS looks at the set-up of hybrid nodes only (EKS user guide, "View cluster insights"). */
function configurationInsights(world: World): EksInsight[] {
  const hybrid = world.store.list('nodes', { labels: HYBRID_LABELS });
  if (hybrid.length === 0) return [];
  const networks = world.eks.cluster.remoteNodeNetworks ?? [];
  const verdict: Verdict =
    networks.length > 0
      ? { status: 'PASSING', reason: 'The cluster knows the networks of its hybrid nodes.' }
      : {
          status: 'ERROR',
          reason: 'The cluster has hybrid nodes and no remote node network: the control plane cannot reach their kubelets.',
          resources: hybrid.map((n) => ({ status: 'ERROR', kubernetesResourceUri: `/api/v1/nodes/${n.metadata.name}` })),
        };
  const name = 'Remote node networks of hybrid nodes';
  const recommendation = 'Add the CIDRs of your hybrid nodes to remoteNetworkConfig.';
  return [insightOf(world, { category: 'MISCONFIGURATION', name, recommendation, ...verdict })];
}

/** Readiness for the next minor. */
function upgradeInsights(world: World): EksInsight[] {
  const next = `1.${minorOf(world.eks.cluster.version) + 1}`;
  const removals = removalsIn(next);
  const checks: [name: string, recommendation: string, verdict: Verdict][] = [
    [removals.name, removals.recommendation, deprecatedApis(world, next)],
    [
      'Kubelet version skew',
      'Upgrade your worker nodes to match the Kubernetes version of your cluster control plane.',
      kubeletSkew(world, next),
    ],
    [
      'kube-proxy version skew',
      'Update kube-proxy to match the Kubernetes version of your cluster control plane.',
      kubeProxySkew(world, next),
    ],
    ['Cluster health issues', 'Resolve the cluster health issues before upgrading.', clusterHealth(world)],
    [
      'EKS add-on version compatibility',
      `Update the installed EKS add-ons to versions that Kubernetes v${next} supports.`,
      addOnCompatibility(world, next),
    ],
  ];
  const own = checks.map(([name, recommendation, verdict]) =>
    insightOf(world, { category: 'UPGRADE_READINESS', kubernetesVersion: next, name, recommendation, ...verdict }),
  );
  return [...own, ...laterRemovals(world, next)];
}

/** One of each name. */
function insightOf(world: World, insight: Omit<EksInsight, 'id' | 'lastRefreshMs'>): EksInsight {
  return { id: uuidOf(`${world.eks.cluster.name}/${insight.name}`), lastRefreshMs: world.clock.nowMs(), ...insight };
}

/** Of the minor after the next one EKS only warns. */
function laterRemovals(world: World, next: string): EksInsight[] {
  const minor = `1.${minorOf(next) + 1}`;
  const verdict = deprecatedApis(world, minor);
  if (verdict.status === 'PASSING') return [];
  const reason = 'Deprecated API usage detected within last 30 days.';
  return [
    insightOf(world, {
      category: 'UPGRADE_READINESS',
      kubernetesVersion: minor,
      ...removalsIn(minor),
      ...verdict,
      status: 'WARNING',
      reason,
    }),
  ];
}

const removalsIn = (minor: string): { name: string; recommendation: string } => ({
  name: `Deprecated APIs removed in Kubernetes v${minor}`,
  recommendation: `Update manifests and API clients to use newer Kubernetes APIs before upgrading to Kubernetes v${minor}.`,
});

function deprecatedApis(world: World, next: string): Verdict {
  const deprecations = deprecationsFor(world, next);
  if (deprecations.length === 0) return { status: 'PASSING', reason: 'No deprecated API usage detected within the last 30 days.' };
  const resources = deprecations.map(({ usage }) => ({ status: 'ERROR', kubernetesResourceUri: usage }));
  return {
    status: 'ERROR',
    reason: 'Deprecated API usage detected within last 30 days and your cluster is on the version before its removal.',
    resources,
    deprecations,
  };
}

function kubeletSkew(world: World, next: string): Verdict {
  const behind = world.store.list('nodes').filter((n) => minorOf(next) - minorOf(kubeletMinor(n)) > SKEW_LIMIT);
  if (behind.length === 0)
    return { status: 'PASSING', reason: 'Node kubelet versions match the cluster control plane version or are within the skew policy.' };
  const resources = behind.map((n) => ({ status: 'ERROR', kubernetesResourceUri: `/api/v1/nodes/${n.metadata.name}` }));
  return {
    status: 'ERROR',
    reason: `${behind.length} nodes would be more than ${SKEW_LIMIT} minor versions behind the control plane.`,
    resources,
  };
}

function kubeProxySkew(world: World, next: string): Verdict {
  const proxy = world.store.get('daemonsets', 'kube-proxy', 'kube-system');
  // Auto Mode runs it on the nodes themselves, in the kubelet's version.
  if (proxy === undefined && world.eks.cluster.autoMode) return { status: 'PASSING', reason: 'EKS Auto Mode runs kube-proxy itself.' };
  const image = String(proxy?.spec?.template?.spec?.containers?.[0]?.image ?? '');
  const minor = /:v1\.(\d+)\./.exec(image)?.[1];
  if (minor === undefined) return { status: 'UNKNOWN', reason: 'The version of kube-proxy could not be read.' };
  if (minorOf(next) - Number(minor) <= SKEW_LIMIT) return { status: 'PASSING', reason: 'kube-proxy versions are within the skew policy.' };
  const resources = [{ status: 'ERROR', kubernetesResourceUri: '/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy' }];
  return { status: 'ERROR', reason: `kube-proxy would be more than ${SKEW_LIMIT} minor versions behind the control plane.`, resources };
}

function clusterHealth(world: World): Verdict {
  const { health } = world.eks.cluster;
  if (health.length === 0) return { status: 'PASSING', reason: 'No cluster health issues detected.' };
  return { status: 'ERROR', reason: health.map((h) => h.message).join(' '), resources: [{ status: 'ERROR', arn: clusterArn(world.eks) }] };
}

function addOnCompatibility(world: World, next: string): Verdict {
  const unfit = world.eks.addOns.filter((a) => {
    const offered = world.eks.addOnCatalogue[a.name]?.find((v) => v.version === a.version);
    return ADD_ON_PARTS[a.name] !== undefined && offered?.minors.includes(next) !== true;
  });
  if (unfit.length === 0)
    return { status: 'PASSING', reason: 'All installed EKS add-on versions are compatible with next Kubernetes version.' };
  return {
    status: 'WARNING',
    reason: `Add-on versions that Kubernetes v${next} does not support: ${unfit.map((a) => `${a.name} ${a.version}`).join(', ')}.`,
    resources: unfit.map((a) => ({ status: 'WARNING', arn: addOnArn(world.eks, a.name) })),
    addOnCompatibility: unfit.map((a) => ({
      name: a.name,
      compatibleVersions: (world.eks.addOnCatalogue[a.name] ?? []).filter((v) => v.minors.includes(next)).map((v) => v.version),
    })),
  };
}
