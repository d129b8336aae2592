/** What clusters for a real Karpenter have in common before their own pools and workloads. */
import { addAddOn, addNodeGroup } from '../../../rehearsal/scenarios/parts/cluster-parts.ts';
import { addKarpenter, addNodeClass } from '../../../rehearsal/scenarios/parts/karpenter-parts.ts';
import type { App } from '../../../rehearsal/scenarios/parts/workload-parts.ts';
import type { World } from '../../../rehearsal/world/world.ts';

const KARPENTER = '1.14.1';

/** A node group for Karpenter itself, add-ons, and the node class `default`. */
export function addGround(world: World): void {
  addNodeGroup(world, { name: 'system', size: 2, dedicated: true });
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: KARPENTER });
}

/** CPUs, of a node's four: one pod fills a node. */
export const FULL = '3';

export const inPool = (pool: string): Pick<App, 'cpu' | 'nodeSelector'> => ({ cpu: FULL, nodeSelector: { 'karpenter.sh/nodepool': pool } });
