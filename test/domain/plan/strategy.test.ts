import { describe, expect, test } from 'vitest';
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import { addOn, healthyFacts, policy, seed002Facts } from '../../support/facts.ts';
import { planOf, refusalOf } from '../../support/plans.ts';

/** No Karpenter, no Istio, no add-ons: only node groups and skew decide. */
function bare(controlPlane: string, nodes: string, change: Partial<ClusterFacts> = {}): ClusterFacts {
  const healthy = healthyFacts();
  return {
    ...healthy,
    controlPlane: { ...healthy.controlPlane, version: controlPlane },
    supportedVersions: [],
    nodeGroups: healthy.nodeGroups.map((group) => ({ ...group, version: nodes })),
    addOns: [],
    kubelets: [{ minor: nodes, count: 3, owner: 'node-group' }],
    karpenter: undefined,
    istio: undefined,
    ...change,
  };
}

describe('node strategies', () => {
  test('both are offered with what they cost; once at the end is the default', () => {
    const plan = planOf(seed002Facts(), '1.34');
    expect(plan.strategy).toBe('once-at-the-end');
    expect(plan.strategies).toEqual([
      { strategy: 'once-at-the-end', possible: true, nodeReplacementCount: 21, hopCount: 2 },
      { strategy: 'every-hop', possible: true, nodeReplacementCount: 42, hopCount: 2 },
    ]);
  });

  test('a policy that wants each hop to be rolled back by itself gets every hop', () => {
    expect(planOf(seed002Facts(), '1.34', { policy: policy({ rollbackEachHop: true }) }).strategy).toBe('every-hop');
  });

  test('what was asked for goes before the policy, the policy before the default', () => {
    expect(planOf(seed002Facts(), '1.34', { policy: policy({ strategy: 'every-hop' }) }).strategy).toBe('every-hop');
    expect(planOf(seed002Facts(), '1.34', { strategy: 'once-at-the-end', policy: policy({ strategy: 'every-hop' }) }).strategy).toBe(
      'once-at-the-end',
    );
  });

  test('three minors behind is allowed, four is not', () => {
    expect(planOf(bare('1.31', '1.31'), '1.34').strategy).toBe('once-at-the-end');
    const far = planOf(bare('1.31', '1.31'), '1.35');
    expect(far.strategy).toBe('every-hop');
    expect(far.strategies[0]).toEqual({
      strategy: 'once-at-the-end',
      possible: false,
      why: 'once-at-the-end-within-skew: 3 nodes of node group system at 1.31 would be 4 minors behind a control plane at 1.35; 3 are allowed.',
      nodeReplacementCount: 3,
      hopCount: 4,
    });
  });

  test('nodes that lag already use up the skew', () => {
    expect(planOf(bare('1.31', '1.30'), '1.33').strategy).toBe('once-at-the-end');
    expect(planOf(bare('1.31', '1.30'), '1.34').strategy).toBe('every-hop');
  });

  test('kube-proxy lags too', () => {
    const facts = bare('1.32', '1.32', { addOns: [addOn('kube-proxy', 'v1.30.6-eksbuild.3')] });
    const plan = planOf(facts, '1.34');
    expect(plan.strategy).toBe('every-hop');
    expect(plan.strategies[0]?.why).toBe(
      'kube-proxy-skew: kube-proxy v1.30.6-eksbuild.3 would be 4 minors behind a control plane at 1.34; 3 are allowed.',
    );
  });

  test('asked for although skew forbids it: refused with the way out', () => {
    expect(refusalOf(bare('1.31', '1.31'), '1.35', { strategy: 'once-at-the-end' })).toEqual([
      {
        rule: 'once-at-the-end-within-skew',
        message: '3 nodes of node group system at 1.31 would be 4 minors behind a control plane at 1.35; 3 are allowed.',
        remedy: 'Use strategy every-hop, or two runs.',
      },
    ]);
  });

  test('nodes that no strategy moves are not blamed on the strategy', () => {
    const nodeGroups = bare('1.31', '1.29').nodeGroups.map((group) => ({ ...group, amiType: 'CUSTOM' }));
    const facts = bare('1.31', '1.29', { nodeGroups });
    expect(refusalOf(facts, '1.33')).toEqual([
      {
        rule: 'kubelet-skew',
        message: '3 nodes of node group system at 1.29 would be 4 minors behind a control plane at 1.33; 3 are allowed.',
        remedy: 'First move these nodes to the control plane’s minor.',
      },
    ]);
  });
});
