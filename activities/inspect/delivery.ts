/** What GitOps delivers of Karpenter: whether Belay may change it, and where. */
import type { KarpenterFact } from '../../domain/facts.ts';
import { findDeliveredCharts } from '../delivery/find.ts';
import type { KubernetesPort } from '../ports.ts';
import type { Reader } from './reader.ts';

/** CRDs first, as they are to be changed. */
export async function readDelivery(kubernetes: KubernetesPort, reader: Reader): Promise<Pick<KarpenterFact, 'deliveredCharts'>> {
  const rights = 'list on helmreleases, ocirepositories and applications';
  const read = () => findDeliveredCharts(kubernetes, ['karpenter-crd', 'karpenter']);
  const deliveredCharts = await reader.attempt('what GitOps delivers of Karpenter', rights, read, []);
  return deliveredCharts.length === 0 ? {} : { deliveredCharts };
}
