/** Facts of nodes that neither EKS nor Karpenter replaces, and of the autoscaler beside node groups: what a plan asks for. */
import type { ClusterFacts, KubeletFact, SelfManagedGroupFact } from '../../../domain/facts/facts.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { findAutoscaler } from '../../eks/auto-scaling/cluster-autoscaler.ts';
import { fargateNamespaces } from '../../eks/fargate/fargate-pods.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { Reader } from '../../runtime/reader.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { readAutoScalingGroups } from '../../eks/auto-scaling/list-groups.ts';
import { eksNameOf } from '../../../domain/core/cluster-ref.ts';

interface Reading {
  kubernetes: KubernetesPort;
  account: AccountClients;
  ref: ClusterRef;
  reader: Reader;
  kubelets: readonly KubeletFact[];
}

/** Only what the owners of the nodes make worth asking; what cannot be read is left out, and said. */
export async function readOtherNodes(
  reading: Reading,
): Promise<Pick<ClusterFacts, 'clusterAutoscaler' | 'fargateNamespaces' | 'selfManagedGroups'>> {
  const { kubernetes, account, ref, reader, kubelets } = reading;
  const has = (owner: KubeletFact['owner']): boolean => kubelets.some((kubelet) => kubelet.owner === owner);
  const found: Awaited<ReturnType<typeof readOtherNodes>> = {};
  if (has('node-group') || has('self-managed')) {
    const read = () => findAutoscaler(kubernetes);
    const autoscaler = await reader.attempt(
      { part: 'other-nodes', what: 'the Cluster Autoscaler' },
      'list on deployments',
      read,
      undefined,
    );
    if (autoscaler !== undefined) found.clusterAutoscaler = autoscaler;
  }
  if (has('self-managed')) {
    const permission = 'autoscaling:DescribeAutoScalingGroups';
    const read = () => selfManagedGroups(account, eksNameOf(ref));
    const groups = await reader.attempt(
      { part: 'other-nodes', what: 'the Auto Scaling groups of the cluster' },
      permission,
      read,
      undefined,
    );
    if (groups !== undefined) found.selfManagedGroups = groups;
  }
  if (has('fargate')) {
    const namespaces = await reader.attempt(
      { part: 'other-nodes', what: 'the pods on Fargate' },
      'list on pods',
      () => fargateNamespaces(kubernetes),
      undefined,
    );
    if (namespaces !== undefined) found.fargateNamespaces = namespaces;
  }
  return found;
}

/** Empty groups have nothing to move. */
async function selfManagedGroups(account: AccountClients, eksName: string): Promise<SelfManagedGroupFact[]> {
  const groups = await readAutoScalingGroups(account, eksName);
  return groups.filter(({ managed, size }) => !managed && size > 0).map(({ name, size }) => ({ name, size }));
}
