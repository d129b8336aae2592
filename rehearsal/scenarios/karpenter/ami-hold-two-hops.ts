/** Two hops with AMIs held by id: a node that is launched between them stays at the old version as well, and all of them roll once. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

const KARPENTER = '1.6.2';

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 1 });
  addAddOn(world, 'coredns', 'v1.11.4-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '1' }] });
  addNodeClass(world, { name: 'batch', alias: 'bottlerocket@latest', karpenter: KARPENTER, argocd: true });
  addNodePool(world, { name: 'batch', nodeClass: 'batch', nodes: 2, budgets: [{ nodes: '1' }] });
  // One pod fills half a node: one more than these needs a node more.
  const nodeSelector = { 'karpenter.sh/nodepool': 'default' };
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, cpu: '2', budget: { maxUnavailable: 1 }, nodeSelector });
}

export const amiHoldTwoHops: Scenario = {
  ...small,
  name: 'ami-hold-two-hops',
  title: 'Two hops with AMIs held, 1.31 → 1.33',
  description:
    'Node classes are pinned to the images in use before the first control plane moves and let go before nodes roll, once, at the end: what is launched in between stays at 1.31 too. Argo CD is asked for one of the two classes, and for the way back.',
  cluster: { name: 'two-hops', account: '111122223333', region: 'eu-west-1' },
  environment: 'production',
  from: '1.31',
  to: '1.33',
  startsAt: '2026-02-10T01:00:00Z',
  strategy: 'once-at-the-end',
  karpenter: { holdAmis: true },
  expectations: { controlPlane: '1.33', kubelets: '1.33' },
  build,
};
