/** Whether Flux or Argo CD deliver to the cluster that their objects are in, or from there to another one: a hub has the objects of all its spokes. */
import { type ClusterRef, eksNameOf } from '../../../domain/core/cluster-ref.ts';

/** Where the object of Flux, or of Argo CD, says that it delivers to. */
export interface FluxDestination {
  kubeConfig?: unknown;
}
export interface ArgoDestination {
  destination?: { server?: string; name?: string; namespace?: string };
}

/** The API server as seen from within (argo-cd, common/common.go: KubernetesInternalAPIServerAddr). */
const INTERNAL = ['kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
/** Argo CD's name of its own cluster (argo-cd, util/db/cluster.go). */
const OWN_NAME = 'in-cluster';

/** With a kubeConfig helm-controller releases to the cluster that this leads to (fluxcd.io, HelmRelease, "KubeConfig reference"). */
export function releasesElsewhere({ spec }: { spec?: FluxDestination }): boolean {
  return spec?.kubeConfig !== undefined;
}

/**
 * A destination that is not known to be this cluster is another one, so that its change is asked for: names are known to Argo CD's Secrets alone.
 * EKS's Argo CD has the ARN of a cluster as its server (EKS user guide, "Register target clusters").
 */
export function syncsElsewhere({ spec }: { spec?: ArgoDestination }, cluster: ClusterRef): boolean {
  const { server = '', name = '' } = spec?.destination ?? {};
  if (server !== '') return !isInternal(server) && !isArnOf(server, cluster);
  return name !== '' && name !== OWN_NAME;
}

const isInternal = (server: string): boolean => INTERNAL.includes(URL.parse(server)?.hostname ?? '');

function isArnOf(text: string, cluster: ClusterRef): boolean {
  const [, region, account, name] = /^arn:aws[a-z-]*:eks:([^:]+):(\d{12}):cluster\/(.+)$/.exec(text) ?? [];
  return region === cluster.region && account === cluster.account && name === eksNameOf(cluster);
}
