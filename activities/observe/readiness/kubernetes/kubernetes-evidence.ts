/** Everything that readiness reads of a cluster's API server. Each source by itself: what one may not see, others still do. */
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import type { Evidence, Seen } from '../../../../domain/readiness/model/evidence.ts';
import type { SourceId } from '../../../../domain/readiness/model/sources.ts';
import type { KubernetesPort } from '../../../contract/ports.ts';
import { readApiMetrics, readApiObjects } from './apis.ts';
import { readGitOps, readKubeProxy } from './delivery.ts';
import { readHelmReleases } from './helm.ts';
import { readIstioSeen } from './istio.ts';
import { readKarpenterSeen } from './karpenter.ts';
import {
  readAggregatedApis,
  readBudgets,
  readCsiDrivers,
  readDefinitions,
  readNetworkPolicies,
  readNodesSeen,
  readServices,
  readVolumes,
  readWebhooks,
} from './cluster-objects.ts';
import { readPods } from './pods.ts';
import { readRoles } from './roles.ts';
import { see, SWITCHED_OFF, type OnTransient } from '../../../runtime/see.ts';
import { readWorkloads } from './workloads.ts';

export type KubernetesSource = Extract<
  SourceId,
  | 'apiMetrics'
  | 'apiObjects'
  | 'nodes'
  | 'pods'
  | 'workloads'
  | 'budgets'
  | 'services'
  | 'networkPolicies'
  | 'roles'
  | 'webhooks'
  | 'aggregatedApis'
  | 'definitions'
  | 'volumes'
  | 'csiDrivers'
  | 'kubeProxy'
  | 'helmReleases'
  | 'karpenter'
  | 'istio'
  | 'gitOps'
>;

export interface KubernetesReading {
  port: KubernetesPort;
  /** The one that `port` leads to. */
  ref: ClusterRef;
  /** By EKS's clock. */
  nowMs: Promise<number>;
  /** Sources that some check asks for; the others are not read. */
  wanted: ReadonlySet<SourceId>;
  /** Whether what needs an optional role is read. */
  optional: boolean;
  onTransient: OnTransient;
  /** Said when a source was read, or could not be. */
  onRead?: (id: SourceId, seen: Seen<unknown>) => void;
}

/** Reads the wanted sources, a few at a time. What is not wanted is unseen. */
export async function readKubernetesSide({
  port,
  ref,
  nowMs,
  wanted,
  optional,
  onTransient,
  onRead,
}: KubernetesReading): Promise<Pick<Evidence, KubernetesSource>> {
  const reading = async (
    id: KubernetesSource,
    doing: string,
    read: () => Promise<unknown>,
  ): Promise<readonly [KubernetesSource, Seen<unknown>]> => {
    if (!wanted.has(id)) return [id, SWITCHED_OFF];
    const seen = await see(doing, read, onTransient);
    onRead?.(id, seen);
    return [id, seen];
  };
  const all = await Promise.all([
    reading('apiMetrics', 'reading /metrics', () => readApiMetrics(port)),
    reading('apiObjects', 'listing objects of deprecated APIs', () => readApiObjects(port)),
    reading('nodes', 'listing nodes', () => readNodesSeen(port)),
    reading('pods', 'listing pods', () => readPods(port)),
    reading('workloads', 'listing workloads', () => readWorkloads(port)),
    reading('budgets', 'listing pod disruption budgets', () => readBudgets(port)),
    reading('services', 'listing services and endpoints', () => readServices(port)),
    reading('networkPolicies', 'listing network policies', () => readNetworkPolicies(port)),
    reading('roles', 'listing roles and their bindings', () => readRoles(port)),
    reading('webhooks', 'listing webhooks', () => readWebhooks(port)),
    reading('aggregatedApis', 'listing aggregated APIs', () => readAggregatedApis(port)),
    reading('definitions', 'listing CustomResourceDefinitions', () => readDefinitions(port)),
    reading('volumes', 'listing volumes', () => readVolumes(port)),
    reading('csiDrivers', 'listing CSI drivers', () => readCsiDrivers(port)),
    reading('kubeProxy', 'reading kube-proxy’s configuration', () => readKubeProxy(port)),
    optional ? reading('helmReleases', 'listing Helm releases', () => readHelmReleases(port)) : (['helmReleases', SWITCHED_OFF] as const),
    reading('karpenter', 'reading Karpenter', async () => readKarpenterSeen(port, await nowMs)),
    reading('istio', 'reading Istio', () => readIstioSeen(port)),
    reading('gitOps', 'listing GitOps objects', () => readGitOps(port, ref)),
  ]);
  return Object.fromEntries(all) as Pick<Evidence, KubernetesSource>;
}
