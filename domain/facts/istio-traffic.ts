/** What Prometheus is asked about a mesh before it moves. */

/** By namespace that receives; one reporter only, both would count double. */
export const TRAFFIC = {
  what: 'the traffic by namespace',
  query: 'sum by (destination_service_namespace) (rate(istio_requests_total{reporter="source"}[5m]))',
  by: 'destination_service_namespace',
} as const;
