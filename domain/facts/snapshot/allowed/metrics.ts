/** What a snapshot keeps of Prometheus. */
import { TRAFFIC } from '../../istio-traffic.ts';

export interface AllowedMetric {
  /** As it is said where it could not be read. */
  what: string;
  why: string;
  query: string;
  labels: readonly string[];
}

/** Asked only of a cluster that has istiod. */
export const METRICS: readonly AllowedMetric[] = [
  { what: TRAFFIC.what, why: 'in which order waves of Istio move', query: TRAFFIC.query, labels: [TRAFFIC.by] },
];
