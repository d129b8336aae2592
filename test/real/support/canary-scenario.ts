/** A mesh whose namespaces select its revision in each of the three ways: by tag default, by a tag of its own, by the revision's name. */
import { installRevision, setDefaultValidator, setTag } from '../../../rehearsal/controllers/istio/revisions.ts';
import { settle } from '../../../rehearsal/kubernetes/controllers/index.ts';
import { addAddOn, addNodeGroup } from '../../../rehearsal/scenarios/parts/cluster-parts.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { recordReleases, smallIstioHelm } from '../../../rehearsal/scenarios/istio/small-istio-helm.ts';
import { addApp, addNamespace } from '../../../rehearsal/scenarios/parts/workload-parts.ts';
import type { World } from '../../../rehearsal/world/world.ts';

export const OLD = { revision: '1-27', version: '1.27.3' };
export const TAGS = ['default', 'prod'];
/** Labels by namespace. */
export const MESH: Record<string, Record<string, string>> = {
  docs: { 'istio-injection': 'enabled' },
  pay: { 'istio.io/rev': OLD.revision },
  shop: { 'istio.io/rev': 'prod' },
};

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  installRevision(world, OLD);
  setDefaultValidator(world, OLD.revision);
  for (const tag of TAGS) setTag(world, tag, OLD.revision);
  recordReleases(world, OLD);
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  for (const [name, labels] of Object.entries(MESH)) {
    addNamespace(world, name, labels);
    addApp(world, { namespace: name, name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  }
  // Somebody has pinned one workload as well.
  world.store.update('deployments', 'web', 'pay', (copy) => void (copy.spec.template.metadata.labels['istio.io/rev'] = OLD.revision));
}

export const canary: Scenario = {
  ...smallIstioHelm,
  name: 'canary',
  cluster: { ...smallIstioHelm.cluster, name: 'canary' },
  istio: { moveBy: 'tag', waves: [1] },
  expectations: { controlPlane: '1.34', kubelets: '1.34', istioRevisionGone: OLD.revision, meshNamespaces: Object.keys(MESH) },
  build,
};
