/** What the callers of a wave's namespaces see, by Prometheus: request rate, share of 5xx, p99 latency. */
import { messageOf } from '../../../domain/core/unknown.ts';
import type { Traffic, TrafficReading } from '../../../domain/health/mesh/wave-health.ts';
import type { ClusterPorts, PrometheusPort } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import type { GatewayRef } from '../../contract/istio-objects.ts';

/*
 * One reporter only: both would count double, and the caller's proxy also sees what never reached a broken one. By the service's namespace,
 * since a request that found no proxy has no destination workload (istio.io, "Istio Standard Metrics"). One query for the mesh: a wave
 * of hundreds of namespaces would not fit into a URL. Two minutes, so that the restart itself has left the window before a watch ends.
 */
const BY_NAMESPACE = 'destination_service_namespace';
const RATE = `sum by (${BY_NAMESPACE}) (rate(istio_requests_total{reporter=~"source|waypoint"}[2m]))`;
const ERRORS = `sum by (${BY_NAMESPACE}) (rate(istio_requests_total{reporter=~"source|waypoint",response_code=~"5.."}[2m]))`;
const P99 = `histogram_quantile(0.99, sum by (${BY_NAMESPACE}, le) (rate(istio_request_duration_milliseconds_bucket{reporter=~"source|waypoint"}[2m])))`;

/** What gateways pass on, by their workload: they are callers of services, and no service calls them. */
const BY_WORKLOAD = 'source_workload_namespace, source_workload';
const GATEWAY_RATE = `sum by (${BY_WORKLOAD}) (rate(istio_requests_total{reporter="source"}[2m]))`;
const GATEWAY_ERRORS = `sum by (${BY_WORKLOAD}) (rate(istio_requests_total{reporter="source",response_code=~"5.."}[2m]))`;
const GATEWAY_P99 = `histogram_quantile(0.99, sum by (${BY_WORKLOAD}, le) (rate(istio_request_duration_milliseconds_bucket{reporter="source"}[2m])))`;

/** Under what a gateway's traffic stands in a reading, beside namespaces. */
export const trafficKey = ({ namespace, name }: Pick<GatewayRef, 'namespace' | 'name'>): string => `gateway ${namespace}/${name}`;

/** Never throws for what Prometheus does: not to see is an answer. */
export async function readTraffic(
  { prometheus }: ClusterPorts,
  namespaces: readonly string[],
  gateways: readonly GatewayRef[] = [],
): Promise<TrafficReading> {
  if (prometheus === undefined) return { kind: 'blind', why: 'no Prometheus is configured' };
  try {
    const [rates, errors, latencies] = await Promise.all([RATE, ERRORS, P99].map((query) => valuesOf(prometheus, query)));
    if (rates === undefined || rates.size === 0)
      return { kind: 'blind', why: 'Prometheus has no series istio_requests_total: proxies are not scraped' };
    const entries = namespaces.flatMap((name) => entryOf(name, rates, errors, latencies));
    return { kind: 'seen', namespaces: Object.fromEntries([...entries, ...(await gatewayEntries(prometheus, gateways))]) };
  } catch (error) {
    if (failureType(error) === undefined) throw error;
    return { kind: 'blind', why: messageOf(error) };
  }
}

type Values = Map<string, number>;

async function valuesOf(prometheus: PrometheusPort, query: string): Promise<Values> {
  return new Map((await prometheus.query(query)).map(({ labels, value }) => [labels[BY_NAMESPACE] ?? '', value]));
}

/** A Gateway's Deployment is called after it and its class: "public-istio", or after it alone. */
async function gatewayEntries(prometheus: PrometheusPort, gateways: readonly GatewayRef[]): Promise<[string, Traffic][]> {
  if (gateways.length === 0) return [];
  const [rates, errors, latencies] = await Promise.all(
    [GATEWAY_RATE, GATEWAY_ERRORS, GATEWAY_P99].map(async (query) => {
      const series = await prometheus.query(query);
      return new Map(
        gateways.map((gateway) => {
          const own = series.filter(
            ({ labels }) => labels['source_workload_namespace'] === gateway.namespace && isOf(gateway, labels['source_workload']),
          );
          // Of several latencies the worst; rates add up.
          const values = own.map(({ value }) => value);
          return [trafficKey(gateway), query === GATEWAY_P99 ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0)];
        }),
      );
    }),
  );
  return gateways.flatMap((gateway) => entryOf(trafficKey(gateway), rates ?? new Map(), errors, latencies));
}

function isOf({ kind, name }: GatewayRef, workload: string | undefined): boolean {
  return workload === name || (kind === 'Gateway' && workload?.startsWith(`${name}-istio`) === true);
}

/** Rounded: it is kept in history. */
function entryOf(name: string, rates: Values, errors: Values | undefined, latencies: Values | undefined): [string, Traffic][] {
  const requestsPerSecond = rates.get(name) ?? 0;
  if (requestsPerSecond <= 0) return [];
  const p99 = latencies?.get(name);
  return [
    [
      name,
      {
        requestsPerSecond: rounded(requestsPerSecond),
        errorShare: rounded((errors?.get(name) ?? 0) / requestsPerSecond),
        ...(p99 === undefined || !Number.isFinite(p99) ? {} : { p99Ms: rounded(p99) }),
      },
    ],
  ];
}

const rounded = (value: number): number => Number(value.toPrecision(3));
