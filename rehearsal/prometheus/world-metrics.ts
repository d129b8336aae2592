/** What Prometheus would have scraped from the world at this moment: the API server, kube-state-metrics, istiod, the proxies. */
import { conditionOf, imageVersion } from '../kubernetes/pods.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { World } from '../world/world.ts';
import type { Series } from './evaluate.ts';

/** On a Namespace object: requests per second to its services. */
export const TRAFFIC_ANNOTATION = 'rehearsal.belay.dev/rps';
/** Without the annotation: what a meshed pod receives. */
const PER_POD_RPS = 4;
const POD_PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

function series(name: string, labels: Record<string, string>, value: number): Series {
  return { labels: { __name__: name, ...labels }, value };
}

function counter(name: string, labels: Record<string, string>, perSecond: number, sinceSec: number): Series {
  return { ...series(name, labels, perSecond * sinceSec), perSecond };
}

function nodeMetrics(nodes: KubeObject[]): Series[] {
  return nodes.flatMap((node) => {
    const { name } = node.metadata;
    const ready = conditionOf(node, 'Ready')?.status.toLowerCase() ?? 'unknown';
    return [
      series('up', { job: 'kubernetes-nodes', instance: name }, ready === 'true' ? 1 : 0),
      series('kube_node_info', { node: name, kubelet_version: String(node['status']?.nodeInfo?.kubeletVersion ?? '') }, 1),
      series('kube_node_spec_unschedulable', { node: name }, node['spec']?.unschedulable === true ? 1 : 0),
      ...['true', 'false', 'unknown'].map((status) =>
        series('kube_node_status_condition', { node: name, condition: 'Ready', status }, status === ready ? 1 : 0),
      ),
    ];
  });
}

function podMetrics(pods: KubeObject[]): Series[] {
  return pods.flatMap((pod) => {
    const labels = { namespace: pod.metadata.namespace ?? 'default', pod: pod.metadata.name };
    return [
      series('kube_pod_info', { ...labels, node: String(pod['spec']?.nodeName ?? '') }, 1),
      ...POD_PHASES.map((phase) => series('kube_pod_status_phase', { ...labels, phase }, pod['status']?.phase === phase ? 1 : 0)),
    ];
  });
}

function deploymentMetrics(deployments: KubeObject[]): Series[] {
  return deployments.flatMap((deployment) => {
    const labels = { namespace: deployment.metadata.namespace ?? 'default', deployment: deployment.metadata.name };
    return [
      series('kube_deployment_spec_replicas', labels, Number(deployment['spec']?.replicas ?? 1)),
      series('kube_deployment_status_replicas_available', labels, Number(deployment['status']?.availableReplicas ?? 0)),
    ];
  });
}

/** Version and revision of the proxy beside a running pod's containers; undefined: the pod is not in the mesh. */
function proxyOf(pod: KubeObject): { version: string; revision: string } | undefined {
  const containers: { name: string; image?: string }[] = [...(pod['spec']?.containers ?? []), ...(pod['spec']?.initContainers ?? [])];
  const version = imageVersion(containers.find(({ name }) => name === 'istio-proxy')?.image);
  const revision = pod.metadata.annotations?.['istio.io/rev'];
  if (version === undefined || pod['status']?.phase !== 'Running') return undefined;
  return { version, revision: revision ?? 'default' };
}

/** istiod counts the proxies connected to it by their version; a version that has gone stays as 0. */
function xdsMetrics(world: World, pods: KubeObject[]): Series[] {
  const counts = new Map<string, { version: string; revision: string; count: number }>();
  for (const istiod of world.store.list('deployments', { labels: { app: 'istiod' } })) {
    const version = imageVersion(istiod['spec']?.template?.spec?.containers?.[0]?.image);
    const revision = istiod.metadata.labels?.['istio.io/rev'] ?? 'default';
    if (version !== undefined) counts.set(`${version} ${revision}`, { version, revision, count: 0 });
  }
  for (const proxy of pods.map(proxyOf)) {
    if (proxy === undefined) continue;
    const known = counts.get(`${proxy.version} ${proxy.revision}`);
    counts.set(`${proxy.version} ${proxy.revision}`, { ...proxy, count: (known?.count ?? 0) + 1 });
  }
  return [...counts.values()].map(({ version, revision, count }) =>
    series('pilot_xds', { app: 'istiod', version, istio_io_rev: revision }, count),
  );
}

function trafficMetrics(world: World, pods: KubeObject[]): Series[] {
  const sinceSec = world.clock.elapsedMs() / 1000;
  return world.store.list('namespaces').flatMap((namespace) => {
    const { name, annotations } = namespace.metadata;
    const meshed = pods.filter((pod) => pod.metadata.namespace === name && proxyOf(pod) !== undefined).length;
    if (meshed === 0) return [];
    const told = Number(annotations?.[TRAFFIC_ANNOTATION] ?? Number.NaN);
    const perSecond = Number.isNaN(told) ? meshed * PER_POD_RPS : told;
    return ['source', 'destination'].map((reporter) =>
      counter('istio_requests_total', { reporter, destination_service_namespace: name, response_code: '200' }, perSecond, sinceSec),
    );
  });
}

/** Every series of this moment. */
export function worldMetrics(world: World): Series[] {
  const { store } = world;
  const pods = store.list('pods');
  return [
    series('up', { job: 'prometheus', instance: 'localhost:9090' }, 1),
    series('up', { job: 'kubernetes-apiservers', instance: 'kubernetes:443' }, world.apiServerDown() ? 0 : 1),
    ...nodeMetrics(store.list('nodes')),
    ...podMetrics(pods),
    ...deploymentMetrics(store.list('deployments')),
    ...xdsMetrics(world, pods),
    ...trafficMetrics(world, pods),
  ];
}
