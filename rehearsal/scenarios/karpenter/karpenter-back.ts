/** Up by a minor with Karpenter's nodes, and all the way back: nodes that are newer go first, held at the older minor until the control plane follows. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

const KARPENTER = '1.6.2';

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 2 });
  addAddOn(world, 'coredns', 'v1.11.4-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.32.0-eksbuild.2');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '50%' }] });
  addNodeClass(world, { name: 'batch', alias: 'bottlerocket@latest', karpenter: KARPENTER, argocd: true });
  addNodePool(world, { name: 'batch', nodeClass: 'batch', nodes: 1, budgets: [{ nodes: '1' }] });
  const nodeSelector = { 'karpenter.sh/nodepool': 'default' };
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, cpu: '2', budget: { maxUnavailable: 1 }, nodeSelector });
}

export const karpenterBack: Scenario = {
  ...small,
  name: 'karpenter-back',
  title: "Karpenter's nodes up and down again, 1.32 → 1.33 → 1.32",
  description:
    'A whole upgrade, then its way back. EKS would refuse it while nodes of Karpenter are newer: drift is frozen, node classes are pinned to images of 1.32 (Argo CD is asked for one of them), nodes roll, then node groups, add-ons and the control plane follow, and the classes choose as before.',
  cluster: { name: 'karpenter-back', account: '111122223333', region: 'eu-central-1' },
  environment: 'staging',
  from: '1.32',
  to: '1.33',
  startsAt: '2026-02-10T08:00:00Z',
  managedBy: { karpenter: 'argocd' },
  goesBack: true,
  expectations: { controlPlane: '1.32', kubelets: '1.32' },
  build,
};
