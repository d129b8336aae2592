/** What a step says first, as far as the plan alone tells: the parent and the step's own workflow both know it, so nobody has to send it. */
import type { AddOnChange } from '../../domain/plan/model/changes.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { count } from '../../domain/core/text.ts';

/** undefined: the step's first words depend on what it sees or asks for. */
export function firstNote({ params }: PlannedStep): string | undefined {
  switch (params.phase) {
    case 'pre-checks':
      return `Refreshing EKS insights and checking whether the cluster is ready for ${params.to}.`;
    case 'rollback-checks':
      return `Refreshing EKS insights and checking that everything still works on ${params.to}.`;
    case 'add-ons-back':
    case 'add-ons-bridge':
    case 'add-ons-target':
      return addOnWords(params.changes, 0);
    case 'freeze-drift':
      return 'Freezing drift: no Karpenter node is replaced until the freeze is lifted.';
    case 'control-plane-back':
      return params.managedBy === 'terraform'
        ? undefined
        : `Checking once more, then taking the control plane back ${params.from} → ${params.to}.`;
    case 'node-classes-back':
      return `Waiting until Karpenter knows that the control plane is at ${params.to}; then its node classes choose as before.`;
    case 'control-plane':
      return params.managedBy === 'terraform' ? undefined : `Starting the control plane's update ${params.from} → ${params.to}.`;
    case 'bake':
      return `Verifying that the control plane answers at ${params.to}, then watching the cluster for ${Math.max(1, Math.round(params.bakeMs / 60_000))} min before nodes may move.`;
    case 'node-groups':
      return `Rolling ${count(params.groups.length, 'node group')} to ${params.to}.`;
    case 'karpenter-drift':
      return paceWords(params, 0);
    case 'validation':
      return `Validating the whole cluster at ${params.to}.`;
    case 'control-plane-logging':
      return params.managedBy === 'terraform' ? undefined : `Switching on the control-plane logs ${params.types.join(', ')}.`;
    case 'karpenter-migration':
    case 'karpenter-controller':
    case 'istio':
    case 'other-nodes':
      return undefined;
  }
}

export function addOnWords(changes: readonly AddOnChange[], index: number): string | undefined {
  const change = changes[index];
  return change === undefined ? undefined : `${change.name} ${change.from} → ${change.to} (${index + 1} of ${changes.length}).`;
}

export function paceWords({ paces, nodeCount }: { paces: readonly string[]; nodeCount: number }, index: number): string {
  const pace = paces[index];
  const each = pace === undefined ? 'as many at a time as the original budgets allow' : `${pace} at a time`;
  return `Karpenter replaces ${count(nodeCount, 'node')}, ${each} (pace ${index + 1} of ${Math.max(1, paces.length)}).`;
}
