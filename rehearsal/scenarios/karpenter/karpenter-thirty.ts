/** Thirty Karpenter nodes, each with one workload's pod to itself: the scenario for a real control plane and a real Karpenter. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import { DEFAULT_TEMPO, type Scenario } from '../scenario.ts';
import { addApp, type App } from '../parts/workload-parts.ts';

/** The version of the real one in test/real/go/karpenter. */
const KARPENTER = '1.14.1';
/** Of four: one pod fills a node. Pods keep off the node group, which would have room. */
const FILLS_A_NODE = { cpu: '3', nodeSelector: { 'karpenter.sh/nodepool': 'default' } };

const APPS: readonly App[] = [
  { namespace: 'shop', name: 'storefront', replicas: 8, budget: { maxUnavailable: '25%' } },
  { namespace: 'shop', name: 'cart', replicas: 6, budget: { minAvailable: 4 } },
  { namespace: 'shop', name: 'catalog', replicas: 6, budget: { maxUnavailable: 1 } },
  { namespace: 'search', name: 'search', replicas: 5, budget: { minAvailable: '60%' } },
  { namespace: 'search', name: 'index', replicas: 5, budget: { maxUnavailable: 1 } },
];

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 2, dedicated: true });
  addThirty(world, 'system');
}

/** Add-ons, Karpenter on the node group, its thirty nodes, and what fills them. */
export function addThirty(world: World, nodeGroup: string): void {
  addAddOn(world, 'vpc-cni', 'v1.19.5-eksbuild.3');
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addKarpenter(world, { version: KARPENTER, nodeGroup });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 30, budgets: [{ nodes: '10%' }] });
  for (const app of APPS) addApp(world, { ...app, ...FILLS_A_NODE });
}

export const karpenterThirty: Scenario = {
  name: 'karpenter-30',
  title: 'Thirty Karpenter nodes, 1.33 → 1.34',
  description: 'Thirty full Karpenter nodes under budgets and two of a node group; also for --kubernetes real.',
  cluster: { name: 'karpenter-30', account: '111122223333', region: 'eu-west-1' },
  environment: 'staging',
  from: '1.33',
  to: '1.34',
  startsAt: '2026-07-10T01:00:00Z',
  tempo: { ...DEFAULT_TEMPO, apiServerMovesAfterMs: 120_000 },
  managedBy: { karpenter: 'argocd' },
  expectations: { controlPlane: '1.34', kubelets: '1.34' },
  build,
};
