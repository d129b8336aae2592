/** The report: what it comes to, what is selected, what has changed. */
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { diffReports, reportReadiness, type Selection, selectChecks } from '../../../domain/readiness/report.ts';
import type { Evidence } from '../../../domain/readiness/model/evidence.ts';
import type { Waiver } from '../../../domain/readiness/model/waivers.ts';
import { blindTo, budget, CONTEXT, evidence, node, pod, workload } from './healthy.ts';

const CLUSTER = { name: 'prod', account: '111122223333', region: 'eu-west-1' };
const report = (seen: Evidence, namespace?: string, narrowed: { selection?: Selection; waivers?: Waiver[] } = {}) =>
  reportReadiness({
    cluster: CLUSTER,
    checks: selectChecks(CATALOGUE, narrowed.selection ?? {}),
    catalogueCount: CATALOGUE.length,
    evidence: seen,
    context: CONTEXT,
    waivers: narrowed.waivers ?? [],
    ...(namespace === undefined ? {} : { namespace }),
  });

describe('the verdict', () => {
  test.each([
    { title: 'ready', seen: evidence(), verdict: 'ready', counts: { required: 0, recommended: 0, unknown: 0 } },
    {
      title: 'recommended findings stop nobody',
      seen: evidence({ workloads: [workload({ replicas: 1 })] }),
      verdict: 'ready',
      counts: { required: 0, recommended: 1, unknown: 0 },
    },
    {
      title: 'what could not be seen needs a human',
      seen: blindTo(['quotas']),
      verdict: 'unknowns-only',
      counts: { required: 0, recommended: 0, unknown: 3 },
    },
    {
      title: 'one required finding is enough',
      seen: evidence({ budgets: [budget({ maxUnavailable: 0 })] }),
      verdict: 'required-findings',
      counts: { required: 1, recommended: 0, unknown: 0 },
    },
  ])('$title', ({ seen, verdict, counts }) => {
    expect(report(seen)).toMatchObject({ verdict, counts });
  });

  test('the worst is first', () => {
    const seen = {
      ...blindTo(['quotas', 'instanceQuotas']),
      budgets: evidence({ budgets: [budget({ maxUnavailable: 0 })] }).budgets,
      workloads: evidence({ workloads: [workload({ replicas: 1 })] }).workloads,
    };
    expect(
      report(seen)
        .findings.slice(0, 5)
        .map(({ code, status, severity }) => `${code} ${status} ${severity}`),
    ).toEqual([
      'K8S018 fail required',
      'K8S012 fail recommended',
      'AWS010 unknown required',
      'AWS007 unknown recommended',
      'AWS008 unknown recommended',
    ]);
  });
});

test('nodes are counted by minor and owner; where they could not be read, nothing is said of them', () => {
  const nodes = [
    node(),
    node({ name: 'b' }),
    node({ name: 'c', kubelet: 'v1.31.2', owner: 'node-group' }),
    node({ name: 'd', kubelet: '?' }),
  ];
  expect(report(evidence({ nodes })).nodes).toEqual([
    { minor: '1.31', owner: 'node-group', count: 1 },
    { minor: '1.32', owner: 'karpenter', count: 2 },
    { minor: 'unknown', owner: 'karpenter', count: 1 },
  ]);
  expect(report(blindTo(['nodes']))).not.toHaveProperty('nodes');
});

test('one namespace: findings of others are left out, and so are resources of others', () => {
  const seen = evidence({
    workloads: [workload({ replicas: 1 }), workload({ namespace: 'pay', replicas: 1 })],
    pods: [pod({ namespace: 'pay', controller: undefined })],
  });
  const shop = report(seen, 'shop');
  const open = shop.findings.filter(({ status }) => status === 'fail');
  expect(open.map(({ code, resources }) => [code, resources.map(({ namespace }) => namespace)])).toEqual([['K8S012', ['shop']]]);
  // The naked pod's finding, and with it its pod; the workload of pay.
  expect(shop.narrowed).toEqual({ namespace: { name: 'shop', hiddenFindings: 1, hiddenResources: 2 } });
  expect(report(seen)).not.toHaveProperty('narrowed');
});

test.each([
  { title: 'one check', selection: { only: ['K8S018'] }, codes: ['K8S018'] },
  { title: 'an area', selection: { only: ['OWN'] }, codes: ['OWN001', 'OWN002', 'OWN003', 'OWN004'] },
  { title: 'an area without one of its checks', selection: { only: ['OWN'], skip: ['OWN002'] }, codes: ['OWN001', 'OWN003', 'OWN004'] },
])('selected: $title', ({ selection, codes }) => {
  expect(selectChecks(CATALOGUE, selection).map(({ code }) => code)).toEqual(codes);
});

test('what has changed since an older report', () => {
  const before = report(
    evidence({ workloads: [workload({ replicas: 1 }), workload({ name: 'b', replicas: 1 })], budgets: [budget({ maxUnavailable: 0 })] }),
  );
  const now = report(evidence({ workloads: [workload({ replicas: 1 })], pods: [pod({ doNotDisrupt: 'true' })] }));
  const { fixed, added, changed, staying } = diffReports(before, now);
  expect(fixed.map(({ code }) => code)).toEqual(['K8S018']);
  expect(added.map(({ code }) => code)).toEqual(['K8S026']);
  expect(changed.map((each) => [each.now.code, each.before, each.now.resources.length])).toEqual([['K8S012', 2, 1]]);
  expect(staying).toBe(1);
});

describe('what is not fixed, and not new', () => {
  const single = workload({ replicas: 1 });
  const several = evidence({ workloads: [single], budgets: [budget({ maxUnavailable: 0 })] });
  const only: Selection = { only: ['K8S012'] };
  const codesOf = ({ fixed, added }: ReturnType<typeof diffReports>) => [fixed, added].map((each) => each.map(({ code }) => code));

  test('what one of both reports did not check', () => {
    const [whole, part] = [report(several), report(several, undefined, { selection: only })];
    expect(codesOf(diffReports(whole, part))).toEqual([[], []]);
    expect(codesOf(diffReports(part, whole))).toEqual([[], []]);
  });

  test('a check that was run and found nothing was run: what it found before is fixed', () => {
    const before = report(several, undefined, { selection: only });
    const now = report(evidence(), undefined, { selection: only });
    expect(codesOf(diffReports(before, now))).toEqual([['K8S012'], []]);
    expect(codesOf(diffReports(now, before))).toEqual([[], ['K8S012']]);
  });

  test.each<[string, Selection]>([
    ['all checks', {}],
    ['one check', only],
  ])('in one namespace, of %s: a finding that only others have left is fixed in this one', (_what, selection) => {
    const before = report(evidence({ workloads: [single, workload({ namespace: 'pay', replicas: 1 })] }), 'shop', { selection });
    const now = report(evidence({ workloads: [workload({ namespace: 'pay', replicas: 1 })] }), 'shop', { selection });
    expect(now.findings.map(({ code }) => code)).not.toContain('K8S012');
    expect(codesOf(diffReports(before, now))).toEqual([['K8S012'], []]);
    expect(codesOf(diffReports(now, before))).toEqual([[], ['K8S012']]);
  });

  const because = { check: 'K8S012', reason: 'batch only', by: 'alex', until: '2099-12-31' };
  test.each<[string, Waiver[]]>([
    ['whole', [because]],
    ['each resource by a waiver of its own', ['a', 'b'].map((name) => ({ ...because, resource: `shop/${name}` }))],
  ])('what is waived now: %s', (_what, waivers) => {
    const before = report(evidence({ workloads: [workload({ name: 'a', replicas: 1 })] }));
    const seen = evidence({ workloads: ['a', 'b'].map((name) => workload({ name, replicas: 1 })) });
    const now = report(seen, undefined, { waivers });
    expect(now.counts).toMatchObject({ recommended: 0, waived: waivers.length });
    expect(codesOf(diffReports(before, now))).toEqual([[], []]);
  });

  test('what could not be seen any more; what was unknown and passes is settled', () => {
    const now = report({ ...evidence(), workloads: blindTo(['workloads']).workloads });
    const [fixed, added] = codesOf(diffReports(report(evidence({ workloads: [single] })), now));
    expect(fixed).toEqual([]);
    expect(added).toContain('K8S012');
    expect(codesOf(diffReports(now, report(evidence())))).toEqual([added, []]);
  });
});

test('every check that is run leaves a finding, in whatever it was run on', () => {
  for (const seen of [evidence(), blindTo(['nodes', 'pods', 'workloads', 'quotas'])]) {
    expect(new Set(report(seen).findings.map(({ code }) => code))).toEqual(new Set(CATALOGUE.map(({ code }) => code)));
  }
});
