/** The forms of a readiness report: for terminals, tickets, CI and machines. */
import { describe, expect, test } from 'vitest';
import { renderCheckHtml } from '../../../render/readiness/html.ts';
import { renderCheckJunit } from '../../../render/readiness/junit.ts';
import { renderCheckMarkdown } from '../../../render/readiness/markdown.ts';
import { renderPermissions } from '../../../render/readiness/permissions.ts';
import { renderCheckText } from '../../../cli/render/check-text.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { diffReports, reportReadiness, type ReadinessReport, selectChecks } from '../../../domain/readiness/report.ts';
import { permissionsOf } from '../../../domain/readiness/model/sources.ts';
import { blindTo, budget, CONTEXT, evidence, workload } from '../../domain/readiness/healthy.ts';

/** Markup in a name: it is shown, never interpreted. */
const ODD = '<b>cart|`x`';
const report = (...only: string[]): ReadinessReport =>
  reportReadiness({
    cluster: { name: 'prod', account: '111122223333', region: 'eu-west-1' },
    checks: selectChecks(CATALOGUE, { only }),
    catalogueCount: CATALOGUE.length,
    evidence: { ...blindTo(['quotas']), workloads: evidence({ workloads: [workload({ name: ODD, replicas: 1 })] }).workloads },
    context: CONTEXT,
  });
const short = report('K8S012', 'AWS008', 'OWN003');

test('a terminal has a summary, what is open with what to do, and the verdict', () => {
  expect(renderCheckText(short)).toBe(`Unknown
  ? AWS008  The quota for gp2 volumes has room
      Service quotas and what is used of them could not be read: the server said no.
      → Allow servicequotas:GetServiceQuota, ec2:DescribeInstances, ec2:DescribeVolumes.

Recommended
  ! K8S012  Workloads have more than one replica
      1 workload with one replica, which is away for about a minute when its node is replaced.
      Deployment shop/<b>cart|\`x\`
      → Scale to two before nodes move, or warn their users.

prod (111122223333, eu-west-1): 1.32 → 1.33
0 required findings, 1 recommended, 1 unknown, 0 waived, 1 passed
Only 3 of ${CATALOGUE.length} checks were run.

AREA        REQUIRED  RECOMMENDED  UNKNOWN  WAIVED  PASSED
AWS         0         0            1        0       0
Kubernetes  0         1            0        0       0
Ownership   0         0            0        0       1

Ready for 1.33 as far as could be seen; somebody has to check what is unknown.`);
});

test('a permission that is missing is said once, with every check that waits for it', () => {
  const text = renderCheckText(report('AWS007', 'AWS008', 'AWS009'));
  expect(text).toContain(`Unknown
  ? AWS007  The quota for on-demand standard instances has room
  ? AWS008  The quota for gp2 volumes has room
  ? AWS009  The quota for gp3 volumes has room
      Service quotas and what is used of them could not be read: the server said no.
      → Allow servicequotas:GetServiceQuota, ec2:DescribeInstances, ec2:DescribeVolumes.
`);
  expect(renderCheckMarkdown(report('AWS007', 'AWS008', 'AWS009'))).toContain('## AWS007, AWS008, AWS009 (unknown)');
});

test('lines of a terminal are broken between words', () => {
  const text = renderCheckText(short, { columns: 50 });
  expect(text).toContain(`
      Service quotas and what is used of them
      could not be read: the server said no.
      → Allow servicequotas:GetServiceQuota,
      ec2:DescribeInstances, ec2:DescribeVolumes.
`);
});

test('after a long report the summary fits a screen of 80 columns and 24 rows, and names the worst once more', () => {
  const everything = renderCheckText(
    reportReadiness({
      cluster: { name: 'prod', account: '111122223333', region: 'eu-west-1' },
      checks: selectChecks(CATALOGUE, { skip: ['OWN001'] }),
      evidence: { ...blindTo(['quotas', 'nodes']), workloads: evidence({ workloads: [workload({ replicas: 1 })] }).workloads },
      context: CONTEXT,
      namespace: 'shop',
    }),
    { columns: 80 },
  );
  const summary = everything.slice(everything.lastIndexOf('prod (111122223333'));
  expect(summary).toContain('Only what concerns namespace shop: 0 findings and 0 resources of other namespaces are left out.');
  expect(summary).toMatch(/\nThe worst:\n( {2}[A-Z0-9]{6} {2}\S.*\n){5}\n/);
  const rows = summary.split('\n').map((line) => Math.ceil(line.length / 80) || 1);
  expect(rows.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(24);
});

describe('what has changed', () => {
  const before = report('K8S012', 'K8S018', 'K8S020', 'AWS009');
  const now = reportReadiness({
    cluster: before.cluster,
    checks: selectChecks(CATALOGUE, { only: ['K8S012', 'AWS008', 'AWS009', 'K8S018'] }),
    evidence: {
      ...blindTo(['subnets']),
      ...evidence({
        workloads: [workload({ replicas: 1 }), workload({ name: 'b', replicas: 1 })],
        budgets: [budget({ maxUnavailable: 0 })],
      }),
    },
    context: CONTEXT,
  });
  const diff = diffReports(before, now);

  test('in a terminal', () => {
    expect(renderCheckText(now, { diff })).toContain(`Changes since the older report
  new    K8S018  1 disruption budget can never allow an eviction: nodes under its pods will not drain.
  more   K8S012  1 → 2 resources
  seen   AWS009  The quota for gp3 volumes has room
  1 as before
`);
  });

  test('in a ticket and on the page', () => {
    expect(renderCheckMarkdown(now, diff)).toContain('- **more** K8S012 1 → 2 resources\n- **seen** AWS009');
    expect(renderCheckHtml(now, diff)).toContain('<b class="more">more</b> <span class="code">K8S012</span> 1 → 2 resources');
    expect(renderCheckHtml(now)).not.toContain('Changes since the older report');
  });
});

test('a ticket has a box to tick for each resource, and names are not interpreted', () => {
  const ticket = renderCheckMarkdown(short);
  expect(ticket).toContain('# prod: 1.32 → 1.33\n');
  expect(ticket).toContain('**Ready as far as could be seen.** Account 111122223333, eu-west-1, checked at 2025-11-01T00:00:00Z.');
  expect(ticket).toContain('| Kubernetes | 0 | 1 | 0 | 0 | 0 |');
  expect(ticket).toContain('## K8S012 Workloads have more than one replica (recommended)');
  expect(ticket).toContain('- [ ] `Deployment shop/<b>cart|’x’`');
  expect(ticket).not.toContain('OWN003');
});

test('CI sees an unknown as an error and a finding as a failure', () => {
  const xml = renderCheckJunit(short);
  expect(xml).toContain('<testsuites name="belay check prod" tests="3" failures="1" errors="1" skipped="0">');
  expect(xml).toContain('<testcase classname="Ownership" name="OWN003 Belay and Temporal run somewhere else"></testcase>');
  expect(xml).toContain(
    '<error type="recommended" message="Service quotas and what is used of them could not be read: the server said no.">',
  );
  expect(xml).toContain('Deployment shop/&lt;b&gt;cart|`x`');
});

describe('a waived finding', () => {
  const waived = reportReadiness({
    cluster: { name: 'prod', account: '111122223333', region: 'eu-west-1' },
    checks: selectChecks(CATALOGUE, { only: ['K8S012'] }),
    evidence: evidence({ workloads: [workload({ replicas: 1 })] }),
    context: CONTEXT,
    waivers: [
      { check: 'K8S012', resource: 'shop/*', reason: 'batch only', by: 'alex', until: '2026-03-31' },
      { check: 'K8S012', resource: 'pay/*', reason: 'old', by: 'kim', until: '2025-01-31' },
    ],
  });

  test('counts for nothing and stays visible', () => {
    expect(waived).toMatchObject({ verdict: 'ready', counts: { required: 0, recommended: 0, unknown: 0, passed: 0, waived: 1 } });
    const text = renderCheckText(waived);
    expect(text).toContain('Waived\n  – K8S012  Workloads have more than one replica\n');
    expect(text).toContain('Waived by alex until 2026-03-31: batch only');
    expect(renderCheckMarkdown(waived)).toContain('(waived)');
    expect(renderCheckJunit(waived)).toContain('<skipped message="Waived by alex until 2026-03-31: batch only"></skipped>');
    expect(renderCheckHtml(waived)).toContain('Waived by alex until 2026-03-31: batch only');
  });

  test('a waiver that has ended is said', () => {
    const said = 'The waiver of K8S012 for pay/* by kim ended on 2025-01-31.';
    expect(renderCheckText(waived)).toContain(`Expired waivers\n  ${said}`);
    expect(renderCheckHtml(waived)).toContain(`<p class="notice">${said}</p>`);
    expect(renderCheckMarkdown(waived)).toContain('The waiver of K8S012 for pay/\\* by kim ended on 2025-01-31.');
  });
});

test('the HTML file loads nothing from elsewhere and shows markup as text', () => {
  const page = renderCheckHtml(short);
  expect(page).toContain('<code>Deployment shop/&lt;b&gt;cart|`x`</code>');
  expect(page).not.toContain('<b>cart');
  expect(page.match(/\b(?:src|href)=|url\(|@import/g)).toBeNull();
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"`);
});

test('permissions are an IAM policy and a ClusterRole that change nothing', () => {
  const text = renderPermissions(permissionsOf(['cluster', 'pods', 'apiMetrics', 'helmReleases']));
  expect(text).toBe(`# IAM policy of the role that runs belay check
{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Sid": "BelayCheck",
      "Effect": "Allow",
      "Action": [
        "eks:DescribeCluster"
      ],
      "Resource": "*"
    }
  ]
}

# ClusterRole, bound to the group of its access entry
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: belay-check
rules:
  - apiGroups:
      - ""
    resources:
      - pods
    verbs:
      - list
  - nonResourceURLs:
      - /metrics
    verbs:
      - get`);
});
