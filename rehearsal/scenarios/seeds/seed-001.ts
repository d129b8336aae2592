/** seeds/001: nodes that follow the control plane by drift, nodes whose AMI is chosen explicitly, and nodes that change to Bottlerocket on the way. */
import { latestAmi } from '../../aws/eks/nodes/amis.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

const KARPENTER = '1.2.1';

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 1 });
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addNodeClass(world, { name: 'default', alias: 'al2@latest', karpenter: KARPENTER });
  addNodeClass(world, { name: 'bottlerocket', alias: 'bottlerocket@latest', karpenter: KARPENTER });
  addNodeClass(world, { name: 'chosen', amiId: newest(world, '1.31'), karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '1' }] });
  addNodePool(world, { name: 'drifting', nodeClass: 'default', nodes: 2 });
  addNodePool(world, { name: 'promoted', nodeClass: 'chosen', nodes: 2, budgets: [{ nodes: '10%' }] });
  addApp(world, { namespace: 'inflate', name: 'inflate', replicas: 4, budget: { maxUnavailable: 1 } });
}

const newest = (world: World, minor: string): string => latestAmi('al2023', minor, world.clock.now())?.id ?? '';

export const seed001: Scenario = {
  ...small,
  name: 'seed-001',
  title: 'Karpenter drift, AMIs by id and Bottlerocket, 1.31 → 1.32',
  description:
    'Nodes on al2@latest drift by themselves, nodes with a chosen AMI id move when Belay edits the id, and NodePool default is pointed at an EC2NodeClass with Bottlerocket under the freeze.',
  cluster: { name: 'drift', account: '111122223333', region: 'us-west-2' },
  karpenter: { switchNodeClass: [{ nodePool: 'default', to: 'bottlerocket' }] },
  expectations: {
    controlPlane: '1.32',
    kubelets: '1.32',
    amiSelectors: { chosen: [{ id: latestAmi('al2023', '1.32', new Date(small.startsAt))?.id ?? '' }] },
    nodeClasses: { default: 'bottlerocket', drifting: 'default', promoted: 'chosen' },
  },
  build,
};
