/** /metrics as the API server, CoreDNS, Karpenter and istiod serve them themselves: each process counts from its own start. */
import type { EksUpdate } from '../../aws/eks/state.ts';
import type { PodPrograms } from '../../kubernetes/http/requests/port-forward.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import type { Series } from './evaluate.ts';
import { exposition, type Family } from './exposition.ts';
import { xdsMetrics } from './mesh-metrics.ts';
import { dnsMetrics, karpenterMetrics, REQUESTS } from './platform-metrics.ts';
import { counter, series } from './series.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Upper bounds in seconds, some of the API server's own, and the share of answers up to each. */
const DURATIONS: readonly (readonly [le: string, share: number])[] = [
  ['0.005', 0.4],
  ['0.025', 0.8],
  ['0.1', 0.97],
  ['0.4', 0.999],
  ['1', 1],
  ['4', 1],
  ['60', 1],
  ['+Inf', 1],
];
/** istiod's bounds, and the share of proxies that had a change by then. */
const CONVERGENCE: readonly (readonly [le: string, share: number])[] = [
  ['0.1', 0.6],
  ['0.5', 0.9],
  ['1', 0.99],
  ['3', 1],
  ['5', 1],
  ['10', 1],
  ['20', 1],
  ['30', 1],
  ['+Inf', 1],
];
/** Of the answers of an API server that fails while nodes are replaced. */
const FAILING_SHARE = 0.1;

const family = (name: string, type: Family['type'], help: string, all: readonly Series[]): Family => ({ name, type, help, series: all });
const startOf = (startedMs: number): Family =>
  family('process_start_time_seconds', 'gauge', 'Start time of the process since unix epoch in seconds.', [
    series('process_start_time_seconds', {}, startedMs / 1000),
  ]);

/** The API server's own; a new minor is a new process. */
export function apiServerExposition(world: World): string {
  const startedMs = apiServerStartedMs(world);
  const upSec = (world.clock.nowMs() - startedMs) / 1000;
  const failedSec = world.monitoring?.apiServerFails === true ? secondsOfNodeUpdates(world.eks.updates, startedMs, world.clock.nowMs()) : 0;
  const all = Object.entries(REQUESTS).map(([verb, perSecond]) => ({
    labels: { component: 'apiserver', dry_run: '', group: '', resource: 'pods', scope: 'namespace', subresource: '', verb, version: 'v1' },
    verb,
    perSecond,
    failed: perSecond * FAILING_SHARE * failedSec,
  }));
  return exposition([
    startOf(startedMs),
    family(
      'apiserver_request_total',
      'counter',
      'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
      all.flatMap(({ labels, perSecond, failed }) => [
        series('apiserver_request_total', { code: '200', ...labels }, perSecond * upSec - failed),
        ...(failed > 0 ? [series('apiserver_request_total', { code: '503', ...labels }, failed)] : []),
      ]),
    ),
    family(
      'apiserver_request_duration_seconds',
      'histogram',
      'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
      all.flatMap(({ labels, perSecond }) => histogram('apiserver_request_duration_seconds', labels, DURATIONS, perSecond * upSec)),
    ),
  ]);
}

/** Programs in the world's pods, by the labels that their charts give them. */
export function podExporters(world: World): PodPrograms {
  const answer = (families: readonly Family[]): { status: number; body: string } => ({ status: 200, body: exposition(families) });
  return (pod, port, path) => {
    const { labels = {} } = pod.metadata;
    const startedMs = Date.parse(String(pod['status']?.startTime ?? pod.metadata.creationTimestamp));
    const upSec = Math.max(0, world.clock.nowMs() - startedMs) / 1000;
    const serves = (label: string, value: string, at: number): boolean => labels[label] === value && port === at && path === '/metrics';
    if (serves('k8s-app', 'kube-dns', 9153)) return answer([startOf(startedMs), ...dns(upSec)]);
    if (serves('app.kubernetes.io/name', 'karpenter', 8080)) return answer([startOf(startedMs), ...karpenter(world, upSec)]);
    if (serves('app', 'istiod', 15_014)) return answer([startOf(startedMs), ...istiod(world, pod, upSec)]);
    return undefined;
  };
}

const dns = (upSec: number): Family[] => [
  family('coredns_dns_responses_total', 'counter', 'Counter of response status codes.', withoutJob(dnsMetrics(upSec))),
];

function karpenter({ store }: World, upSec: number): Family[] {
  return [
    family('karpenter_build_info', 'gauge', 'A metric with a constant value.', withoutJob(karpenterMetrics(store.list('deployments')))),
    family('karpenter_nodeclaims_disrupted_total', 'counter', 'Number of nodeclaims disrupted in total by Karpenter.', [
      counter('karpenter_nodeclaims_disrupted_total', { capacity_type: 'on-demand', nodepool: 'default', reason: 'empty' }, 0.001, upSec),
    ]),
    family('karpenter_scheduler_queue_depth', 'gauge', 'The number of pods currently waiting to be scheduled.', [
      series('karpenter_scheduler_queue_depth', { controller: 'provisioner' }, 0),
    ]),
  ];
}

/** Each istiod knows the proxies that are connected to itself: here all of a revision's to each of its istiods. */
function istiod(world: World, pod: KubeObject, upSec: number): Family[] {
  const revision = pod.metadata.labels?.['istio.io/rev'] ?? 'default';
  const proxies = xdsMetrics(world, world.store.list('pods')).filter(({ labels }) => labels['istio_io_rev'] === revision);
  const pushes = 0.2;
  return [
    family('pilot_info', 'gauge', 'Pilot version and build information.', [
      series('pilot_info', { version: `${proxies[0]?.labels['version'] ?? 'unknown'}-Clean` }, 1),
    ]),
    family(
      'pilot_xds',
      'gauge',
      'Number of endpoints connected to this pilot using XDS.',
      proxies.map(({ labels: { version = '' }, value }) => series('pilot_xds', { version }, value)),
    ),
    family(
      'pilot_xds_pushes',
      'counter',
      'Pilot build and send errors for lds, rds, cds and eds.',
      ['cds', 'eds', 'lds', 'rds'].map((type) => counter('pilot_xds_pushes', { type }, pushes, upSec)),
    ),
    family(
      'pilot_proxy_convergence_time',
      'histogram',
      'Delay in seconds between config change and a proxy receiving all required configuration.',
      histogram('pilot_proxy_convergence_time', {}, CONVERGENCE, pushes * upSec),
    ),
  ];
}

/** Labels of jobs are Prometheus' own. */
const withoutJob = (all: readonly Series[]): Series[] =>
  all.map(({ labels: { job: _job, ...labels }, ...rest }) => ({ ...rest, labels: { __name__: '', ...labels } }));

function histogram(name: string, labels: Record<string, string>, shares: readonly (readonly [string, number])[], count: number): Series[] {
  const mean = 0.02;
  return [
    ...shares.map(([le, share]) => series(`${name}_bucket`, { ...labels, le }, count * share)),
    series(`${name}_sum`, labels, count * mean),
    series(`${name}_count`, labels, count),
  ];
}

/** It has run for hours before the world began, and begins anew whenever the control plane moves. */
function apiServerStartedMs({ clock, eks, tempo }: World): number {
  const nowMs = clock.nowMs();
  const moves = eks.updates
    .filter(({ resource, type, nodesFirst }) => resource.kind === 'cluster' && type.startsWith('Version') && nodesFirst !== true)
    .map(({ controlPlaneFromMs, createdAtMs }) => (controlPlaneFromMs ?? createdAtMs) + tempo.apiServerMovesAfterMs)
    .filter((atMs) => atMs <= nowMs);
  // The same to each question: a clock that runs says the two a moment apart.
  const beganMs = Math.round((nowMs - clock.elapsedMs()) / MINUTE_MS) * MINUTE_MS;
  return Math.max(beganMs - 3 * HOUR_MS, ...moves);
}

function secondsOfNodeUpdates(updates: readonly EksUpdate[], fromMs: number, nowMs: number): number {
  const spans = updates
    .filter(({ resource }) => resource.kind === 'node-group')
    .map(({ createdAtMs, endedAtMs = nowMs }) => Math.max(0, Math.min(endedAtMs, nowMs) - Math.max(createdAtMs, fromMs)));
  return spans.reduce((sum, ms) => sum + ms, 0) / 1000;
}
