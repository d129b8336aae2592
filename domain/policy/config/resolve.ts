/** What belay.yaml says of one cluster, with what holds for all. */
import type { ClusterRef } from '../../core/cluster-ref.ts';
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

export function refsOf(input: ConfigInput, names: readonly string[]): ClusterRef[] {
  return names.flatMap((name): ClusterRef[] => {
    const { region, account } = resolve(input, name);
    return region === undefined || account === undefined ? [] : [refOf(input, { name, account, region })];
  });
}

/** With EKS's name where that is another, and the network that the cluster itself names, else its environment, else `defaults`. */
export function refOf(input: ConfigInput, ref: ClusterRef): ClusterRef {
  const ofEnvironment = input.environments?.[environmentOf(input, ref.name)]?.network;
  const { name, network = ofEnvironment ?? input.defaults?.network } = input.clusters[ref.name] ?? {};
  const eksName = name === ref.name ? undefined : name;
  return { ...ref, ...defined({ eksName, network }) };
}

/** A cluster that names none is one of its own. */
export const environmentOf = (input: ConfigInput, name: string): string => resolve(input, name).environment ?? name;

/** From what holds for all to the cluster's own. */
export function layersOf<K extends 'approvals' | 'windows' | 'health'>(input: ConfigInput, name: string, key: K): ConfigInput[K][] {
  return [input, input.defaults, input.environments?.[environmentOf(input, name)], input.clusters[name]].map((layer) => layer?.[key]);
}
