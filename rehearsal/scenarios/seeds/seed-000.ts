/** seeds/000: staging from 1.31 to 1.32 with Karpenter 1.1, one node group for it, thirty-two Karpenter nodes and a service that blocks its node. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import { DEFAULT_TEMPO, type Scenario } from '../scenario.ts';
import { addApp, type App } from '../parts/workload-parts.ts';

const KARPENTER = '1.1.1';

const APPS: readonly App[] = [
  { namespace: 'shop', name: 'storefront', replicas: 8, budget: { maxUnavailable: '25%' } },
  { namespace: 'shop', name: 'cart', replicas: 6, budget: { minAvailable: 4 } },
  { namespace: 'shop', name: 'catalog', replicas: 6, budget: { maxUnavailable: 1 } },
  { namespace: 'shop', name: 'search', replicas: 5, budget: { minAvailable: '60%' } },
  { namespace: 'shop', name: 'recommendations', replicas: 4, budget: { maxUnavailable: 1 } },
  { namespace: 'shop', name: 'reviews', replicas: 3, budget: { minAvailable: 2 } },
  { namespace: 'shop', name: 'images', replicas: 4, budget: { maxUnavailable: 2 } },
  { namespace: 'payments', name: 'checkout', replicas: 6, budget: { minAvailable: 4 } },
  { namespace: 'payments', name: 'ledger', replicas: 3, budget: { maxUnavailable: 1 } },
  { namespace: 'payments', name: 'fraud', replicas: 4, budget: { minAvailable: 2 } },
  { namespace: 'payments', name: 'invoices', replicas: 2, budget: { minAvailable: 1 } },
  { namespace: 'identity', name: 'login', replicas: 4, budget: { maxUnavailable: 1 } },
  { namespace: 'identity', name: 'sessions', replicas: 4, budget: { minAvailable: 2 } },
  { namespace: 'identity', name: 'profiles', replicas: 3, budget: { maxUnavailable: 1 } },
  { namespace: 'logistics', name: 'orders', replicas: 5, budget: { minAvailable: 3 } },
  { namespace: 'logistics', name: 'shipping', replicas: 3, budget: { maxUnavailable: 1 } },
  { namespace: 'logistics', name: 'tracking', replicas: 4, budget: { maxUnavailable: 1 } },
  { namespace: 'internal', name: 'backoffice', replicas: 2, budget: { minAvailable: 1 } },
  { namespace: 'internal', name: 'reports', replicas: 3 },
  { namespace: 'internal', name: 'wiki', replicas: 2 },
  { namespace: 'atlantis', name: 'atlantis', replicas: 1 },
  // One replica that must stay: its node cannot be drained until somebody decides.
  { namespace: 'internal', name: 'license-server', replicas: 1, budget: { minAvailable: 1 } },
];

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 3, dedicated: true });
  addAddOn(world, 'vpc-cni', 'v1.18.5-eksbuild.1');
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addAddOn(world, 'aws-ebs-csi-driver', 'v1.37.0-eksbuild.1', 'staging-ebs-csi');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'default' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 20, budgets: [{ nodes: '10%' }] });
  addNodePool(world, {
    name: 'general',
    nodeClass: 'default',
    nodes: 12,
    budgets: [{ nodes: '20%' }, { nodes: '0', reasons: ['Underutilized'], schedule: '0 9 * * mon-fri', duration: '8h' }],
  });
  for (const app of APPS) addApp(world, app);
}

export const seed000: Scenario = {
  name: 'seed-000',
  title: 'Staging, 1.31 → 1.32, Karpenter and one node group',
  description:
    'Thirty-two Karpenter nodes that drift as soon as the API server moves, a Karpenter too old for 1.32, and a single-replica service whose budget blocks its node.',
  cluster: { name: 'staging', account: '111122223333', region: 'ap-northeast-1' },
  environment: 'staging',
  from: '1.31',
  to: '1.32',
  startsAt: '2025-04-29T00:21:51Z',
  tempo: DEFAULT_TEMPO,
  managedBy: { karpenter: 'argocd' },
  expectations: { controlPlane: '1.32', kubelets: '1.32' },
  build,
};

/** The incident itself: Terraform owns the AWS side, and Atlantis dies while it applies. */
export const seed000Terraform: Scenario = {
  ...seed000,
  name: 'seed-000-terraform',
  title: 'Staging, 1.31 → 1.32, applied by Terraform in an Atlantis that dies',
  description:
    'As seed-000, but control plane, node group and add-ons belong to Terraform: Belay asks, Atlantis applies, and dies in the middle.',
  managedBy: { controlPlane: 'terraform', nodeGroups: 'terraform', addOns: 'terraform', karpenter: 'argocd' },
  atlantisDies: true,
};
