/** Up by a minor, nodes and add-ons too, and all the way back. */
import type { World } from '../world/world.ts';
import { addAddOn, addNodeGroup } from './parts/cluster-parts.ts';
import type { Scenario } from './scenario.ts';
import { small } from './small.ts';
import { addApp } from './parts/workload-parts.ts';

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 2 });
  addNodeGroup(world, { name: 'workers', size: 3 });
  addAddOn(world, 'vpc-cni', 'v1.19.2-eksbuild.5', 'up-and-down-vpc-cni');
  addAddOn(world, 'coredns', 'v1.11.4-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.32.0-eksbuild.2');
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
  addApp(world, { namespace: 'shop', name: 'cart', replicas: 2, budget: { minAvailable: 1 } });
}

export const upAndDown: Scenario = {
  ...small,
  name: 'up-and-down',
  title: 'Up and down again, 1.32 → 1.33 → 1.32',
  description: 'A whole upgrade, then its way back: node groups, add-ons and the control plane, each before the next.',
  cluster: { name: 'up-and-down', account: '111122223333', region: 'eu-central-1' },
  environment: 'staging',
  from: '1.32',
  to: '1.33',
  startsAt: '2026-02-10T08:00:00Z',
  managedBy: {},
  goesBack: true,
  expectations: { controlPlane: '1.32', kubelets: '1.32' },
  build,
};
