/** What people are shown of what holds up a node: the pod, whose it is, and what may be scaled. */
import type { BlockedNode } from '../../contract/karpenter.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { peopleOf, workloadOf } from './pod-owners.ts';
import { controllerOf, type Pod } from '../../clients/kubernetes/objects.ts';
import type { Hold } from './draining-nodes.ts';
import { defined } from '../../../domain/core/defined.ts';

/** `ownerKeys`: labels and annotations that say whose a pod is. */
export async function describeBlocker(
  port: KubernetesPort,
  { node, reason, pod, pdb, gone, noUseScaling }: Hold,
  sinceMs: number,
  ownerKeys: readonly string[],
): Promise<BlockedNode> {
  const workload = pod === undefined ? undefined : await workloadOf(port, pod);
  const people = pod === undefined ? [] : await peopleOf(port, pod, workload, ownerKeys);
  return {
    node: node.name,
    nodePool: node.nodePool,
    ...(pod === undefined ? {} : { pod: podOf(pod) }),
    ...defined({ pdb, workload, noUseScaling }),
    ...(people.length === 0 ? {} : { people }),
    ...(gone === true ? { gone } : {}),
    ...(node.leaving && node.claim !== undefined ? { removing: defined({ forcedAt: node.forced?.at }) } : {}),
    reason,
    sinceMs,
  };
}

function podOf(pod: Pod): NonNullable<BlockedNode['pod']> {
  const { namespace = '', name, uid } = pod.metadata;
  const owner = controllerOf(pod);
  return { namespace, name, uid, controller: owner === undefined ? null : { kind: owner.kind, name: owner.name } };
}
