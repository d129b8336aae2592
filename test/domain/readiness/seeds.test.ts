/** What the source material says and what is so: one test per statement that is wrong or stale. */
import { describe, expect, test } from 'vitest';
import { parseComponentVersion } from '../../../domain/core/component-version.ts';
import { lintQuery } from '../../../domain/health/promql-lint.ts';
import { validatePlan } from '../../../domain/plan/validate.ts';
import { istioPastEndOfLife, istioSupport } from '../../../domain/tables/istio.ts';
import { karpenterSupport } from '../../../domain/tables/karpenter.ts';
import { parseKubernetesVersion } from '../../../domain/core/version.ts';
import { NOW, seed000Facts, seed002Facts } from '../../support/facts.ts';
import { paramsOf, planOf, stepIds, stepOf, withStep } from '../../support/plans.ts';

const karpenter = (version: string, minor: string) => karpenterSupport(parseComponentVersion(version), parseKubernetesVersion(minor));
const titles = (findings: { title: string }[]) => findings.map((finding) => finding.title);

describe('statements of the seeds that are wrong or stale', () => {
  test('"Karpenter v1.0.2 → v1.1.x for EKS 1.34": 1.1 ends at 1.31, 1.34 needs 1.6', () => {
    expect([karpenter('1.1.10', '1.31'), karpenter('1.1.10', '1.32'), karpenter('1.5.8', '1.34'), karpenter('1.6.0', '1.34')]).toEqual([
      'supported',
      'unsupported',
      'unsupported',
      'supported',
    ]);
    const plan = planOf(seed002Facts(), '1.34');
    expect(paramsOf(plan, 'karpenter-controller', '1.33')).toMatchObject({ from: '1.0.2', minimum: '1.6.0' });
  });

  test('the cluster of that plan is outside the matrix already: a finding, since there is a way', () => {
    expect(planOf(seed002Facts(), '1.34').findings).toContainEqual(
      expect.objectContaining({
        code: 'PLN010',
        status: 'fail',
        message: 'Karpenter 1.0.2 supports Kubernetes 1.25 to 1.30, and the cluster is at 1.32.',
      }),
    );
  });

  test('going to 1.1 as the seed says breaks the rule by name', () => {
    const facts = seed002Facts();
    const plan = withStep(planOf(facts, '1.34'), 'karpenter-controller@1.33', (step) => ({
      ...step,
      params: {
        phase: 'karpenter-controller',
        from: '1.0.2',
        to: '1.1.10',
        minimum: '1.1.0',
        namespace: 'kube-system',
        deployment: 'karpenter',
        managedBy: 'manual',
      },
    }));
    expect(validatePlan(plan, facts)[0]).toEqual({
      rule: 'karpenter-supports-both-minors',
      message: 'Karpenter 1.1.10 supports Kubernetes 1.25 to 1.31; the hop needs 1.32 and 1.33.',
      remedy: 'Change Karpenter to 1.5 (at least 1.5.0) before the control plane moves to 1.33.',
    });
  });

  test('"karpenter_node_claims_terminated_total{reason=launch_failed}" never existed: neither metric, label nor reason', () => {
    expect(titles(lintQuery('sum(rate(karpenter_node_claims_terminated_total{reason="launch_failed"}[5m]))'))).toEqual([
      'The query asks for a metric that does not exist',
      'The query filters by a reason that is never set',
    ]);
    expect(titles(lintQuery('sum(rate(karpenter_nodeclaims_terminated_total{nodepool="a",reason="x"}[5m]))'))).toEqual([
      'The query filters by a label that the metric does not have',
    ]);
    expect(
      lintQuery('sum(increase(karpenter_nodeclaims_disrupted_total{reason=~"launch_timeout|registration_timeout|liveness"}[15m]))'),
    ).toEqual([]);
  });

  test('"sum(pilot_xds_push_errors)" is not emitted', () => {
    expect(lintQuery('sum(pilot_xds_push_errors)')).toMatchObject([
      { code: 'LNT001', message: 'pilot_xds_push_errors: Istio does not emit it. The query always returns an empty vector.' },
    ]);
    expect(lintQuery('sum(increase(pilot_total_xds_rejects[5m]))')).toEqual([]);
  });

  test('apiserver p99 without a filter on verbs counts watches', () => {
    const query = (selector: string) =>
      `histogram_quantile(0.99, sum(rate(apiserver_request_duration_seconds_bucket${selector}[5m])) by (le, verb))`;
    expect(titles(lintQuery(query('')))).toEqual(['The latency quantile counts watches']);
    expect(titles(lintQuery(query('{verb!="WATCH"}')))).toEqual(['The latency quantile counts watches']);
    expect(lintQuery(query('{verb=~"GET|LIST|POST|PUT|PATCH|DELETE",subresource!="log"}'))).toEqual([]);
    expect(lintQuery(query('{verb!~"WATCH|CONNECT"}'))).toEqual([]);
  });

  test('"add-ons (incl. kube-proxy) before the control plane": kube-proxy may never be ahead', () => {
    const facts = seed002Facts();
    const plan = withStep(planOf(facts, '1.34'), 'add-ons-bridge@1.33', (step) => ({
      ...step,
      params: {
        phase: 'add-ons-bridge',
        managedBy: 'eks',
        changes: [
          { name: 'vpc-cni', from: 'v1.19.0-eksbuild.1', to: 'v1.20.4-eksbuild.2', managed: true },
          { name: 'kube-proxy', from: 'v1.32.0-eksbuild.2', to: 'v1.33.3-eksbuild.4', managed: true },
        ],
      },
    }));
    expect(validatePlan(plan, facts)).toEqual([
      {
        rule: 'kube-proxy-not-ahead',
        message: 'add-ons-bridge@1.33 changes kube-proxy before the control plane moves.',
        remedy: 'Update it last, in add-ons-target.',
      },
    ]);
  });

  test('"take an etcd backup": there is none, but a version rollback for 7 days', () => {
    expect(stepOf(planOf(seed002Facts(), '1.34'), 'control-plane@1.34').rollback).toMatchObject({
      how: 'EKS version rollback (UpdateClusterVersion with 1.33) while no kubelet is newer and add-ons are valid on 1.33',
      until: "7 days after the control plane's update",
    });
  });

  test('"Istio 1.26.2 → 1.28": a canary may jump two minors, but 1.28 is past its end of life', () => {
    expect(paramsOf(planOf(seed002Facts(), '1.34'), 'istio', '1.33').canaries.map((c) => c.toMinor)).toEqual(['1.28', '1.30']);
    expect(istioPastEndOfLife(parseComponentVersion('1.28'), NOW)).toBe(true);
    expect(istioSupport(parseComponentVersion('1.30'), parseKubernetesVersion('1.31'))).toBe('unsupported');
    expect(istioSupport(parseComponentVersion('1.30'), parseKubernetesVersion('1.32'))).toBe('supported');
  });

  test('"Karpenter replaced nodes before EKS reported done": by design, so the freeze comes before the control plane', () => {
    const facts = seed000Facts();
    const plan = planOf(facts, '1.32');
    expect(stepIds(plan).indexOf('freeze-drift@1.32')).toBeLessThan(stepIds(plan).indexOf('control-plane@1.32'));
    expect(validatePlan(withStep(plan, 'freeze-drift@1.32', undefined), facts)).toEqual([
      {
        rule: 'freeze-while-the-control-plane-moves',
        message: 'Node pools default, batch are not frozen when control-plane@1.32 starts.',
        remedy: 'Put freeze-drift before the first control-plane and karpenter-drift after the last.',
      },
    ]);
  });

  test('"control plane ⇒ node group ⇒ Karpenter nodes ⇒ add-ons" works', () => {
    const order = ['control-plane@1.32', 'node-groups@1.32', 'karpenter-drift@1.32', 'add-ons-target@1.32'];
    expect(stepIds(planOf(seed000Facts(), '1.32')).filter((id) => order.includes(id))).toEqual(order);
  });
});
