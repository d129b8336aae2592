/** A tiny cluster with a mesh and an old Karpenter: every phase that `small` lacks. */
import { installRevision, setDefaultValidator } from '../../../rehearsal/controllers/istio/revisions.ts';
import { settle } from '../../../rehearsal/kubernetes/controllers/index.ts';
import { addAddOn, addNodeGroup } from '../../../rehearsal/scenarios/parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../../../rehearsal/scenarios/parts/karpenter-parts.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { small } from '../../../rehearsal/scenarios/small.ts';
import { addApp, addNamespace } from '../../../rehearsal/scenarios/parts/workload-parts.ts';
import type { World } from '../../../rehearsal/world/world.ts';

export const OLD = '1-26';
export const MESHED = ['docs', 'shop'];

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 1 });
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addKarpenter(world, { version: '1.0.2', nodeGroup: 'default' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: '1.0.2' });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 2, budgets: [{ nodes: '1' }] });
  installRevision(world, { revision: OLD, version: '1.26.2' });
  setDefaultValidator(world, OLD);
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  for (const namespace of MESHED) {
    addNamespace(world, namespace, { 'istio.io/rev': OLD });
    addApp(world, { namespace, name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  }
}

export const mesh: Scenario = {
  ...small,
  name: 'mesh',
  title: 'A tiny mesh, 1.33 → 1.34',
  description: 'Two Karpenter nodes under an old Karpenter, two namespaces of an old Istio.',
  from: '1.33',
  to: '1.34',
  startsAt: '2026-07-10T01:00:00Z',
  managedBy: { karpenter: 'argocd', istio: 'argocd' },
  istio: { moveBy: 'label' },
  expectations: { controlPlane: '1.34', kubelets: '1.34', istioRevisionGone: OLD, meshNamespaces: MESHED },
  build,
};
