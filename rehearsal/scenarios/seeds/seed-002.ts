/** seeds/002: a production cluster from 1.32 to 1.34 with a Karpenter outside its matrix and a mesh that has to move twice. */
import { installRevision, setDefaultValidator } from '../../controllers/istio/revisions.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import { TRAFFIC_ANNOTATION } from '../../neighbours/prometheus/mesh-metrics.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import { DEFAULT_TEMPO, type Scenario } from '../scenario.ts';
import { addApp, addNamespace } from '../parts/workload-parts.ts';

const KARPENTER = '1.0.2';
const REVISION = '1-26';

/** Namespaces of the mesh with their requests per second. */
const MESH: readonly { namespace: string; apps: readonly [name: string, replicas: number][]; requestsPerSecond: number }[] = [
  { namespace: 'docs', apps: [['docs', 2]], requestsPerSecond: 0.4 },
  {
    namespace: 'backoffice',
    apps: [
      ['admin', 2],
      ['audit', 2],
    ],
    requestsPerSecond: 2.5,
  },
  {
    namespace: 'notifications',
    apps: [
      ['mailer', 2],
      ['push', 2],
    ],
    requestsPerSecond: 9,
  },
  {
    namespace: 'catalog',
    apps: [
      ['catalog', 3],
      ['images', 2],
    ],
    requestsPerSecond: 41,
  },
  {
    namespace: 'identity',
    apps: [
      ['login', 3],
      ['sessions', 2],
    ],
    requestsPerSecond: 77,
  },
  {
    namespace: 'orders',
    apps: [
      ['orders', 3],
      ['shipping', 2],
    ],
    requestsPerSecond: 118,
  },
  {
    namespace: 'payments',
    apps: [
      ['checkout', 3],
      ['ledger', 2],
    ],
    requestsPerSecond: 164,
  },
  {
    namespace: 'storefront',
    apps: [
      ['web', 4],
      ['search', 3],
    ],
    requestsPerSecond: 420,
  },
];

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 2, dedicated: true });
  addAddOn(world, 'vpc-cni', 'v1.19.2-eksbuild.5');
  addAddOn(world, 'coredns', 'v1.11.4-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.32.0-eksbuild.2');
  addAddOn(world, 'aws-ebs-csi-driver', 'v1.41.0-eksbuild.1');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addNodeClass(world, { name: 'al2023', alias: 'al2023@latest', karpenter: KARPENTER });
  addNodePool(world, { name: 'default', nodeClass: 'al2023', nodes: 8, budgets: [{ nodes: '10%' }] });
  // Without budgets: to restore exactly means to take the field out again.
  addNodePool(world, { name: 'burst', nodeClass: 'al2023', nodes: 4 });
  installRevision(world, { revision: REVISION, version: '1.26.2' });
  setDefaultValidator(world, REVISION);
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  for (const { namespace, apps, requestsPerSecond } of MESH) {
    addNamespace(world, namespace, { 'istio.io/rev': REVISION }, { [TRAFFIC_ANNOTATION]: String(requestsPerSecond) });
    for (const [name, replicas] of apps) addApp(world, { namespace, name, replicas, budget: { maxUnavailable: 1 } });
  }
  addApp(world, { namespace: 'monitoring', name: 'grafana', replicas: 2 });
}

export const seed002: Scenario = {
  name: 'seed-002',
  title: 'Seoul production, 1.32 → 1.34, Istio by canary revisions',
  description:
    'Two hops, Karpenter 1.0.2 outside its own matrix, and Istio 1.26, which supports neither 1.34 nor itself any longer: 1.26 → 1.28 → 1.30.',
  cluster: { name: 'prod-seoul', account: '444455556666', region: 'ap-northeast-2' },
  environment: 'production',
  from: '1.32',
  to: '1.34',
  startsAt: '2026-07-10T01:00:00Z',
  tempo: DEFAULT_TEMPO,
  managedBy: { karpenter: 'argocd', istio: 'argocd' },
  istio: { moveBy: 'label' },
  expectations: { controlPlane: '1.34', kubelets: '1.34', istioRevisionGone: REVISION, meshNamespaces: MESH.map((m) => m.namespace) },
  build,
};
