/** A mesh with every kind of gateway: each moves in place, the one in Git by its owners, and no load balancer changes. */
import { addApiGateway, addGateway } from '../parts/gateway-parts.ts';
import { addMesh, MESH_REVISION, meshScenario } from '../parts/mesh-parts.ts';
import type { Scenario } from '../scenario.ts';
import { addNamespace } from '../parts/workload-parts.ts';

/** Its namespace says its revision, and holds nothing else. */
const EGRESS = 'istio-egress';

export const istioGateways: Scenario = {
  ...meshScenario,
  name: 'istio-gateways',
  title: 'A mesh with gateways of every kind, 1.34 → 1.35',
  description:
    'Gateways by the chart, by the Gateway API and one that Argo CD keeps as in Git: each moves in place to the new revision behind its load balancer, with a gate where the old istiod would cut its connections.',
  cluster: { ...meshScenario.cluster, name: 'istio-gateways' },
  expectations: {
    ...meshScenario.expectations,
    meshNamespaces: [...(meshScenario.expectations.meshNamespaces ?? []), 'istio-ingress', EGRESS, 'partners'],
  },
  build(world) {
    addMesh(world);
    addGateway(world, { namespace: 'istio-ingress', name: 'public', replicas: 2, revision: MESH_REVISION });
    addGateway(world, { namespace: 'istio-ingress', name: 'internal', replicas: 2, revision: MESH_REVISION, inGit: true });
    addNamespace(world, EGRESS, { 'istio.io/rev': MESH_REVISION });
    addGateway(world, { namespace: EGRESS, name: 'egress', replicas: 1 });
    addApiGateway(world, { namespace: 'partners', name: 'partners', revision: MESH_REVISION });
    // Nothing of its own: it goes by the label of its namespace.
    addApiGateway(world, { namespace: 'shop', name: 'shop' });
  },
};
