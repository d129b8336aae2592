/** istiod's /debug/syncz, as pilot/pkg/xds/debug.go writes it: each istiod knows the proxies that are connected to itself. */
import type { PodPrograms } from '../../kubernetes/http/requests/port-forward.ts';
import { proxyOf } from '../../neighbours/prometheus/mesh-metrics.ts';
import type { World } from '../../world/world.ts';
import { isReady } from '../../kubernetes/pods/pods.ts';

/** Where istiod answers what it keeps from strangers. */
const DEBUG_PORT = 15_014;
/** On a pod: its proxy has not acknowledged the clusters that it was sent. */
export const STALE_ANNOTATION = 'rehearsal.belay.dev/stale';

/** Programs in the world's pods: istiods. */
export function podPrograms(world: World): PodPrograms {
  return ({ metadata }, port, path) => {
    if (metadata.labels?.['app'] !== 'istiod' || port !== DEBUG_PORT) return undefined;
    if (path !== '/debug/syncz') return { status: 404, body: '404 page not found\n' };
    return { status: 200, body: JSON.stringify(syncOf(world, metadata.name, metadata.labels['istio.io/rev'] ?? 'default')) };
  };
}

function syncOf({ store }: World, istiod: string, revision: string): object[] {
  const peers = store.list('pods', { labels: { app: 'istiod', 'istio.io/rev': revision } }).filter(isReady);
  const names = peers.map(({ metadata }) => metadata.name).toSorted();
  const own = names.indexOf(istiod);
  return store
    .list('pods')
    .filter((pod) => proxyOf(pod)?.revision === revision)
    .flatMap((pod, index) => (index % Math.max(1, names.length) === own ? [proxyStatus(pod, proxyOf(pod)?.version)] : []));
}

function proxyStatus({ metadata }: Parameters<typeof proxyOf>[0], version: string | undefined): object {
  const nonce = (kind: string): string => `${kind}${metadata.uid ?? ''}`;
  const acked = metadata.annotations?.[STALE_ANNOTATION] === undefined ? nonce('cds') : nonce('before');
  return {
    cluster_id: 'Kubernetes',
    proxy: `${metadata.name}.${metadata.namespace}`,
    proxy_type: 'sidecar',
    istio_version: version,
    cluster_sent: nonce('cds'),
    cluster_acked: acked,
    listener_sent: nonce('lds'),
    listener_acked: nonce('lds'),
    route_sent: nonce('rds'),
    route_acked: nonce('rds'),
    endpoint_sent: nonce('eds'),
    endpoint_acked: nonce('eds'),
    resources: {
      'type.googleapis.com/envoy.config.cluster.v3.Cluster': { sent: nonce('cds'), acked, sentTime: metadata.creationTimestamp },
    },
  };
}
