/** What scenarios of the node roll share: one node of a group that runs Karpenter, and nodes of Karpenter that roll in seconds. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from './cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from './karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { type App, addApp } from './workload-parts.ts';

const KARPENTER = '1.2.1';

/** Apps keep off the node group, so that each of them is on a node that rolls. */
export function addRoll(
  world: World,
  options: { nodes: number; budgets?: Record<string, unknown>[]; apps: App[]; argocd?: boolean },
): void {
  addNodeGroup(world, { name: 'default', size: 1 });
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'default' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: KARPENTER });
  const { nodes, budgets, argocd } = options;
  addNodePool(world, {
    name: 'default',
    nodeClass: 'default',
    nodes,
    ...(argocd === undefined ? {} : { argocd }),
    ...(budgets === undefined ? {} : { budgets }),
  });
  const nodeSelector = { 'karpenter.sh/nodepool': 'default' };
  for (const app of options.apps) addApp(world, { ...app, nodeSelector });
}

/** As `small`, but for what a scenario says of itself. */
export function rollScenario(own: Pick<Scenario, 'name' | 'title' | 'description' | 'build'> & Partial<Scenario>): Scenario {
  return { ...small, cluster: { ...small.cluster, name: own.name }, ...own };
}
