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
