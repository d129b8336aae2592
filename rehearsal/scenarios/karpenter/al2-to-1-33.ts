/** Accident: Karpenter's nodes are on Amazon Linux 2, which has no images from 1.33 on. */
import type { World } from '../../world/world.ts';
import { addClusterAt132, aliasWithoutBuild } from './alias-without-build.ts';
import { addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { addApp } from '../parts/workload-parts.ts';

function build(world: World): void {
  addClusterAt132(world);
  addNodeClass(world, { name: 'default', alias: 'al2@latest', karpenter: '1.6.2' });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '1' }] });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
}

export const al2To133: Scenario = {
  ...aliasWithoutBuild,
  name: 'al2-to-1.33',
  title: 'al2@latest on the way to 1.33: refused',
  description:
    'Amazon built no Amazon Linux 2 images for 1.33: once the control plane had moved, Karpenter 1.6 would take the class for unready and launch no node at all. Belay refuses the plan and names the way out.',
  cluster: { name: 'al2', account: '111122223333', region: 'eu-west-1' },
  expectations: { controlPlane: '1.32', kubelets: '1.32' },
  build,
};
