/** A mesh by Flux and by Argo CD: objects of revisions that nobody keeps are made and removed by Belay, the others asked for. */
import { installRevision, ISTIO_NAMESPACE, partsOfRevision, setDefaultValidator } from '../../controllers/istio/revisions.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addApplication, addHelmRelease } from '../parts/delivery-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp, addNamespace } from '../parts/workload-parts.ts';

const REVISION = '1-26';
const VERSION = '1.26.2';
const MESH = ['docs', 'shop', 'pay'];
/** In every object that delivers istiod: a pin that a copy must not have, and settings that it must. */
const VALUES = { revision: REVISION, pilot: { tag: VERSION, autoscaleMin: 2 }, meshConfig: { accessLogFile: '/dev/stdout' } };

export type Marks = (object: KubeObject, deliverer: string) => Partial<KubeObject['metadata']>;

export const byFlux: Marks = (_object, deliverer) => ({
  labels: {
    'helm.toolkit.fluxcd.io/name': deliverer,
    'helm.toolkit.fluxcd.io/namespace': 'flux-system',
    'app.kubernetes.io/managed-by': 'Helm',
  },
  annotations: { 'meta.helm.sh/release-name': deliverer, 'meta.helm.sh/release-namespace': ISTIO_NAMESPACE },
});

export const byArgo: Marks = ({ apiVersion, kind, metadata }, deliverer) => {
  const group = (apiVersion ?? '').includes('/') ? apiVersion?.split('/')[0] : '';
  return {
    annotations: { 'argocd.argoproj.io/tracking-id': `${deliverer}:${group}/${kind}:${metadata.namespace ?? ''}/${metadata.name}` },
  };
};

function addMesh(world: World, marks: Marks): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  installRevision(world, { revision: REVISION, version: VERSION });
  setDefaultValidator(world, REVISION);
  for (const { plural, object } of partsOfRevision(world, REVISION)) {
    const deliverer = object.metadata.name === 'istiod-default-validator' ? 'istio-base' : `istiod-${REVISION}`;
    const { labels, annotations } = marks(object, deliverer);
    world.store.update(plural, object.metadata.name, object.metadata.namespace, ({ metadata }) => {
      metadata.labels = { ...metadata.labels, ...labels };
      metadata.annotations = { ...metadata.annotations, ...annotations };
    });
  }
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  for (const namespace of MESH) {
    addNamespace(world, namespace, { 'istio.io/rev': REVISION });
    addApp(world, { namespace, name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  }
}

const common: Omit<Scenario, 'name' | 'title' | 'description' | 'cluster' | 'build'> = {
  ...small,
  from: '1.33',
  to: '1.34',
  startsAt: '2026-07-10T01:00:00Z',
  istio: { moveBy: 'label', waves: [1] },
  expectations: { controlPlane: '1.34', kubelets: '1.34', istioRevisionGone: REVISION, meshNamespaces: MESH },
};

export const istioFlux: Scenario = {
  ...common,
  name: 'istio-flux',
  title: 'A mesh by Flux, and nobody keeps its HelmReleases, 1.33 → 1.34',
  description:
    'istio-base by version, istiod from an OCIRepository. Belay patches the base, makes the objects of each new revision as copies, and deletes those of the old one.',
  cluster: { name: 'istio-flux', account: '111122223333', region: 'eu-central-1' },
  managedBy: { istio: 'flux' },
  build(world) {
    addMesh(world, byFlux);
    addHelmRelease(world, { name: 'istio-base', chart: 'base', version: VERSION, values: { defaultRevision: REVISION } });
    addHelmRelease(world, { name: `istiod-${REVISION}`, chart: 'istiod', version: VERSION, oci: true, values: VALUES });
  },
};

export const istioArgo: Scenario = {
  ...common,
  name: 'istio-argo',
  title: 'A mesh by Argo CD with self-heal, a part of it kept in Git, 1.33 → 1.34',
  description:
    'The base and the labels of one namespace are in Git: Belay asks for these merges. istiod’s Application is nobody’s: Belay makes its copy and removes the old one.',
  cluster: { name: 'istio-argo', account: '111122223333', region: 'eu-central-1' },
  managedBy: { istio: 'argocd' },
  build(world) {
    addMesh(world, byArgo);
    const automated = { prune: true, selfHeal: true };
    addApplication(world, {
      name: 'istio-base',
      chart: 'base',
      version: VERSION,
      values: { defaultRevision: REVISION },
      parent: 'platform',
      automated,
    });
    addApplication(world, { name: `istiod-${REVISION}`, chart: 'istiod', version: VERSION, values: VALUES, automated });
    world.store.update('namespaces', 'pay', undefined, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, 'argocd.argoproj.io/tracking-id': 'teams:/Namespace:/pay' };
    });
  },
};

export const istioFluxGit: Scenario = {
  ...common,
  name: 'istio-flux-git',
  title: 'A mesh by Flux, kept as in Git by a Kustomization, 1.33 → 1.34',
  description:
    'Base, new revisions and the removal of the old one are asked for, with the manifest to add; Belay changes none of these objects.',
  cluster: { name: 'istio-flux-git', account: '111122223333', region: 'eu-central-1' },
  managedBy: { istio: 'flux' },
  build(world) {
    addMesh(world, byFlux);
    const parent = 'platform';
    addHelmRelease(world, { name: 'istio-base', chart: 'base', version: VERSION, values: { defaultRevision: REVISION }, parent });
    addHelmRelease(world, { name: `istiod-${REVISION}`, chart: 'istiod', version: VERSION, values: VALUES, parent });
  },
};
