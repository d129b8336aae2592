/** What Prometheus scrapes from the cluster's own parts: the API server, cluster DNS, Karpenter, and what kube-state-metrics says of waiting containers. */
import { imageVersion } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import type { Series } from './evaluate.ts';
import { counter, series } from './series.ts';

/** Per second, by verb. */
export const REQUESTS: Readonly<Record<string, number>> = { GET: 40, LIST: 12, WATCH: 8, POST: 6, PUT: 9, PATCH: 5, DELETE: 2 };
/** Upper bounds of the API server's histogram, in seconds, as far as they matter, and the share of answers up to each. */
const LATENCY: readonly (readonly [seconds: number, share: number])[] = [
  [0.025, 0.8],
  [0.1, 0.97],
  [0.4, 0.999],
  [4, 1],
];
/** By how much all answers of a slow API server come later. */
const SLOW = 20;

/** An API server that is away is not scraped. */
export function apiServerMetrics(world: World, slow: boolean): Series[] {
  if (world.apiServerDown()) return [];
  const sinceSec = world.clock.elapsedMs() / 1000;
  return Object.entries(REQUESTS).flatMap(([verb, perSecond]) => {
    const labels = { job: 'kubernetes-apiservers', verb, scope: 'namespace' };
    return [
      counter('apiserver_request_total', { ...labels, code: '200' }, perSecond, sinceSec),
      ...[...LATENCY.map(([le, share]) => [String(le * (slow ? SLOW : 1)), share] as const), ['+Inf', 1] as const].map(([le, share]) =>
        counter('apiserver_request_duration_seconds_bucket', { ...labels, le }, perSecond * share, sinceSec),
      ),
    ];
  });
}

export function dnsMetrics(sinceSec: number): Series[] {
  const labels = { job: 'kube-dns', server: 'dns://:53', zone: '.' };
  return [
    counter('coredns_dns_responses_total', { ...labels, rcode: 'NOERROR' }, 30, sinceSec),
    counter('coredns_dns_responses_total', { ...labels, rcode: 'NXDOMAIN' }, 12, sinceSec),
  ];
}

/** Karpenter says what it is; it has met no error of the cloud. */
export function karpenterMetrics(deployments: readonly KubeObject[]): Series[] {
  return deployments
    .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'karpenter')
    .map((deployment) => {
      const version = imageVersion(deployment['spec']?.template?.spec?.containers?.[0]?.image) ?? 'unknown';
      return series('karpenter_build_info', { job: 'karpenter', version }, 1);
    });
}

/** Since kube-state-metrics 2 only containers that do wait have a series. */
export function waitingMetrics(pods: readonly KubeObject[]): Series[] {
  return pods.flatMap((pod) => {
    const statuses: { name: string; state?: { waiting?: { reason?: string } } }[] = pod['status']?.containerStatuses ?? [];
    return statuses.flatMap(({ name, state }) => {
      const reason = state?.waiting?.reason;
      const labels = { namespace: pod.metadata.namespace ?? 'default', pod: pod.metadata.name, container: name };
      return reason === undefined ? [] : [series('kube_pod_container_status_waiting_reason', { ...labels, reason }, 1)];
    });
  });
}

/** Fires always, to show that alerts work (kube-prometheus). */
export const WATCHDOG = { alertname: 'Watchdog', severity: 'none' };
/** What fires when something is to fire. */
export const ONE_ALERT = { alertname: 'KubePersistentVolumeFillingUp', severity: 'critical', namespace: 'shop' };

export function alertSeries(firing: boolean): Series[] {
  const alert = (labels: Record<string, string>): Series => series('ALERTS', { alertstate: 'firing', ...labels }, 1);
  return [alert(WATCHDOG), ...(firing ? [alert(ONE_ALERT)] : [])];
}
