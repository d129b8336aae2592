/** Whether the scheduler may start new pods on a node that waits to be replaced. */

/**
 * Karpenter neither taints nor drains a node with pods that cannot be evicted ("Karpenter will ignore the node", its page on disruption), so that the pod
 * that follows a deleted one may start there again. A node that is being removed or drained is tainted or cordoned already.
 */
export function takesNewPods({ gone, leaving, removing }: { gone?: boolean; leaving?: boolean; removing?: object }): boolean {
  return gone !== true && leaving !== true && removing === undefined;
}
