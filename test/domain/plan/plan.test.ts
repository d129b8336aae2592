import { describe, expect, test } from 'vitest';
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import { planHash } from '../../../domain/plan/plan-upgrade.ts';
import { validatePlan } from '../../../domain/plan/validate.ts';
import { addOn, healthyFacts, meshNamespace, nodePool, policy, seed002Facts } from '../../support/facts.ts';
import { findingCodes, planOf } from '../../support/plans.ts';
import { unread } from '../../support/unread.ts';

/** 200 namespaces, 50 node groups and 30 node pools, with names as long as people make them. */
function largeFacts(): ClusterFacts {
  const facts = seed002Facts();
  const [group] = facts.nodeGroups;
  if (facts.karpenter === undefined || facts.istio === undefined || group === undefined) throw new Error('the seed has all of them');
  const name = (kind: string, i: number) => `${kind}-of-the-payments-platform-${String(i).padStart(3, '0')}`;
  return {
    ...facts,
    nodeGroups: Array.from({ length: 50 }, (_, i) => ({ ...group, name: name('node-group', i) })),
    karpenter: { ...facts.karpenter, nodePools: Array.from({ length: 30 }, (_, i) => nodePool(name('node-pool', i), 100)) },
    istio: { ...facts.istio, namespaces: Array.from({ length: 200 }, (_, i) => meshNamespace(name('namespace', i))) },
  };
}

describe('the plan as a record', () => {
  test.each(['once-at-the-end', 'every-hop'] as const)('K5 T11: a large cluster stays under 64 KB, %s', (strategy) => {
    const plan = planOf(largeFacts(), '1.34', { strategy });
    expect(new TextEncoder().encode(JSON.stringify(plan)).length).toBeLessThan(64 * 1024);
  });

  test('names are cut in text, never in what a step acts on', () => {
    const plan = planOf(largeFacts(), '1.34');
    const istio = plan.steps.find((step) => step.params.phase === 'istio')?.params;
    const moved = istio?.phase === 'istio' ? istio.canaries.map((canary) => canary.waves.flat().length) : [];
    expect(moved).toEqual([200, 200]);
    expect(plan.steps.filter((step) => step.why.length > 600).map((step) => step.id)).toEqual([]);
  });

  test('the same facts give the same hash, in whatever order their keys are', () => {
    const facts = healthyFacts();
    const shuffled = { ...facts, cluster: { region: facts.cluster.region, name: facts.cluster.name, account: facts.cluster.account } };
    expect(planOf(shuffled, '1.34').hash).toBe(planOf(facts, '1.34').hash);
    expect(planOf(facts, '1.34').hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('a plan that went through JSON still has its hash, and still keeps the rules', () => {
    const facts = seed002Facts();
    const plan: ReturnType<typeof planOf> = JSON.parse(JSON.stringify(planOf(facts, '1.34')));
    expect(planHash(plan)).toBe(plan.hash);
    expect(validatePlan(plan, facts)).toEqual([]);
  });

  test('whatever people approve changes the hash', () => {
    const hash = planOf(healthyFacts(), '1.34').hash;
    const others = [
      planOf(healthyFacts({ addOns: [addOn('coredns', 'v1.12.1-eksbuild.2')] }), '1.34'),
      planOf(healthyFacts(), '1.34', { strategy: 'every-hop' }),
      planOf(healthyFacts(), '1.34', { policy: policy({ karpenter: { paces: ['2'], freezeReasons: ['Drifted'] } }) }),
      planOf(healthyFacts({ unknowns: [unread('the updates in progress', 'denied')] }), '1.34'),
    ];
    expect(new Set([hash, ...others.map((plan) => plan.hash)]).size).toBe(others.length + 1);
  });
});

describe('findings', () => {
  test('a healthy cluster has none but what is left to the pre-checks', () => {
    expect(findingCodes(planOf(healthyFacts(), '1.34'))).toEqual(['PLN005']);
    const seen = healthyFacts({
      removedApis: [],
      subnets: [
        { id: 'subnet-a', zone: 'eu-central-1a', freeIpCount: 5 },
        { id: 'subnet-b', zone: 'eu-central-1b', freeIpCount: 5 },
      ],
      dependencies: [{ kind: 'iam-role', id: 'role/cluster', present: true }],
    });
    expect(findingCodes(planOf(seen, '1.34'))).toEqual([]);
  });

  test('what could not be read is unknown and required', () => {
    const plan = planOf(healthyFacts({ supportedVersions: [], unknowns: [unread('the NodeClaims', 'not permitted')] }), '1.34');
    expect(plan.findings.slice(0, 2)).toEqual([
      {
        code: 'PLN001',
        title: 'Parts of the cluster are unreadable',
        severity: 'required',
        status: 'unknown',
        message: 'the NodeClaims could not be read: not permitted',
        resources: ['the NodeClaims'],
        resourceCount: 1,
        remediation: 'Give Belay the permission, or look yourself before you approve the plan.',
      },
      expect.objectContaining({ code: 'PLN002', severity: 'required', status: 'unknown' }),
    ]);
  });

  test('A21: unhealthy node groups, add-ons and node pools are required failures', () => {
    const facts = healthyFacts();
    const nodeGroups = facts.nodeGroups.map((group) => ({ ...group, status: 'DEGRADED' }));
    const nodePools = [nodePool('default', 12, { ready: false })];
    const plan = planOf(
      {
        ...facts,
        nodeGroups,
        karpenter: facts.karpenter && { ...facts.karpenter, nodePools },
        addOns: [addOn('coredns', 'v1.12.2-eksbuild.4', { status: 'DEGRADED' })],
      },
      '1.34',
    );
    const required = plan.findings.filter((f) => f.severity === 'required' && f.status === 'fail').map((f) => f.message);
    expect(required).toEqual(['coredns (DEGRADED).', 'default are not Ready: Karpenter launches no nodes for them.', 'system (DEGRADED).']);
  });

  test('versions of nodes that cannot be read are unknown', () => {
    const plan = planOf(healthyFacts({ kubelets: [{ minor: '', count: 2, owner: 'karpenter' }] }), '1.34');
    expect(plan.findings).toContainEqual(expect.objectContaining({ code: 'PLN004', status: 'unknown', resources: ['2 karpenter'] }));
  });

  test('a target past its standard support is told', () => {
    expect(findingCodes(planOf(healthyFacts(), '1.34', { now: '2026-12-03T00:00:00Z' }))).toContain('PLN048');
    expect(findingCodes(planOf(healthyFacts(), '1.34', { now: '2026-12-02T00:00:00Z' }))).not.toContain('PLN048');
  });
});
