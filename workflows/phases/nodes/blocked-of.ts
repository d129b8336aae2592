/** What a gate keeps of nodes that cannot be replaced, for the record. */
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { defined } from '../../../domain/core/defined.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import type { GateBlocked } from '../../../domain/gates/gate.ts';

/** It goes into histories. */
const NODES = 50;

export function blockedOf(nodes: readonly BlockedNode[]): GateBlocked[] {
  return nodes.slice(0, NODES).map(({ node, pod, workload }) => ({
    node,
    ...defined({
      pod: pod && `${pod.namespace}/${pod.name}`,
      workload: workload && objectTitle(workload),
    }),
  }));
}
