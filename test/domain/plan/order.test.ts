import { describe, expect, test } from 'vitest';
import { healthyFacts, policy, seed000Facts, seed002Facts } from '../../support/facts.ts';
import { paramsOf, planOf, stepIds, stepOf } from '../../support/plans.ts';

const MINUTE_MS = 60_000;

describe('order of steps', () => {
  test('seed-000: one hop with everything but Istio', () => {
    const plan = planOf(seed000Facts(), '1.32');
    expect(stepIds(plan)).toEqual([
      'pre-checks@1.32',
      'karpenter-controller@1.32',
      'add-ons-bridge@1.32',
      'freeze-drift@1.32',
      'control-plane@1.32',
      'bake@1.32',
      'node-groups@1.32',
      'karpenter-drift@1.32',
      'add-ons-target@1.32',
      'validation@1.32',
    ]);
    expect(paramsOf(plan, 'karpenter-controller', '1.32')).toMatchObject({
      from: '1.1.1',
      minimum: '1.2.0',
      deployment: 'karpenter',
      managedBy: 'manual',
    });
    expect(paramsOf(plan, 'freeze-drift', '1.32').nodePools).toEqual(['default', 'batch']);
    expect(paramsOf(plan, 'karpenter-drift', '1.32')).toMatchObject({ nodeCount: 32, paces: ['1', '10%'] });
  });

  test('seed-002: once at the end, one freeze over both hops', () => {
    expect(stepIds(planOf(seed002Facts(), '1.34'))).toEqual([
      'pre-checks@1.33',
      'karpenter-controller@1.33',
      'istio@1.33',
      'add-ons-bridge@1.33',
      'freeze-drift@1.33',
      'control-plane@1.33',
      'bake@1.33',
      'pre-checks@1.34',
      'add-ons-bridge@1.34',
      'control-plane@1.34',
      'bake@1.34',
      'node-groups@1.34',
      'karpenter-drift@1.34',
      'add-ons-target@1.34',
      'validation@1.34',
    ]);
  });

  test('seed-002: every hop rolls its nodes and lifts its own freeze', () => {
    expect(stepIds(planOf(seed002Facts(), '1.34', { strategy: 'every-hop' }))).toEqual([
      'pre-checks@1.33',
      'karpenter-controller@1.33',
      'istio@1.33',
      'add-ons-bridge@1.33',
      'freeze-drift@1.33',
      'control-plane@1.33',
      'bake@1.33',
      'node-groups@1.33',
      'karpenter-drift@1.33',
      'add-ons-target@1.33',
      'validation@1.33',
      'pre-checks@1.34',
      'freeze-drift@1.34',
      'control-plane@1.34',
      'bake@1.34',
      'node-groups@1.34',
      'karpenter-drift@1.34',
      'add-ons-target@1.34',
      'validation@1.34',
    ]);
  });

  test('what has nothing to do is left out', () => {
    const bare = healthyFacts({
      karpenter: undefined,
      istio: undefined,
      addOns: [],
      kubelets: [{ minor: '1.33', count: 3, owner: 'node-group' }],
    });
    expect(stepIds(planOf(bare, '1.34'))).toEqual([
      'pre-checks@1.34',
      'control-plane@1.34',
      'bake@1.34',
      'node-groups@1.34',
      'validation@1.34',
    ]);
    const noNodes = { ...bare, nodeGroups: [], kubelets: [] };
    expect(stepIds(planOf(noNodes, '1.34'))).toEqual(['pre-checks@1.34', 'control-plane@1.34', 'bake@1.34', 'validation@1.34']);
  });
});

describe('gates', () => {
  const gated = (plan: ReturnType<typeof planOf>) => plan.steps.filter((step) => step.gate !== undefined).map((step) => step.id);

  test('before the plan, each control plane, node groups and drift', () => {
    expect(gated(planOf(seed002Facts(), '1.34'))).toEqual([
      'pre-checks@1.33',
      // 1.0 → 1.6 drops v1beta1 for good.
      'karpenter-controller@1.33',
      'control-plane@1.33',
      'control-plane@1.34',
      'node-groups@1.34',
      'karpenter-drift@1.34',
    ]);
    expect(gated(planOf(healthyFacts({ karpenter: undefined }), '1.34'))).toEqual([
      'pre-checks@1.34',
      'control-plane@1.34',
      'node-groups@1.34',
    ]);
  });

  test('whatever moves nodes first says that going back means moving nodes first', () => {
    const why = 'From here going back to 1.33 means moving nodes first.';
    expect(stepOf(planOf(healthyFacts(), '1.34'), 'node-groups@1.34').gate?.why).toBe(why);
    expect(stepOf(planOf(healthyFacts({ nodeGroups: [] }), '1.34'), 'karpenter-drift@1.34').gate?.why).toBe(why);
  });

  test('the plan gate says the way and what it costs', () => {
    expect(stepOf(planOf(seed002Facts(), '1.34'), 'pre-checks@1.33').gate?.next).toBe(
      'Belay starts the plan for prod: 1.32 → 1.33 → 1.34, 21 node replacements, once at the end. It asks again before control planes and nodes.',
    );
  });
});

describe('what each step says', () => {
  test('every step has a reason, a way back and an expected duration', () => {
    for (const step of planOf(seed002Facts(), '1.34').steps) {
      expect([step.id, step.why.length > 20, step.rollback.what !== '', step.rollback.until !== '', step.expectedMs > 0]).toEqual([
        step.id,
        true,
        true,
        true,
        true,
      ]);
    }
  });

  test('durations add up', () => {
    const plan = planOf(seed000Facts(), '1.32');
    const minutes = Object.fromEntries(plan.steps.map((step) => [step.phase, step.expectedMs / MINUTE_MS]));
    expect(minutes).toMatchObject({
      'pre-checks': 2,
      'karpenter-controller': 2,
      'add-ons-bridge': 4,
      'control-plane': 10,
      bake: 30,
      'node-groups': 10,
      validation: 1,
    });
    expect(minutes['karpenter-drift']).toBeCloseTo((32 * 40) / 60);
    expect(plan.expectedMs).toBe(plan.steps.reduce((sum, step) => sum + step.expectedMs, 0));
  });

  test('the bake is as long as the policy says', () => {
    const timing = { ...policy().timing, bakeMs: 5 * MINUTE_MS };
    expect(paramsOf(planOf(healthyFacts(), '1.34', { policy: policy({ timing }) }), 'bake', '1.34').bakeMs).toBe(5 * MINUTE_MS);
  });

  test.each<[number, true | undefined]>([
    [MINUTE_MS, true],
    [MINUTE_MS - 1, undefined],
  ])('a bake of %i ms after a wave of Istio or of nodes may be ended early by people: %s', (waveBakeMs, gate) => {
    const { timing, karpenter } = policy();
    const plan = planOf(seed002Facts(), '1.34', {
      policy: policy({ timing: { ...timing, waveBakeMs }, karpenter: { ...karpenter, waves: { by: 'zone' } } }),
    });
    expect([paramsOf(plan, 'istio', '1.33').bakeGate, paramsOf(plan, 'karpenter-drift', '1.34').bakeGate]).toEqual([gate, gate]);
    const atOnce = planOf(seed002Facts(), '1.34', { policy: policy({ timing: { ...timing, waveBakeMs } }) });
    expect(paramsOf(atOnce, 'karpenter-drift', '1.34').bakeGate).toBeUndefined();
  });

  test.each([
    [MINUTE_MS, true],
    [MINUTE_MS - 1, undefined],
  ])('a bake of %i ms may be ended early by people: %s', (bakeMs, gate) => {
    const timing = { ...policy().timing, bakeMs };
    expect(paramsOf(planOf(healthyFacts(), '1.34', { policy: policy({ timing }) }), 'bake', '1.34').gate).toBe(gate);
  });

  test('an unfinished way back: only until the control plane moves on', () => {
    const plan = planOf(seed002Facts(), '1.34');
    expect(stepOf(plan, 'control-plane@1.33').rollback.until).toBe(
      "7 days after the control plane's update, and only until the control plane moves on",
    );
    expect(stepOf(plan, 'control-plane@1.34').rollback.until).toBe("7 days after the control plane's update");
  });
});
