/** What the callers of a wave's namespaces see, by Prometheus: request rate, share of 5xx, p99 latency. */
import { messageOf } from '../../../domain/unknown.ts';
import type { Traffic, TrafficReading } from '../../../domain/wave-health.ts';
import type { ClusterPorts, PrometheusPort } from '../../ports.ts';
import { failureType } from '../../translate-errors.ts';

/*
 * One reporter only: both would count double, and the caller's proxy also sees what never reached a broken one. By the service's namespace,
 * since a request that found no proxy has no destination workload (istio.io, "Istio Standard Metrics"). One query for the mesh: a wave
 * of hundreds of namespaces would not fit into a URL. Two minutes, so that the restart itself has left the window before a watch ends.
 */
const BY_NAMESPACE = 'destination_service_namespace';
const RATE = `sum by (${BY_NAMESPACE}) (rate(istio_requests_total{reporter=~"source|waypoint"}[2m]))`;
const ERRORS = `sum by (${BY_NAMESPACE}) (rate(istio_requests_total{reporter=~"source|waypoint",response_code=~"5.."}[2m]))`;
const P99 = `histogram_quantile(0.99, sum by (${BY_NAMESPACE}, le) (rate(istio_request_duration_milliseconds_bucket{reporter=~"source|waypoint"}[2m])))`;

/** Never throws for what Prometheus does: not to see is an answer. */
export async function readTraffic({ prometheus }: ClusterPorts, namespaces: readonly string[]): Promise<TrafficReading> {
  if (prometheus === undefined) return { kind: 'blind', why: 'no Prometheus is configured' };
  try {
    const [rates, errors, latencies] = await Promise.all([RATE, ERRORS, P99].map((query) => valuesOf(prometheus, query)));
    if (rates === undefined || rates.size === 0)
      return { kind: 'blind', why: 'Prometheus has no series istio_requests_total: proxies are not scraped' };
    return { kind: 'seen', namespaces: Object.fromEntries(namespaces.flatMap((name) => entryOf(name, rates, errors, latencies))) };
  } catch (error) {
    if (failureType(error) === undefined) throw error;
    return { kind: 'blind', why: messageOf(error) };
  }
}

type Values = Map<string, number>;

async function valuesOf(prometheus: PrometheusPort, query: string): Promise<Values> {
  return new Map((await prometheus.query(query)).map(({ labels, value }) => [labels[BY_NAMESPACE] ?? '', value]));
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
