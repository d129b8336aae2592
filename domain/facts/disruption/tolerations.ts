/** Whether a pod tolerates a taint, as the scheduler sees it (k8s.io/component-helpers/scheduling/corev1). */

export interface Taint {
  key: string;
  value?: string;
  effect?: string;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key, operator = 'Equal', value, effect }) => {
    if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
    if (key === undefined || key === '') return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || (value ?? '') === (taint.value ?? ''));
  });
}

/**
 * Karpenter drains a node under this taint. A pod that tolerates it is neither evicted nor waited for, and its budgets do not count (kubernetes-sigs/karpenter
 * pkg/utils/pod/scheduling.go, IsEvictable and IsDrainable; pkg/utils/pdb/pdb.go, isEvictable).
 */
const KARPENTER_DRAIN: Taint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };

export const toleratesKarpentersDrain = (tolerations: readonly Toleration[] = []): boolean => tolerates(tolerations, KARPENTER_DRAIN);
