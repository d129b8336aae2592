/** Facts of Auto Scaling groups of one's own, and of the autoscaler that would change groups meanwhile. */
import type { AutoscalerFact, ClusterRef, KubeletFact, SelfManagedGroupFact } from '../../domain/facts.ts';
import type { AccountClients } from '../clients/aws-account.ts';
import { readAutoScalingGroups } from '../readiness/account.ts';
import { findAutoscaler } from '../kubernetes/other-nodes/autoscaler.ts';
import type { KubernetesPort } from '../ports.ts';
import type { Reader } from './reader.ts';

/** undefined: there are no self-managed nodes, or their groups cannot be read. Empty groups have nothing to move. */
export async function readSelfManagedGroups(
  account: AccountClients | undefined,
  { name }: ClusterRef,
  reader: Reader,
  kubelets: readonly KubeletFact[],
): Promise<SelfManagedGroupFact[] | undefined> {
  if (account === undefined || !kubelets.some(({ owner }) => owner === 'self-managed')) return undefined;
  const read = async (): Promise<SelfManagedGroupFact[]> => {
    const groups = await readAutoScalingGroups(account, name);
    return groups.filter(({ managed, size }) => !managed && size > 0).map((group) => ({ name: group.name, size: group.size }));
  };
  return await reader.attempt('the Auto Scaling groups of the cluster', 'autoscaling:DescribeAutoScalingGroups', read, undefined);
}

/** undefined: there is none, no group that it could change, or it cannot be read. */
export async function readAutoscaler(
  kubernetes: KubernetesPort,
  reader: Reader,
  kubelets: readonly KubeletFact[],
): Promise<AutoscalerFact | undefined> {
  if (!kubelets.some(({ owner }) => owner === 'node-group' || owner === 'self-managed')) return undefined;
  return await reader.attempt('the Cluster Autoscaler', 'list on deployments', () => findAutoscaler(kubernetes), undefined);
}
