/** Health checks where belay.yaml names no Prometheus: those of the usual ones that scrapes can judge, and what istiod and Karpenter count. */
import type { FailCondition, HealthCheck } from '../../../health/checks.ts';
import type { LabelMatcher, ScrapeQuery, ScrapeTarget, Selector } from '../../../health/metrics/scrapes.ts';
import { DEFAULT_CHECKS, GUARDED, USUAL_CHECK } from './health-defaults.ts';

/** Ten intervals are five minutes where they are as usual. */
const TEN = { intervals: 10 };
const is = (label: string, matches: string): LabelMatcher => ({ label, matches });
const not = (label: string, matches: string): LabelMatcher => ({ label, matches, not: true });
const of = (metric: string, ...matchers: LabelMatcher[]): Selector => ({ metric, ...(matchers.length === 0 ? {} : { matchers }) });
const above = (value: number): FailCondition => ({ kind: 'value', operator: '>', value });

/** As the usual check of that name, by a scrape. */
function usual(name: string, scrape: ScrapeQuery): ScrapeCheck {
  const check = DEFAULT_CHECKS.find((each) => each.name === name);
  if (check === undefined) throw new TypeError(`no usual check is called ${name}`);
  const { query: _query, ...rest } = check;
  return { ...rest, scrape };
}

const bare = (name: string, failWhen: FailCondition): HealthCheck => ({ ...USUAL_CHECK, guards: [...GUARDED], name, failWhen });
const own = (name: string, scrape: ScrapeQuery, failWhen: FailCondition, more: Partial<HealthCheck> = {}): ScrapeCheck => ({
  ...bare(name, failWhen),
  ...more,
  scrape,
});

const API: { target: ScrapeTarget } = { target: 'api-server' };
const REQUESTS = of('apiserver_request_total');
const KARPENTER: { target: ScrapeTarget } = { target: 'karpenter' };
/** Some of its metrics have had their names since 1.0 (karpenter.sh, "Upgrade Guide"). */
const SINCE_V1 = of('karpenter_build_info', is('version', 'v?[1-9].*'));
const ISTIOD: { target: ScrapeTarget; witness: Selector } = { target: 'istiod', witness: of('pilot_info') };
/** Istio's own step as well: what its proxies refuse shows there. */
const MESH: Partial<HealthCheck> = { where: 'istio', guards: ['istio', ...GUARDED] };
const DURATION = 'apiserver_request_duration_seconds_bucket';
const NO_STREAM = not('subresource', 'log|exec|attach|portforward|proxy');

export type ScrapeCheck = HealthCheck & { scrape: ScrapeQuery };

/** Limits: engineering judgement, and Kubernetes' own objective of 30 s for lists (sig-scalability, "API call latency SLIs/SLOs"). */
export const SCRAPE_CHECKS: readonly ScrapeCheck[] = [
  own('api-server-ready', { ...API, kind: 'readiness' }, above(0), { apiServer: 'errors' }),
  usual('api-server-errors', {
    ...API,
    ...TEN,
    kind: 'share',
    bad: of('apiserver_request_total', is('code', '5..')),
    all: REQUESTS,
  }),
  usual('api-server-latency', {
    ...API,
    ...TEN,
    kind: 'quantile',
    quantile: 0.99,
    of: of(DURATION, is('verb', 'POST|PUT|PATCH|DELETE'), NO_STREAM),
    witness: REQUESTS,
  }),
  // Nobody may have listed anything from that one process: then nothing was slow.
  own(
    'api-server-lists',
    { ...API, ...TEN, kind: 'quantile', quantile: 0.99, of: of(DURATION, is('verb', 'LIST')), witness: REQUESTS, idle: 0 },
    above(30),
    { apiServer: 'latency' },
  ),
  usual('dns-errors', {
    ...TEN,
    target: 'coredns',
    kind: 'share',
    bad: of('coredns_dns_responses_total', is('rcode', 'SERVFAIL')),
    all: of('coredns_dns_responses_total'),
  }),
  usual('karpenter-errors', {
    ...KARPENTER,
    kind: 'increase',
    of: of('karpenter_cloudprovider_errors_total', not('error', 'NodeClaimNotFoundError')),
    witness: of('karpenter_build_info'),
    intervals: 20,
  }),
  own(
    'karpenter-launches',
    {
      ...KARPENTER,
      kind: 'increase',
      of: of('karpenter_nodeclaims_disrupted_total', is('reason', 'launch_timeout|registration_timeout|liveness')),
      witness: SINCE_V1,
      intervals: 30,
    },
    { kind: 'value', operator: '>=', value: 2 },
    { where: 'karpenter' },
  ),
  // Pods wait whenever nodes are replaced: only many of them, for ten minutes, are trouble.
  own(
    'karpenter-queue',
    { ...KARPENTER, kind: 'level', of: of('karpenter_scheduler_queue_depth'), witness: SINCE_V1 },
    { kind: 'baseline', factor: 2, atLeast: 10 },
    { where: 'karpenter', severity: 'warn', count: 20, failureLimit: 19 },
  ),
  // A filter that no proxy takes is refused all the time, and a look before the upgrade is too short to know.
  own('istiod-rejects', { ...ISTIOD, ...TEN, kind: 'increase', of: of('pilot_total_xds_rejects') }, above(0), {
    ...MESH,
    severity: 'warn',
  }),
  own('istiod-push-errors', { ...ISTIOD, ...TEN, kind: 'increase', of: of('pilot_xds_pushes', is('type', '.*_senderr')) }, above(5), MESH),
  own('istiod-internal-errors', { ...ISTIOD, ...TEN, kind: 'increase', of: of('pilot_total_xds_internal_errors') }, above(0), MESH),
  // Without a change nothing is pushed: then nothing is slow.
  own(
    'istiod-convergence',
    { ...ISTIOD, ...TEN, kind: 'quantile', quantile: 0.99, of: of('pilot_proxy_convergence_time_bucket'), idle: 0 },
    above(10),
    MESH,
  ),
];
