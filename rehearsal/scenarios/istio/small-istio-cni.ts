/** A small mesh with istio-cni and ztunnel on every node: Istio goes up one minor at a time, and they follow in place. */
import { ISTIO_NAMESPACE, patchOfIstio } from '../../controllers/istio/revisions.ts';
import { addRelease } from '../../neighbours/helm/release.ts';
import { settle } from '../../kubernetes/controllers/index.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import type { Scenario } from '../scenario.ts';
import { smallIstioHelm } from './small-istio-helm.ts';
import { addLabelledMesh, FIRST_REVISION } from './small-istio-label.ts';
import { type Agent, addNodeAgent, NODE_AGENTS } from '../parts/agent-parts.ts';
import { addNamespace } from '../parts/workload-parts.ts';

const VERSION = patchOfIstio('1.27');
const MESH = ['docs', 'shop'];

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addLabelledMesh(world, MESH);
  // Its traffic goes through ztunnel; no wave moves it.
  addNamespace(world, 'batch', { 'istio.io/dataplane-mode': 'ambient' });
  for (const agent of NODE_AGENTS) addAgent(world, agent);
  settle(world);
}

/** By a Helm release of its own. */
function addAgent(world: World, agent: Agent): void {
  const object = addNodeAgent(world, agent, VERSION);
  const place = { name: agent.release, namespace: ISTIO_NAMESPACE, chart: { name: agent.chart, version: VERSION } };
  addRelease(world, { ...place, config: {}, objects: [{ plural: 'daemonsets', object }] });
}

export const smallIstioCni: Scenario = {
  ...smallIstioHelm,
  name: 'small-istio-cni',
  title: 'A small mesh with istio-cni and ztunnel, 1.33 → 1.34',
  description:
    'Istio by the real helm, one minor at a time because istio-cni and ztunnel may lag istiod by one; they follow each istiod in place, behind a gate. Needs helm.',
  cluster: { name: 'small-cni-mesh', account: '111122223333', region: 'eu-central-1' },
  istio: { moveBy: 'label', waves: [1] },
  expectations: { controlPlane: '1.34', kubelets: '1.34', istioRevisionGone: FIRST_REVISION, meshNamespaces: MESH },
  build,
};
