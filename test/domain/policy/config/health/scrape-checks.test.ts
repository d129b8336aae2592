/** Checks on scrapes: what they see of a calm controller, of one that is too old for them, and of one that fails. */
import { describe, expect, test } from 'vitest';
import { SCRAPE_CHECKS } from '../../../../../domain/policy/config/health/scrape-checks.ts';
import { exceeds, limitOf } from '../../../../../domain/health/checks.ts';
import { figureOf, lackOf, Reading, selectorsOf } from '../../../../../domain/health/metrics/scrapes.ts';

/** undefined: it sees nothing. */
function isBad(name: string, before: string, after: string): boolean | undefined {
  const check = SCRAPE_CHECKS.find((each) => each.name === name);
  if (check === undefined || check.scrape.kind === 'readiness') throw new Error(`no check of metrics is called ${name}`);
  const { scrape } = check;
  const [earlier, later] = [before, after].map((text) => {
    const reading = new Reading(selectorsOf(scrape));
    for (const line of text.split('\n')) reading.add(line);
    return reading.tallies;
  });
  if (earlier === undefined || later === undefined || lackOf(scrape, later) !== undefined) return undefined;
  const figure = figureOf(scrape, [{ earlier, later, seconds: 30 }]);
  const limit = limitOf(check.failWhen, 0);
  return figure === undefined || limit === undefined ? undefined : exceeds(figure, limit);
}

const KARPENTER = 'karpenter_build_info{version="1.6.2"} 1\n';
const OLD_KARPENTER = 'karpenter_build_info{version="0.37.7"} 1\n';
const ISTIOD = 'pilot_info{version="1.28.3-abc-Clean"} 1\n';
const REQUESTS = (good: number, bad: number): string =>
  `apiserver_request_total{code="200",verb="GET"} ${good}\napiserver_request_total{code="504",verb="LIST"} ${bad}\n`;
const buckets = (metric: string, labels: string, counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([le, count]) => `${metric}_bucket{${labels}le="${le}"} ${count}\n`)
    .join('');
const slow = (verb: string, subresource: string): string =>
  REQUESTS(5, 0) +
  buckets('apiserver_request_duration_seconds', `verb="${verb}",subresource="${subresource}",`, {
    0.1: 1,
    1: 1,
    30: 1,
    60: 50,
    '+Inf': 50,
  });

describe.each<[string, bad: [string, string], well: [string, string][], blind: [string, string][]]>([
  ['api-server-errors', [REQUESTS(100, 0), REQUESTS(190, 10)], [[REQUESTS(100, 90), REQUESTS(200, 90)]], [['', 'up 1']]],
  [
    'api-server-latency',
    [REQUESTS(1, 0), slow('PATCH', '')],
    [],
    [
      // Streams last as long as somebody looks, and reads are not judged here.
      [REQUESTS(1, 0), slow('POST', 'exec')],
      [REQUESTS(1, 0), slow('LIST', '')],
    ],
  ],
  [
    'api-server-lists',
    [REQUESTS(1, 0), slow('LIST', '')],
    [
      [REQUESTS(1, 0), REQUESTS(2, 0)],
      [REQUESTS(1, 0), slow('POST', '')],
    ],
    [['', 'up 1']],
  ],
  [
    'karpenter-errors',
    [KARPENTER, `${KARPENTER}karpenter_cloudprovider_errors_total{error="InsufficientCapacityError"} 11`],
    [
      [KARPENTER, KARPENTER],
      [OLD_KARPENTER, OLD_KARPENTER],
      [KARPENTER, `${KARPENTER}karpenter_cloudprovider_errors_total{error="NodeClaimNotFoundError"} 99`],
    ],
    [['', 'up 1']],
  ],
  [
    'karpenter-launches',
    [KARPENTER, `${KARPENTER}karpenter_nodeclaims_disrupted_total{reason="registration_timeout"} 2`],
    [
      [KARPENTER, KARPENTER],
      [KARPENTER, `${KARPENTER}karpenter_nodeclaims_disrupted_total{reason="drifted"} 20`],
    ],
    [[OLD_KARPENTER, `${OLD_KARPENTER}karpenter_nodeclaims_disrupted{reason="launch_timeout"} 9`]],
  ],
  [
    'karpenter-queue',
    [KARPENTER, `${KARPENTER}karpenter_scheduler_queue_depth{controller="provisioner"} 11`],
    [[KARPENTER, KARPENTER]],
    [[OLD_KARPENTER, `${OLD_KARPENTER}karpenter_provisioner_scheduling_queue_depth 50`]],
  ],
  ['istiod-rejects', [ISTIOD, `${ISTIOD}pilot_total_xds_rejects{type="cds"} 1`], [[ISTIOD, ISTIOD]], [['', 'up 1']]],
  [
    'istiod-push-errors',
    [ISTIOD, `${ISTIOD}pilot_xds_pushes{type="cds_senderr"} 6`],
    [[ISTIOD, `${ISTIOD}pilot_xds_pushes{type="cds"} 600`]],
    [['', 'up 1']],
  ],
  ['istiod-internal-errors', [ISTIOD, `${ISTIOD}pilot_total_xds_internal_errors 1`], [[ISTIOD, ISTIOD]], [['', 'up 1']]],
  [
    'istiod-convergence',
    [ISTIOD, ISTIOD + buckets('pilot_proxy_convergence_time', '', { 1: 0, 10: 1, 20: 50, '+Inf': 50 })],
    [[ISTIOD, ISTIOD]],
    [['', 'up 1']],
  ],
  [
    'dns-errors',
    ['coredns_dns_responses_total{rcode="SERVFAIL"} 0', 'coredns_dns_responses_total{rcode="SERVFAIL"} 3'],
    [['coredns_dns_responses_total{rcode="NXDOMAIN"} 0', 'coredns_dns_responses_total{rcode="NXDOMAIN"} 3']],
    [['coredns_dns_responses_total{rcode="NOERROR"} 3', 'coredns_dns_responses_total{rcode="NOERROR"} 3']],
  ],
])('%s', (name, bad, well, blind) => {
  test('sees what is bad', () => expect(isBad(name, ...bad)).toBe(true));
  test('sees what is well', () => expect(well.map((texts) => isBad(name, ...texts))).toEqual(well.map(() => false)));
  test('takes nothing for well that it does not see', () =>
    expect(blind.map((texts) => isBad(name, ...texts))).toEqual(blind.map(() => undefined)));
});

test('every check but the one on /readyz is in the table above', () => {
  expect(SCRAPE_CHECKS.map(({ name }) => name).filter((name) => name !== 'api-server-ready')).toHaveLength(11);
});
