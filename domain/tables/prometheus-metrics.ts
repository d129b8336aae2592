/** Metrics that queries in circulation name and that do not exist: such a query returns an empty vector, which a careless gate takes for 0. */

export interface MissingMetric {
  name: string;
  why: string;
  /** The query to use. */
  instead: string;
}

/** Sources: the metrics pages and code of Karpenter 1.14 and Istio 1.9 to 1.30. */
export const MISSING_METRICS: readonly MissingMetric[] = [
  {
    name: 'karpenter_node_claims_terminated_total',
    why: 'Karpenter never had it; the real name is karpenter_nodeclaims_terminated_total, without a label "reason"',
    instead: 'sum(increase(karpenter_nodeclaims_disrupted_total{reason=~"launch_timeout|registration_timeout|liveness"}[15m]))',
  },
  {
    name: 'karpenter_nodeclaims_drifted',
    why: 'Karpenter dropped it in 1.0',
    instead: 'sum(operator_nodeclaim_status_condition_count{type="Drifted",status="True"})',
  },
  {
    name: 'pilot_xds_push_errors',
    why: 'Istio does not emit it',
    instead: 'sum(increase(pilot_xds_pushes{type=~".*_senderr"}[5m])) and sum(increase(pilot_total_xds_rejects[5m]))',
  },
];

/** Labels of metrics that queries filter by and that the metric must have for the query to find anything. */
export const METRIC_LABELS: Readonly<Record<string, readonly string[]>> = {
  karpenter_nodeclaims_terminated_total: ['nodepool', 'capacity_type', 'zone'],
};

/** Values of the label `reason` that Karpenter never sets. */
export const MISSING_REASONS: readonly string[] = ['launch_failed'];
