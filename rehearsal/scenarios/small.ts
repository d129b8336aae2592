/** A tiny cluster for tests: everything once, and fast. */
import type { World } from '../world/world.ts';
import { addAddOn, addNodeGroup } from './parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from './parts/karpenter-parts.ts';
import type { Scenario } from './scenario.ts';
import { addApp } from './parts/workload-parts.ts';

const KARPENTER = '1.2.1';

/** @param karpenter its version. */
export function buildSmall(world: World, karpenter: string): void {
  addNodeGroup(world, { name: 'default', size: 1 });
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addKarpenter(world, { version: karpenter, nodeGroup: 'default' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '1' }] });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
  addApp(world, { namespace: 'shop', name: 'cart', replicas: 2, budget: { minAvailable: 1 } });
}

export const small: Scenario = {
  name: 'small',
  title: 'A tiny cluster, 1.31 → 1.32',
  description: 'Three Karpenter nodes, one node group node, two add-ons; minutes become seconds.',
  cluster: { name: 'small', account: '111122223333', region: 'eu-central-1' },
  environment: 'development',
  from: '1.31',
  to: '1.32',
  startsAt: '2025-04-29T08:00:00Z',
  tempo: {
    controlPlaneUpdateMs: 120_000,
    apiServerMovesAfterMs: 60_000,
    apiServerDropsMs: 15_000,
    addOnUpdateMs: 20_000,
    nodeLaunchMs: 20_000,
    nodeDrainMs: 10_000,
    karpenterLoopMs: 10_000,
    podStartMs: 5_000,
    insightsRefreshMs: 10_000,
  },
  managedBy: { karpenter: 'argocd' },
  expectations: { controlPlane: '1.32', kubelets: '1.32' },
  build: (world) => buildSmall(world, KARPENTER),
};
