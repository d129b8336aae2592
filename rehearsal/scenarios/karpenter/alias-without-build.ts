/** Accident: node classes whose AMIs do not follow the control plane: a pinned release for which Amazon never built the next minor, and an AMI by id. */
import { latestAmi } from '../../aws/eks/nodes/amis.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

const KARPENTER = '1.6.2';
const STARTS_AT = '2026-02-10T01:00:00Z';

/** Everything but node classes and pools: 1.32, on the way to 1.33. */
export function addClusterAt132(world: World): void {
  addNodeGroup(world, { name: 'system', size: 1 });
  addAddOn(world, 'coredns', 'v1.11.4-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.32.0-eksbuild.2');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
}

function build(world: World): void {
  addClusterAt132(world);
  addNodeClass(world, { name: 'pinned', alias: 'al2023@v20250403', karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'pinned', nodes: 3, budgets: [{ nodes: '1' }] });
  addNodeClass(world, { name: 'fixed', amiId: newest('1.32'), karpenter: KARPENTER, argocd: true });
  addNodePool(world, { name: 'batch', nodeClass: 'fixed', nodes: 2, budgets: [{ nodes: '1' }] });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
}

const newest = (minor: string): string => latestAmi('al2023', minor, new Date(STARTS_AT))?.id ?? '';

export const aliasWithoutBuild: Scenario = {
  ...small,
  name: 'alias-without-build',
  title: 'A pinned AMI release without images for the target, 1.32 → 1.33',
  description:
    'One EC2NodeClass is pinned to al2023@v20250403, which Amazon never built for 1.33: Karpenter would silently keep the old image. Another, of Argo CD, names an AMI by id. The plan says both and edits them once the control plane has moved.',
  cluster: { name: 'pinned', account: '111122223333', region: 'eu-west-1' },
  environment: 'production',
  from: '1.32',
  to: '1.33',
  startsAt: STARTS_AT,
  expectations: {
    controlPlane: '1.33',
    kubelets: '1.33',
    amiSelectors: { pinned: [{ alias: 'al2023@v20251016' }], fixed: [{ id: newest('1.33') }] },
  },
  build,
};
