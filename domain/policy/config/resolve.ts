/** What belay.yaml says of one cluster, with what holds for all. */
import { defined } from '../../core/defined.ts';
import type { ClusterInput, ConfigInput } from './schema.ts';

/** The cluster's own settings over `defaults:`, group by group. */
export function resolve(input: ConfigInput, name: string): ClusterInput {
  const own = defined(input.clusters[name]);
  const base = defined(input.defaults);
  return {
    ...base,
    ...own,
    kubernetes: own.kubernetes ?? base.kubernetes,
    managedBy: { ...defined(base.managedBy), ...defined(own.managedBy) },
    karpenter: { ...defined(base.karpenter), ...defined(own.karpenter) },
    nodeGroups: { ...defined(base.nodeGroups), ...defined(own.nodeGroups) },
    controlPlane: { ...defined(base.controlPlane), ...defined(own.controlPlane) },
    rollback: { ...defined(base.rollback), ...defined(own.rollback) },
    istio: { ...defined(base.istio), ...defined(own.istio) },
  };
}
