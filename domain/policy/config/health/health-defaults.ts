/** Health checks that hold where belay.yaml is silent. Queries: Kubernetes' own metrics and those of its usual exporters; limits are engineering judgement. */
import type { FailCondition, HealthCheck } from '../../../health/checks.ts';
import type { PhaseId } from '../../../core/phases.ts';

/** Phases whose harm shows in the cluster's own figures; Istio's waves are judged by their own traffic. */
export const GUARDED: readonly PhaseId[] = ['control-plane', 'bake', 'node-groups', 'other-nodes', 'karpenter-drift'];

/** As in Argo Rollouts' analysis: some bad looks are noise, and what cannot be seen for minutes is not known. */
export const USUAL_CHECK = {
  intervalMs: 30_000,
  count: 5,
  failureLimit: 2,
  errorLimit: 9,
  onEmpty: 'inconclusive',
  severity: 'block',
} as const;

const MUTATING = 'verb=~"POST|PUT|PATCH|DELETE",subresource!~"log|exec|attach|portforward|proxy"';
/** A share is of what is there: without a single error it is 0, without a request it is nothing. */
const share = (bad: string, all: string): string => `(sum(rate(${bad}[5m])) or vector(0)) / sum(rate(${all}[5m]))`;
const above = (value: number): FailCondition => ({ kind: 'value', operator: '>', value });
const check = (name: string, query: string, failWhen: FailCondition, more: Partial<HealthCheck> = {}): HealthCheck & { query: string } => ({
  ...USUAL_CHECK,
  guards: [...GUARDED],
  name,
  query,
  failWhen,
  ...more,
});

export const DEFAULT_CHECKS: readonly (HealthCheck & { query: string })[] = [
  check('api-server-errors', share('apiserver_request_total{code=~"5.."}', 'apiserver_request_total'), above(0.01), {
    apiServer: 'errors',
  }),
  check(
    'api-server-latency',
    `histogram_quantile(0.99, sum by (le) (rate(apiserver_request_duration_seconds_bucket{${MUTATING}}[5m])))`,
    above(1),
    { apiServer: 'latency' },
  ),
  // Pods wait whenever nodes are replaced: only many of them, for ten minutes, are trouble.
  check(
    'pods-pending',
    'sum(kube_pod_status_phase{phase="Pending"})',
    { kind: 'baseline', factor: 2, atLeast: 10 },
    {
      count: 20,
      failureLimit: 19,
    },
  ),
  check(
    'pods-crash-looping',
    'sum(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff"}) or 0 * count(kube_pod_info)',
    { kind: 'baseline', factor: 1, atLeast: 2 },
    { count: 10, failureLimit: 5 },
  ),
  check(
    'dns-errors',
    share('coredns_dns_responses_total{rcode="SERVFAIL"}', 'coredns_dns_responses_total'),
    { kind: 'baseline', factor: 2, atLeast: 0.01 },
    {},
  ),
  check(
    'karpenter-errors',
    'sum(increase(karpenter_cloudprovider_errors_total{error!="NodeClaimNotFoundError"}[10m])) or 0 * count(karpenter_build_info)',
    { kind: 'baseline', factor: 3, atLeast: 10 },
    { where: 'karpenter' },
  ),
  check(
    'mesh-errors',
    share('istio_requests_total{reporter="source",response_code=~"5.."}', 'istio_requests_total{reporter="source"}'),
    { kind: 'baseline', factor: 2, atLeast: 0.01 },
    { where: 'istio' },
  ),
];

/** kube-prometheus fires these to show that alerts work, or to inhibit others. */
export const USUAL_IGNORED: readonly string[] = ['Watchdog', 'InfoInhibitor', 'DeadMansSwitch'];
