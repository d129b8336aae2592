/** A small mesh with istio-cni and ztunnel on every node: Istio goes up one minor at a time, and they follow in place. */
import { ISTIO_NAMESPACE, patchOfIstio } from '../controllers/istio/revisions.ts';
import { addRelease } from '../helm/release.ts';
import { settle } from '../kubernetes/controllers/index.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { World } from '../world/world.ts';
import { addAddOn, addNodeGroup } from './cluster-parts.ts';
import type { Scenario } from './scenario.ts';
import { smallIstioHelm } from './small-istio-helm.ts';
import { addLabelledMesh, FIRST_REVISION } from './small-istio-label.ts';
import { addNamespace } from './workload-parts.ts';

const VERSION = patchOfIstio('1.27');
const MESH = ['docs', 'shop'];

const AGENTS = [
  { release: 'istio-cni', chart: 'cni', name: 'istio-cni-node', selects: 'k8s-app', container: 'install-cni', image: 'install-cni' },
  { release: 'ztunnel', chart: 'ztunnel', name: 'ztunnel', selects: 'app', container: 'istio-proxy', image: 'ztunnel' },
] as const;

function build(world: World): void {
  addNodeGroup(world, { name: 'default', size: 3 });
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addLabelledMesh(world, MESH);
  // Its traffic goes through ztunnel; no wave moves it.
  addNamespace(world, 'batch', { 'istio.io/dataplane-mode': 'ambient' });
  for (const agent of AGENTS) addAgent(world, agent);
  settle(world);
}

/** One pod on each node, by a Helm release of its own. */
function addAgent(world: World, { release, chart, name, selects, container, image }: (typeof AGENTS)[number]): void {
  const labels = { [selects]: name };
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: ISTIO_NAMESPACE, labels: { ...labels, 'app.kubernetes.io/version': VERSION } },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels: { ...labels, 'sidecar.istio.io/inject': 'false' } },
        spec: { tolerations: [{ operator: 'Exists' }], containers: [{ name: container, image: `docker.io/istio/${image}:${VERSION}` }] },
      },
    },
  };
  world.store.create('daemonsets', object);
  const place = { name: release, namespace: ISTIO_NAMESPACE, chart: { name: chart, version: VERSION } };
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
