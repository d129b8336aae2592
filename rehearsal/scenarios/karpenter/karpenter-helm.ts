/** Karpenter by Helm, and its CRDs owned by nobody: the upgrade of every cluster whose first install was `helm install karpenter`. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addControllerRole, addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import { recordKarpenter } from '../parts/karpenter-release.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

/** The newest that supports 1.34 and not 1.35. */
const VERSION = '1.6.8';

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 2 });
  addAddOn(world, 'coredns', 'v1.12.4-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.34.1-eksbuild.2');
  addKarpenter(world, { version: VERSION, nodeGroup: 'default', annotations: {} });
  addControllerRole(world, { by: 'irsa', allows: ['iam:ListInstanceProfiles'] });
  recordKarpenter(world, { version: VERSION, nodeGroup: 'default' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: VERSION });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '1' }] });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
}

export const karpenterHelm: Scenario = {
  ...small,
  name: 'karpenter-helm',
  title: 'Karpenter by Helm with CRDs that belong to nobody, 1.34 → 1.35',
  description:
    'Karpenter 1.6 → 1.9 by the real helm: karpenter-crd is installed for the first time, and its CRDs are adopted instead of deleted. Needs helm.',
  cluster: { name: 'karpenter-helm', account: '111122223333', region: 'eu-central-1' },
  from: '1.34',
  to: '1.35',
  startsAt: '2026-07-10T01:00:00Z',
  managedBy: { karpenter: 'helm' },
  expectations: { controlPlane: '1.35', kubelets: '1.35' },
  build,
};
