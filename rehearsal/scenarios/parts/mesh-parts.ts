/** A small mesh that meets an accident: one canary, two namespaces, no Karpenter. What goes wrong is the scenario's. */
import { installRevision, setDefaultValidator } from '../../controllers/istio/revisions.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import { ERRORS_ANNOTATION, TRAFFIC_ANNOTATION } from '../../neighbours/prometheus/mesh-metrics.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from './cluster-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp, addNamespace } from './workload-parts.ts';

/** Supports 1.30 to 1.34: it has to move before 1.35. */
export const MESH_REVISION = '1-28';
export const MESH_SUCCESSOR = '1-30';
/** With requests per second: the quiet one moves first. */
export const MESH_NAMESPACES: readonly (readonly [name: string, requestsPerSecond: number])[] = [
  ['docs', 6],
  ['shop', 120],
];

export function addMesh(world: World): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  addAddOn(world, 'coredns', 'v1.13.1-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.34.1-eksbuild.2');
  installRevision(world, { revision: MESH_REVISION, version: '1.28.3' });
  setDefaultValidator(world, MESH_REVISION);
  // istiod runs before the mesh's pods are made, or its webhook would refuse them.
  settle(world);
  for (const [name, requestsPerSecond] of MESH_NAMESPACES) {
    const traffic = { [TRAFFIC_ANNOTATION]: String(requestsPerSecond), [ERRORS_ANNOTATION]: '0.006' };
    addNamespace(world, name, { 'istio.io/rev': MESH_REVISION }, traffic);
    addApp(world, { namespace: name, name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  }
}

/** Everything but the story. */
export const meshScenario: Omit<Scenario, 'name' | 'title' | 'description' | 'build'> = {
  cluster: { name: 'mesh', account: '111122223333', region: 'eu-central-1' },
  environment: 'production',
  from: '1.34',
  to: '1.35',
  startsAt: '2026-07-10T01:00:00Z',
  tempo: small.tempo,
  managedBy: { istio: 'argocd' },
  istio: { moveBy: 'label', waves: [1] },
  expectations: {
    controlPlane: '1.35',
    kubelets: '1.35',
    istioRevisionGone: MESH_REVISION,
    meshNamespaces: MESH_NAMESPACES.map(([name]) => name),
  },
};
