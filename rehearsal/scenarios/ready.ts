/** A production cluster that is ready for the next minor: no readiness check finds anything. */
import { installRevision, setDefaultValidator } from '../controllers/istio/revisions.ts';
import { latestAmi } from '../aws/eks/nodes/amis.ts';
import { settle } from '../kubernetes/controllers/index.ts';
import type { World } from '../world/world.ts';
import { addAddOn, addNodeGroup } from './parts/cluster-parts.ts';
import { addApplication, addKubeProxyConfig } from './parts/delivery-parts.ts';
import { addDefinition } from './parts/definition-parts.ts';
import { addKarpenter, addNodeClass, addNodePool, adoptDefinitions, OF_CHART } from './parts/karpenter-parts.ts';
import type { Scenario } from './scenario.ts';
import { small } from './small.ts';
import { addSound, makeSound } from './parts/sound-parts.ts';
import { addNamespace } from './parts/workload-parts.ts';

const KARPENTER = '1.9.2';
const REVISION = '1-28';
const APPS = [
  { namespace: 'shop', name: 'web' },
  { namespace: 'shop', name: 'cart' },
  { namespace: 'shop', name: 'orders', kind: 'StatefulSet' },
  { namespace: 'search', name: 'index' },
] as const;

function build(world: World): void {
  world.eks.cluster.logging = ['api', 'audit'];
  addNodeGroup(world, { name: 'system', size: 3, dedicated: true });
  addAddOn(world, 'vpc-cni', 'v1.20.4-eksbuild.1');
  addAddOn(world, 'coredns', 'v1.13.1-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addAddOn(world, 'aws-ebs-csi-driver', 'v1.53.0-eksbuild.1');
  addKubeProxyConfig(world, 'iptables');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  adoptDefinitions(world, KARPENTER);
  addDefinition(world, {
    group: 'karpenter.sh',
    plural: 'nodeoverlays',
    kind: 'NodeOverlay',
    scope: 'Cluster',
    versions: ['v1alpha1'],
    stored: ['v1alpha1'],
    annotations: OF_CHART,
  });
  addApplication(world, { name: 'karpenter', chart: 'karpenter', version: KARPENTER });
  const ami = latestAmi('al2023', world.eks.cluster.version, world.clock.now());
  addNodeClass(world, { name: 'default', alias: `al2023@${ami?.release}`, karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 6, budgets: [{ nodes: '10%' }] });
  installRevision(world, { revision: REVISION, version: '1.28.3' });
  setDefaultValidator(world, REVISION);
  makeSound(world);
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  addNamespace(world, 'shop', { 'istio.io/rev': REVISION });
  for (const app of APPS) addSound(world, app);
}

export const ready: Scenario = {
  ...small,
  name: 'ready',
  title: 'A cluster that is ready, 1.33 → 1.34',
  description: 'Production with Karpenter and Istio, in which no readiness check finds anything.',
  cluster: { name: 'ready', account: '111122223333', region: 'eu-west-1' },
  environment: 'production',
  from: '1.33',
  to: '1.34',
  startsAt: '2026-02-10T01:00:00Z',
  managedBy: { karpenter: 'argocd', istio: 'manual' },
  istio: { moveBy: 'label' },
  expectations: { controlPlane: '1.34', kubelets: '1.34', meshNamespaces: ['shop'] },
  build,
};
