/** istio-cni and ztunnel by Flux and by Argo CD beside istiod: they follow each istiod in the objects that deliver them. */
import { installRevision, partsOfRevision, setDefaultValidator } from '../../controllers/istio/revisions.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { addNodeAgent, NODE_AGENTS } from '../parts/agent-parts.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addApplication, addHelmRelease } from '../parts/delivery-parts.ts';
import { byArgo, byFlux, type Marks } from './istio-gitops.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp, addNamespace } from '../parts/workload-parts.ts';

const REVISION = '1-28';
const VERSION = '1.28.3';
const MESH = ['docs', 'shop'];
const VALUES = { revision: REVISION, pilot: { autoscaleMin: 2 } };
/** A pin, which has to go with the version, and a setting, which has to stay. */
const PINNED = { tag: VERSION, excludeNamespaces: ['kube-system'] };

function mark(world: World, plural: string, { metadata: { name, namespace } }: KubeObject, deliverer: string, marks: Marks): void {
  world.store.update(plural, name, namespace, (copy) => {
    const { labels, annotations } = marks(copy, deliverer);
    copy.metadata.labels = { ...copy.metadata.labels, ...labels };
    copy.metadata.annotations = { ...copy.metadata.annotations, ...annotations };
  });
}

function addMesh(world: World, marks: Marks): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  addAddOn(world, 'coredns', 'v1.13.1-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.34.1-eksbuild.2');
  installRevision(world, { revision: REVISION, version: VERSION });
  setDefaultValidator(world, REVISION);
  for (const { plural, object } of partsOfRevision(world, REVISION))
    mark(world, plural, object, object.metadata.name === 'istiod-default-validator' ? 'istio-base' : `istiod-${REVISION}`, marks);
  for (const agent of NODE_AGENTS) mark(world, 'daemonsets', addNodeAgent(world, agent, VERSION), agent.release, marks);
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  for (const namespace of MESH) {
    addNamespace(world, namespace, { 'istio.io/rev': REVISION });
    addApp(world, { namespace, name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  }
  addNamespace(world, 'batch', { 'istio.io/dataplane-mode': 'ambient' });
}

const common: Omit<Scenario, 'name' | 'title' | 'description' | 'cluster' | 'build'> = {
  ...small,
  from: '1.34',
  to: '1.35',
  startsAt: '2026-07-10T01:00:00Z',
  istio: { moveBy: 'label', waves: [1] },
  expectations: { controlPlane: '1.35', kubelets: '1.35', istioRevisionGone: REVISION, meshNamespaces: MESH },
};

export const istioFluxAgents: Scenario = {
  ...common,
  name: 'istio-flux-cni',
  title: 'A mesh with istio-cni and ztunnel by Flux, 1.34 → 1.35',
  description:
    'istio-cni from an OCIRepository that nobody keeps, ztunnel under a Kustomization: Belay changes the one and asks for the other, and asks istiod which proxies are in sync.',
  cluster: { name: 'istio-flux-cni', account: '111122223333', region: 'eu-central-1' },
  managedBy: { istio: 'flux' },
  meshDebug: true,
  build(world) {
    addMesh(world, byFlux);
    addHelmRelease(world, { name: 'istio-base', chart: 'base', version: VERSION, values: { defaultRevision: REVISION } });
    addHelmRelease(world, { name: `istiod-${REVISION}`, chart: 'istiod', version: VERSION, values: VALUES });
    addHelmRelease(world, { name: 'istio-cni', chart: 'cni', version: VERSION, oci: true, values: PINNED });
    addHelmRelease(world, { name: 'ztunnel', chart: 'ztunnel', version: VERSION, values: {}, parent: 'platform' });
  },
};

export const istioArgoAgents: Scenario = {
  ...common,
  name: 'istio-argo-cni',
  title: 'A mesh with istio-cni and ztunnel by Argo CD, synced by hand, 1.34 → 1.35',
  description: 'No Application syncs by itself: Belay starts each sync, one for every version on the way.',
  cluster: { name: 'istio-argo-cni', account: '111122223333', region: 'eu-central-1' },
  managedBy: { istio: 'argocd' },
  build(world) {
    addMesh(world, byArgo);
    addApplication(world, { name: 'istio-base', chart: 'base', version: VERSION, values: { defaultRevision: REVISION } });
    addApplication(world, { name: `istiod-${REVISION}`, chart: 'istiod', version: VERSION, values: VALUES });
    addApplication(world, { name: 'istio-cni', chart: 'cni', version: VERSION, values: PINNED });
    addApplication(world, { name: 'ztunnel', chart: 'ztunnel', version: VERSION, values: {} });
  },
};
