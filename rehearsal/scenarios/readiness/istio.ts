/** What is wrong with Istio in the scenario `readiness`: old and broken revisions, labels and webhooks that do not agree. */
import { installRevision, ISTIO_NAMESPACE, setDefaultValidator } from '../../controllers/istio/revisions.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { addDefinition } from '../parts/definition-parts.ts';
import { addSound, makeSound } from '../parts/sound-parts.ts';
import { addNamespace } from '../parts/workload-parts.ts';

/** The one without faults. */
const SOUND = '1-29';
const PROXY_VERSION = '1.28.3';
const VERSION = '1.29.2';

export function plantIstio(world: World): void {
  installRevision(world, { revision: SOUND, version: PROXY_VERSION });
  installRevision(world, { revision: '1-26', version: '1.26.2' });
  makeSound(world);
  changeIstiod(world, '1-26', ({ spec }) => void (spec.replicas = 1));
  settle(world);
  addNamespace(world, 'old-proxies', { 'istio.io/rev': SOUND });
  addSound(world, { namespace: 'old-proxies', name: 'not-restarted' });
  settle(world);
  // istiod moves on; pods keep the proxy that they were started with.
  changeIstiod(world, SOUND, (copy) => setVersion(copy, VERSION));
  addNamespace(world, 'new-proxies', { 'istio.io/rev': '1-26' });
  addNamespace(world, 'both-labels', { 'istio.io/rev': SOUND, 'istio-injection': 'enabled' });
  addNamespace(world, 'mistyped', { 'istio.io/rev': '1-92' });
  plantBroken(world);
  plantEdge(world);
  plantOwnChoice(world);
  setDefaultValidator(world, SOUND);
}

/** A revision whose istiod does not start, one that was taken away in part, and a ztunnel that nobody has upgraded, of a registry that ends. */
function plantBroken(world: World): void {
  installRevision(world, { revision: '1-30', version: '1.30.2' });
  installRevision(world, { revision: '1-24', version: '1.24.6' });
  makeSound(world);
  changeIstiod(world, '1-30', ({ spec }) => void (spec.template.spec.nodeSelector = { 'example.com/pool': 'gone' }));
  for (const plural of ['deployments', 'services', 'poddisruptionbudgets']) world.store.delete(plural, 'istiod-1-24', ISTIO_NAMESPACE);
  addSound(world, {
    kind: 'DaemonSet',
    namespace: ISTIO_NAMESPACE,
    name: 'ztunnel',
    change: ({ spec }) =>
      Object.assign(spec.template.spec.containers[0], { name: 'istio-proxy', image: 'gcr.io/istio-release/ztunnel:1.26.2' }),
  });
}

/** A gateway that has nobody to stand in for it, a Gateway API of before v1beta1, and configuration that stays behind. */
function plantEdge(world: World): void {
  const apiVersion = 'gateway.networking.k8s.io/v1';
  addSound(world, {
    namespace: 'edge',
    name: 'lone-gateway',
    budget: 'none',
    change({ spec }) {
      spec.replicas = 1;
      spec.template.metadata.labels = { ...spec.template.metadata.labels, 'istio.io/rev': SOUND };
      spec.template.metadata.annotations = { 'inject.istio.io/templates': 'gateway' };
    },
  });
  addNamespace(world, 'edge');
  world.store.create('httproutes', {
    apiVersion,
    kind: 'HTTPRoute',
    metadata: { name: 'bound-route', namespace: 'edge', labels: { 'istio.io/rev': SOUND } },
    spec: {},
  });
  world.store.create('envoyfilters', {
    apiVersion: 'networking.istio.io/v1alpha3',
    kind: 'EnvoyFilter',
    metadata: { name: 'for-old-proxies', namespace: 'edge' },
    spec: {
      configPatches: [{ applyTo: 'CLUSTER', match: { proxy: { proxyVersion: '^1\\.28.*' } }, patch: { operation: 'MERGE', value: {} } }],
    },
  });
  addDefinition(world, {
    group: 'gateway.networking.k8s.io',
    plural: 'referencegrants',
    kind: 'ReferenceGrant',
    scope: 'Namespaced',
    versions: ['v1alpha2'],
  });
}

/** Labels of templates: one that chooses the old revision, and two, a gateway's and a workload's, that choose one that is not there. */
function plantOwnChoice(world: World): void {
  const choosing = (namespace: string, name: string, revision: string, annotations: Record<string, string> = {}): void => {
    addSound(world, {
      namespace,
      name,
      change({ spec }) {
        spec.template.metadata.labels = { ...spec.template.metadata.labels, 'istio.io/rev': revision };
        spec.template.metadata.annotations = annotations;
      },
    });
  };
  addNamespace(world, 'unlabelled');
  choosing('unlabelled', 'own-choice', '1-26');
  choosing('unlabelled', 'lost', '1-92');
  choosing('edge', 'lost-gateway', '1-92', { 'inject.istio.io/templates': 'gateway' });
}

function changeIstiod(world: World, revision: string, change: (copy: KubeObject) => void): void {
  world.store.update('deployments', `istiod-${revision}`, ISTIO_NAMESPACE, change);
}

function setVersion(istiod: KubeObject, version: string): void {
  istiod.metadata.labels = { ...istiod.metadata.labels, 'app.kubernetes.io/version': version };
  istiod.spec.template.spec.containers[0].image = `docker.io/istio/pilot:${version}`;
}
