/** A small mesh that Helm installs and namespaces select by its revision: one canary, also on real istiods. */
import { installRevision, setDefaultValidator } from '../../controllers/istio/revisions.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import type { Scenario } from '../scenario.ts';
import { recordReleases, smallIstioHelm } from './small-istio-helm.ts';
import { addApp, addNamespace } from '../parts/workload-parts.ts';

/** What the mesh begins with. */
export const FIRST_REVISION = '1-27';
const VERSION = '1.27.3';
const MESH = ['docs', 'shop', 'pay'];

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addLabelledMesh(world, MESH);
}

/** Istio by Helm, and namespaces that name its revision, each with an app of two replicas on any node that `nodeSelector` allows. */
export function addLabelledMesh(world: World, namespaces: readonly string[], nodeSelector?: Record<string, string>): void {
  installRevision(world, { revision: FIRST_REVISION, version: VERSION });
  setDefaultValidator(world, FIRST_REVISION);
  recordReleases(world, { revision: FIRST_REVISION, version: VERSION });
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  for (const namespace of namespaces) {
    addNamespace(world, namespace, { 'istio.io/rev': FIRST_REVISION });
    addApp(world, { namespace, name: 'web', replicas: 2, nodeSelector, budget: { maxUnavailable: 1 } });
  }
}

export const smallIstioLabel: Scenario = {
  ...smallIstioHelm,
  name: 'small-istio-label',
  title: 'A small mesh by Helm and revision labels, 1.33 → 1.34',
  description: 'Istio by the real helm; namespaces select its revision themselves. Needs helm; also for --kubernetes real.',
  cluster: { name: 'small-label-mesh', account: '111122223333', region: 'eu-central-1' },
  istio: { moveBy: 'label', waves: [1] },
  expectations: { controlPlane: '1.34', kubelets: '1.34', istioRevisionGone: FIRST_REVISION, meshNamespaces: MESH },
  build,
};
