/** Everything in one upgrade: thirty Karpenter nodes and a mesh that moves by canary revisions, while the control plane moves. */
import type { World } from '../world/world.ts';
import { addNodeGroup } from './parts/cluster-parts.ts';
import { addThirty, karpenterThirty } from './karpenter/karpenter-thirty.ts';
import type { Scenario } from './scenario.ts';
import { addLabelledMesh, FIRST_REVISION } from './istio/small-istio-label.ts';

const MESH = ['docs', 'pay', 'site'];

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  // Off Karpenter's nodes, so that a restart of the mesh launches none.
  addLabelledMesh(world, MESH, { 'eks.amazonaws.com/nodegroup': 'default' });
  addThirty(world, 'default');
}

export const whole: Scenario = {
  ...karpenterThirty,
  name: 'whole',
  title: 'Thirty Karpenter nodes and a mesh, 1.33 → 1.34',
  description:
    'Control plane, node group, thirty Karpenter nodes under budgets and Istio by the real helm in one upgrade. Needs helm; also for --kubernetes real.',
  cluster: { name: 'whole', account: '111122223333', region: 'eu-west-1' },
  managedBy: { ...karpenterThirty.managedBy, istio: 'helm' },
  istio: { moveBy: 'label', waves: [1] },
  expectations: { ...karpenterThirty.expectations, istioRevisionGone: FIRST_REVISION, meshNamespaces: MESH },
  build,
};
