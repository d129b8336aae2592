/** istio-cni and ztunnel, as their charts render them. */
import { ISTIO_NAMESPACE } from '../../controllers/istio/revisions.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';

export const NODE_AGENTS = [
  { release: 'istio-cni', chart: 'cni', name: 'istio-cni-node', selects: 'k8s-app', container: 'install-cni', image: 'install-cni' },
  { release: 'ztunnel', chart: 'ztunnel', name: 'ztunnel', selects: 'app', container: 'istio-proxy', image: 'ztunnel' },
] as const;

export type Agent = (typeof NODE_AGENTS)[number];

/** One pod on each node. */
export function addNodeAgent(world: World, { name, selects, container, image }: Agent, version: string): KubeObject {
  const labels = { [selects]: name };
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: ISTIO_NAMESPACE, labels: { ...labels, 'app.kubernetes.io/version': version } },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels: { ...labels, 'sidecar.istio.io/inject': 'false' } },
        spec: { tolerations: [{ operator: 'Exists' }], containers: [{ name: container, image: `docker.io/istio/${image}:${version}` }] },
      },
    },
  };
  world.store.create('daemonsets', object);
  return object;
}
