/** The AMI release that staging has baked becomes production's pin, and not the newest, which nobody has tried. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

const KARPENTER = '1.6.2';
/** Neither what production runs nor what `@latest` would bring. */
const BAKED = 'al2023@v20251016';
const PINNED = 'al2023@v20250403';

function addBase(world: World, kubeProxy: string): void {
  addNodeGroup(world, { name: 'system', size: 1 });
  addAddOn(world, 'kube-proxy', kubeProxy);
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
}

function build(world: World): void {
  addBase(world, 'v1.31.3-eksbuild.2');
  addNodeClass(world, { name: 'default', alias: PINNED, karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '1' }] });
  addNodeClass(world, { name: 'batch', alias: PINNED, karpenter: KARPENTER, argocd: true });
  addNodePool(world, { name: 'batch', nodeClass: 'batch', nodes: 2, budgets: [{ nodes: '1' }] });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
}

/** Its nodes are as old as whatever runs when a scenario begins: six days. */
function buildStaging(world: World): void {
  addBase(world, 'v1.32.0-eksbuild.2');
  addNodeClass(world, { name: 'default', alias: BAKED, karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 2, budgets: [{ nodes: '1' }] });
}

const selectors = (alias: string) => ({ default: [{ alias }], batch: [{ alias }] });

export const amiPromotion: Scenario = {
  ...small,
  name: 'ami-promotion',
  title: 'The AMI release that staging has baked, 1.31 → 1.32',
  description:
    'Staging has run one AMI release on all of its nodes for six days; production pins it as its nodes roll, by Belay and through Argo CD. A newer release is out, which nobody has tried.',
  cluster: { name: 'production', account: '111122223333', region: 'eu-west-1' },
  environment: 'production',
  from: '1.31',
  to: '1.32',
  startsAt: '2026-07-10T01:00:00Z',
  karpenter: { promoteFrom: { environment: 'staging', bakedDays: 5 } },
  neighbours: [{ name: 'staging', environment: 'staging', version: '1.32', build: buildStaging }],
  expectations: { controlPlane: '1.32', kubelets: '1.32', amiSelectors: selectors(BAKED) },
  build,
};

/** Staging needs another day: people look again, and then go on without. */
export const amiPromotionYoung: Scenario = {
  ...amiPromotion,
  name: 'ami-promotion-young',
  title: 'An AMI release that staging has not baked for long enough, 1.31 → 1.32',
  description:
    'belay.yaml asks for a week, and staging has had its release for six days. The plan says so, people look again before nodes roll, and go on with the release that production is pinned to.',
  karpenter: { promoteFrom: { environment: 'staging', bakedDays: 7 } },
  expectations: { ...amiPromotion.expectations, amiSelectors: selectors(PINNED) },
};

/** The same, taken back: other images within one minor, which no kubelet's version tells apart. */
export const amiPromotionUndone: Scenario = {
  ...amiPromotion,
  name: 'undone-node-classes',
  title: 'A promoted AMI release, taken back, 1.31 → 1.32',
  description:
    "After the upgrade the node classes go back to the release of before, by a plan of its own: Belay edits one, Argo CD is asked for the other, and Karpenter's nodes roll at 1.32 once more, paced.",
  cluster: { ...amiPromotion.cluster, name: 'undone-node-classes' },
  undoes: ['node-classes'],
  expectations: { ...amiPromotion.expectations, amiSelectors: selectors(PINNED) },
};
