/** EKS Auto Mode with a built-in pool, which nobody can freeze, and one of one's own. */
import { AUTO_MODE_LABELS } from '../../controllers/auto-mode.ts';
import { createNode } from '../../controllers/nodes.ts';
import { latestAmi } from '../../aws/eks/nodes/amis.ts';
import type { World } from '../../world/world.ts';
import { addDefinition } from '../parts/definition-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

const DEFINITIONS = [
  { group: 'karpenter.sh', plural: 'nodepools', kind: 'NodePool' },
  { group: 'karpenter.sh', plural: 'nodeclaims', kind: 'NodeClaim' },
  { group: 'eks.amazonaws.com', plural: 'nodeclasses', kind: 'NodeClass' },
];

function build(world: World): void {
  world.eks.cluster.autoMode = true;
  for (const definition of DEFINITIONS) addDefinition(world, { ...definition, scope: 'Cluster' });
  addAutoModePool(world, 'general-purpose', 2, [{ nodes: '10%' }]);
  addAutoModePool(world, 'batch', 3, [{ nodes: '1' }]);
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
  addApp(world, { namespace: 'shop', name: 'cart', replicas: 2, budget: { minAvailable: 1 } });
}

function addAutoModePool(world: World, name: string, size: number, budgets: { nodes: string }[]): void {
  world.store.create('nodepools', {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: { spec: { nodeClassRef: { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' }, expireAfter: '336h' } },
      disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '30s', budgets },
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const ami = latestAmi('bottlerocket', world.eks.cluster.version, world.clock.now());
  if (ami === undefined) throw new Error('no Bottlerocket image for this scenario’s date');
  for (let index = 0; index < size; index += 1)
    createNode(world, { ami, labels: { ...AUTO_MODE_LABELS, 'karpenter.sh/nodepool': name }, ready: true });
}

export const autoMode: Scenario = {
  ...small,
  name: 'auto-mode',
  title: 'EKS Auto Mode, 1.31 → 1.32',
  description:
    'Two nodes of a built-in pool follow the control plane at once and are watched; three of a pool of one’s own are frozen and paced. Add-ons are EKS’s own business.',
  cluster: { name: 'auto', account: '111122223333', region: 'eu-central-1' },
  managedBy: {},
  build,
};

export const autoModeBack: Scenario = {
  ...autoMode,
  name: 'auto-mode-back',
  title: 'EKS Auto Mode up and down again, 1.31 → 1.32 → 1.31',
  description: 'A whole upgrade, then its way back: EKS replaces its five nodes first, and then takes the control plane back.',
  cluster: { name: 'auto-back', account: '111122223333', region: 'eu-central-1' },
  environment: 'staging',
  goesBack: true,
  expectations: { controlPlane: '1.31', kubelets: '1.31' },
};
