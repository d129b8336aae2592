/** Clusters by the number of their nodes, for measuring: most of them Karpenter's, ten pods a node, in the mix of owners that large clusters have. */
import type { World } from '../world/world.ts';
import { addAddOn, addNodeGroup } from './parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from './parts/karpenter-parts.ts';
import { DEFAULT_TEMPO, type Scenario } from './scenario.ts';
import { addApp } from './parts/workload-parts.ts';

const KARPENTER = '1.5.6';
const PODS_PER_NODE = 10;
/** Of aws-node, kube-proxy and the EBS driver on every node. */
const DAEMON_PODS = 3;
const SYSTEM_NODES = 3;
/** Replicas of one Deployment. */
const REPLICAS = 20;
/** Nodes of one NodePool: large clusters have several. */
const POOL_NODES = 1000;

function build(world: World, nodeCount: number): void {
  addNodeGroup(world, { name: 'system', size: SYSTEM_NODES, dedicated: true });
  addAddOn(world, 'vpc-cni', 'v1.18.5-eksbuild.1');
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addAddOn(world, 'aws-ebs-csi-driver', 'v1.37.0-eksbuild.1');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: KARPENTER });
  const ours = nodeCount - SYSTEM_NODES;
  for (let from = 0, index = 1; from < ours; from += POOL_NODES, index += 1) {
    const nodes = Math.min(POOL_NODES, ours - from);
    addNodePool(world, { name: `pool-${index}`, nodeClass: 'default', nodes, budgets: [{ nodes: '10%' }], limits: { cpu: '10000' } });
  }
  const pods = ours * (PODS_PER_NODE - DAEMON_PODS);
  for (let placed = 0, index = 0; placed < pods; placed += REPLICAS, index += 1) {
    addApp(world, {
      namespace: `team-${index % 50}`,
      name: `app-${index}`,
      replicas: Math.min(REPLICAS, pods - placed),
      budget: { maxUnavailable: '25%' },
    });
  }
}

const sized = (nodeCount: number): Scenario => ({
  name: `scale-${nodeCount}`,
  title: `${nodeCount} nodes, 1.31 → 1.32`,
  description: `${nodeCount} nodes with ${PODS_PER_NODE} pods each, nearly all of them Karpenter's: for measuring.`,
  cluster: { name: `scale-${nodeCount}`, account: '111122223333', region: 'eu-west-1' },
  environment: 'scale',
  from: '1.31',
  to: '1.32',
  startsAt: '2025-04-29T00:00:00Z',
  tempo: DEFAULT_TEMPO,
  managedBy: { karpenter: 'argocd' },
  expectations: { controlPlane: '1.32', kubelets: '1.32' },
  build: (world) => build(world, nodeCount),
});

export const scale50 = sized(50);
export const scale500 = sized(500);
export const scale5000 = sized(5000);
