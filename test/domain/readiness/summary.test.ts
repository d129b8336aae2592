/** A report in short: bounded, and enough to say what has changed. */
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import type { Evidence } from '../../../domain/readiness/model/evidence.ts';
import { reportReadiness, type ReadinessReport } from '../../../domain/readiness/report.ts';
import { changeSince, type ReadinessSummary, summarize } from '../../../domain/readiness/summary.ts';
import { blindTo, budget, CONTEXT, evidence, pod, workload } from './healthy.ts';

const CLUSTER = { name: 'prod', account: '111122223333', region: 'eu-west-1' };
const report = (seen: Evidence): ReadinessReport =>
  reportReadiness({ cluster: CLUSTER, checks: CATALOGUE, evidence: seen, context: CONTEXT });
const summary = (seen: Evidence): ReadinessSummary => summarize(report(seen));
const singles = (...names: string[]): Evidence => evidence({ workloads: names.map((name) => workload({ name, replicas: 1 })) });

describe('a summary', () => {
  test('holds what is open, worst first, with resources by name', () => {
    const seen = { ...blindTo(['quotas']), workloads: singles('cart').workloads };
    const { open, verdict, counts } = summary(seen);
    expect(verdict).toBe('unknowns-only');
    expect(counts.recommended).toBe(1);
    expect(open[0]).toEqual({
      code: 'K8S012',
      title: 'Workloads have more than one replica',
      severity: 'recommended',
      status: 'fail',
      message: '1 workload with one replica, which is away for about a minute when its node is replaced.',
      remediation: 'Scale to two before nodes move, or warn their users.',
      named: ['Deployment shop/cart'],
      resourceCount: 1,
    });
    expect(open.slice(1).every(({ status }) => status === 'unknown')).toBe(true);
  });

  test('a waived finding is not open', () => {
    const waivers = [{ check: 'K8S012', reason: 'batch only', by: 'alex', until: '2026-03-31' }];
    const seen = { cluster: CLUSTER, checks: CATALOGUE, evidence: singles('cart'), context: CONTEXT, waivers };
    expect(summarize(reportReadiness(seen)).open).toEqual([]);
  });

  test('stays small whatever is found', () => {
    const [finding] = report(singles('cart')).findings;
    if (finding === undefined) throw new Error('nothing was found');
    const long = 'x'.repeat(5_000);
    const resources = Array.from({ length: 5_000 }, (_, index) => ({ kind: 'Deployment', namespace: long, name: `${long}-${index}` }));
    const findings = Array.from({ length: 500 }, () => ({ ...finding, title: long, message: long, remediation: long, resources }));
    const { open, ...rest } = summarize({ ...report(evidence()), findings });
    expect(open).toHaveLength(100);
    expect(open[0]).toMatchObject({ resourceCount: 5_000, named: { length: 6 } });
    expect(JSON.stringify({ ...rest, open }).length).toBeLessThan(180 * 1024);
  });
});

describe('what has changed', () => {
  test('fixed, new, other resources, and the number of those that stay as they were', () => {
    const before = summary({
      ...singles('cart', 'web'),
      budgets: evidence({ budgets: [budget({ maxUnavailable: 0 })] }).budgets,
      pods: evidence({ pods: [pod({ controller: undefined })] }).pods,
    });
    const now = summary({
      ...singles('web', 'search'),
      pods: evidence({ pods: [pod({ controller: undefined }), pod({ name: 'job', doNotDisrupt: 'true' })] }).pods,
    });
    const { fixed, added, changed, unchangedCount, since } = changeSince(before, now);
    expect(since).toBe(CONTEXT.now);
    expect(fixed.map(({ code }) => code)).toEqual(['K8S018']);
    expect(added.map(({ code }) => code)).toEqual(['K8S026']);
    expect(changed).toEqual([
      {
        code: 'K8S012',
        title: 'Workloads have more than one replica',
        before: 2,
        now: 2,
        gone: ['Deployment shop/cart'],
        come: ['Deployment shop/search'],
      },
    ]);
    expect(unchangedCount).toBe(1);
  });

  test('of many resources only their number is known', () => {
    const many = (count: number): Evidence => singles(...Array.from({ length: count }, (_, index) => `w${index}`));
    expect(changeSince(summary(many(30)), summary(many(20))).changed).toMatchObject([{ before: 30, now: 20, gone: [], come: [] }]);
    expect(changeSince(summary(many(30)), summary(many(30)))).toMatchObject({ changed: [], unchangedCount: 1 });
  });
});
