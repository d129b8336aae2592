/** What the mesh tells Prometheus: proxies connected to istiod, and the traffic between them with its errors and latency. */
import { imageVersion } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import type { Series } from './evaluate.ts';
import { counter, series } from './series.ts';

/** On a Namespace object: requests per second to its services. */
export const TRAFFIC_ANNOTATION = 'rehearsal.belay.dev/rps';
/** On a Namespace object: share of its answers that are 5xx, "0.004". */
export const ERRORS_ANNOTATION = 'rehearsal.belay.dev/errors';
/** On a Namespace object: pods whose proxy is of this revision answer with 5xx three times as often, and take twice as long. */
export const ILL_ANNOTATION = 'rehearsal.belay.dev/ill-on';
/** Without the annotation: what a meshed pod receives. */
const PER_POD_RPS = 4;
const PER_GATEWAY_RPS = 20;
const ILL = { errorFactor: 3, latencyFactor: 2 };
/** Bounds of Istio's histogram, as far as they matter, and the share of a healthy service's answers up to each. */
const LATENCY: readonly (readonly [ms: number, share: number])[] = [
  [25, 0.5],
  [50, 0.9],
  [100, 0.995],
  [250, 1],
];

/** Version and revision of the proxy beside a running pod's containers; undefined: the pod is not in the mesh. */
export function proxyOf(pod: KubeObject): { version: string; revision: string } | undefined {
  const containers: { name: string; image?: string }[] = [...(pod['spec']?.containers ?? []), ...(pod['spec']?.initContainers ?? [])];
  const version = imageVersion(containers.find(({ name }) => name === 'istio-proxy')?.image);
  const revision = pod.metadata.annotations?.['istio.io/rev'];
  if (version === undefined || pod['status']?.phase !== 'Running') return undefined;
  return { version, revision: revision ?? 'default' };
}

/** istiod counts the proxies connected to it by their version; a version that has gone stays as 0. */
export function xdsMetrics(world: World, pods: KubeObject[]): Series[] {
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

/** What gateways pass on: they call services, and stand in no namespace's own figures. */
function gatewayTraffic(world: World, pods: KubeObject[], sinceSec: number): Series[] {
  return pods.flatMap((pod) => {
    const proxy = proxyOf(pod);
    const workload = gatewayOf(pod);
    if (proxy === undefined || workload === undefined) return [];
    const { name, namespace = '' } = pod.metadata;
    const about = world.store.get('namespaces', namespace)?.metadata.annotations;
    const ill = about?.[ILL_ANNOTATION] === proxy.revision ? 1 : 0;
    const labels = {
      reporter: 'source',
      pod: name,
      source_workload: workload,
      source_workload_namespace: namespace,
      destination_service_namespace: 'unknown',
    };
    const failed = PER_GATEWAY_RPS * Number(about?.[ERRORS_ANNOTATION] ?? 0) * (1 + (ILL.errorFactor - 1) * ill);
    return [
      counter('istio_requests_total', { ...labels, response_code: '200' }, PER_GATEWAY_RPS - failed, sinceSec),
      ...(failed > 0 ? [counter('istio_requests_total', { ...labels, response_code: '503' }, failed, sinceSec)] : []),
      ...latencyOf(labels, PER_GATEWAY_RPS, 1 + (ILL.latencyFactor - 1) * ill, sinceSec),
    ];
  });
}

/** The Deployment of a gateway's pod, whose ReplicaSet is called after it and a hash. */
function gatewayOf({ metadata }: KubeObject): string | undefined {
  const isGateway =
    metadata.annotations?.['inject.istio.io/templates'] === 'gateway' ||
    metadata.labels?.['gateway.networking.k8s.io/gateway-name'] !== undefined;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return isGateway && owner?.kind === 'ReplicaSet' ? owner.name.replace(/-[^-]+$/, '') : undefined;
}

export function trafficMetrics(world: World, pods: KubeObject[]): Series[] {
  const sinceSec = world.clock.elapsedMs() / 1000;
  const byNamespace = world.store.list('namespaces').flatMap((namespace) => {
    const { name, annotations } = namespace.metadata;
    const proxies = pods
      .filter((pod) => pod.metadata.namespace === name && gatewayOf(pod) === undefined)
      .flatMap((pod) => proxyOf(pod) ?? []);
    if (proxies.length === 0) return [];
    const told = Number(annotations?.[TRAFFIC_ANNOTATION] ?? Number.NaN);
    const perSecond = Number.isNaN(told) ? proxies.length * PER_POD_RPS : told;
    const ill = proxies.filter(({ revision }) => revision === annotations?.[ILL_ANNOTATION]).length / proxies.length;
    const errorShare = Number(annotations?.[ERRORS_ANNOTATION] ?? 0) * (1 + (ILL.errorFactor - 1) * ill);
    const latencyFactor = 1 + (ILL.latencyFactor - 1) * ill;
    return ['source', 'destination'].flatMap((reporter) => {
      const labels = { reporter, destination_service_namespace: name, destination_workload_namespace: name };
      const failed = perSecond * errorShare;
      return [
        counter('istio_requests_total', { ...labels, response_code: '200' }, perSecond - failed, sinceSec),
        ...(failed > 0 ? [counter('istio_requests_total', { ...labels, response_code: '503' }, failed, sinceSec)] : []),
        ...latencyOf(labels, perSecond, latencyFactor, sinceSec),
      ];
    });
  });
  return [...byNamespace, ...gatewayTraffic(world, pods, sinceSec)];
}

function latencyOf(labels: Record<string, string>, perSecond: number, factor: number, sinceSec: number): Series[] {
  const bounds: [string, number][] = LATENCY.map(([ms, share]) => [String(ms * factor), share]);
  return [...bounds, ['+Inf', 1] as const].map(([le, share]) =>
    counter('istio_request_duration_milliseconds_bucket', { ...labels, le }, perSecond * share, sinceSec),
  );
}
