/** What GitOps delivers of Karpenter and Istio: whether Belay may change it, and where. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import { findDeliveredCharts } from '../../kubernetes/gitops/find-deliverer.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { Reader } from '../../runtime/reader.ts';

/** By component, in the order in which they are to be changed. */
const CHARTS = { Karpenter: ['karpenter-crd', 'karpenter'], Istio: ['base', 'istiod', 'cni', 'ztunnel'] } as const;

export async function readDelivery(
  kubernetes: KubernetesPort,
  cluster: ClusterRef,
  reader: Reader,
  component: keyof typeof CHARTS,
): Promise<{ deliveredCharts?: DeliveredChart[] }> {
  const rights = 'list on helmreleases, ocirepositories and applications';
  const read = () => findDeliveredCharts(kubernetes, cluster, CHARTS[component]);
  const deliveredCharts = await reader.attempt({ part: 'delivery', what: `what GitOps delivers of ${component}` }, rights, read, []);
  return deliveredCharts.length === 0 ? {} : { deliveredCharts };
}
