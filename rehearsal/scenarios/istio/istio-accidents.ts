/** Meshes that somebody has left in a state in which an upgrade must not begin: found before, mended at the gate, then upgraded. */
import { installRevision, ISTIO_NAMESPACE, setDefaultValidator, setTag } from '../../controllers/istio/revisions.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addMesh, MESH_REVISION, meshScenario } from '../parts/mesh-parts.ts';
import type { Scenario } from '../scenario.ts';
import { addApp, addNamespace } from '../parts/workload-parts.ts';

/** Supports 1.34: it stays. */
const STAYS = MESH_REVISION;
const LEFT = 'istio-sidecar-injector-1-24';

const scaleIstiod = (world: World, replicas: number): void =>
  void world.store.update('deployments', `istiod-${STAYS}`, ISTIO_NAMESPACE, ({ spec }) => void (spec.replicas = replicas));

export const istiodAlone: Scenario = {
  ...meshScenario,
  name: 'istiod-alone',
  title: 'One istiod under a budget, 1.33 → 1.34',
  description:
    'istiod has one replica and the budget of its chart, minAvailable 1: no node that it runs on could drain. Found before anything moves; Belay runs a second one while nodes move, and one again afterwards.',
  cluster: { ...meshScenario.cluster, name: 'istiod-alone' },
  from: '1.33',
  to: '1.34',
  expectations: { controlPlane: '1.34', kubelets: '1.34', meshNamespaces: ['docs'] },
  build(world) {
    addNodeGroup(world, { name: 'default', size: 3 });
    addAddOn(world, 'coredns', 'v1.12.4-eksbuild.1');
    addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
    installRevision(world, { revision: STAYS, version: '1.28.3' });
    scaleIstiod(world, 1);
    setDefaultValidator(world, STAYS);
    settle(world);
    addNamespace(world, 'docs', { 'istio.io/rev': STAYS });
    addApp(world, { namespace: 'docs', name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  },
};

export const istioLeftover: Scenario = {
  ...meshScenario,
  name: 'istio-leftover',
  title: 'An injection webhook without its istiod, 1.34 → 1.35',
  description:
    'Somebody deleted istiod 1-24 and left its webhook, which fails closed: no pod that matches it could be created when nodes are replaced. Found before anything moves, deleted at the gate.',
  cluster: { ...meshScenario.cluster, name: 'istio-leftover' },
  mends: [
    {
      gate: 'failed:pre-checks@1.35#1',
      choice: 'retry',
      does: 'the platform team deletes the webhook that was left',
      act: (world) => world.store.delete('mutatingwebhookconfigurations', LEFT),
    },
  ],
  build(world) {
    addMesh(world);
    const found = world.store.get('mutatingwebhookconfigurations', `istio-sidecar-injector-${MESH_REVISION}`);
    const left = JSON.parse(JSON.stringify(found).replaceAll(MESH_REVISION, '1-24'));
    const { name, labels } = left.metadata;
    world.store.create('mutatingwebhookconfigurations', { ...left, metadata: { name, labels } });
  },
};

export const istioBothLabels: Scenario = {
  ...meshScenario,
  name: 'istio-both-labels',
  title: 'A namespace with both injection labels, 1.34 → 1.35',
  description:
    'Namespace docs has istio-injection and istio.io/rev: the first one wins, whatever the second says. Found before anything moves, one of them is taken away at the gate.',
  cluster: { ...meshScenario.cluster, name: 'istio-both-labels' },
  istio: { moveBy: 'tag', waves: [1] },
  mends: [
    {
      gate: 'failed:pre-checks@1.35#1',
      choice: 'retry',
      does: 'the team of docs takes the label istio-injection away',
      act: (world) => label(world, undefined),
    },
  ],
  build(world) {
    addMesh(world);
    setTag(world, 'default', MESH_REVISION);
    label(world, 'enabled');
  },
};

const label = (world: World, injection: string | undefined): void =>
  void world.store.update('namespaces', 'docs', undefined, ({ metadata }) => {
    const { 'istio-injection': _injection, ...others } = metadata.labels ?? {};
    metadata.labels = injection === undefined ? others : { ...others, 'istio-injection': injection };
  });
