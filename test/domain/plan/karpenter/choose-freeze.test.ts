/** By which means a plan freezes drift: by who keeps the NodePools, or as belay.yaml says. */
import { describe, expect, test } from 'vitest';
import type { Deliverer } from '../../../../domain/facts/facts.ts';
import { allowedNodes, type FreezeMeans } from '../../../../domain/policy/freeze-means.ts';
import { planUpgrade } from '../../../../domain/plan/plan-upgrade.ts';
import type { UpgradePolicy } from '../../../../domain/policy/policy.ts';
import { healthyFacts, nodePool, NOW, policy } from '../../../support/facts.ts';

function planned(owners: (Deliverer | undefined)[], freezeBy?: UpgradePolicy['karpenter']['freezeBy']) {
  const { karpenter } = healthyFacts();
  if (karpenter === undefined) throw new Error('the healthy cluster has Karpenter');
  const nodePools = owners.map((deliveredBy, index) => nodePool(`pool-${index}`, 4, deliveredBy === undefined ? {} : { deliveredBy }));
  const { karpenter: settings, timing } = policy();
  const result = planUpgrade(healthyFacts({ karpenter: { ...karpenter, nodePools } }), {
    target: '1.34',
    now: NOW,
    policy: policy({
      karpenter: { ...settings, ...(freezeBy === undefined ? {} : { freezeBy }) },
      timing: { ...timing, freezeExpiryMs: 6 * 3_600_000 },
    }),
  });
  if (result.kind !== 'plan') throw new Error(JSON.stringify(result.violations));
  const step = result.plan.steps.find(({ phase }) => phase === 'freeze-drift');
  if (step?.params.phase !== 'freeze-drift') throw new Error('the plan freezes nothing');
  return { means: step.params.means, step, findings: result.plan.findings.filter(({ code }) => code === 'PLN060') };
}

const table: [string, (Deliverer | undefined)[], UpgradePolicy['karpenter']['freezeBy'], FreezeMeans | undefined, number][] = [
  ['nobody keeps them', [undefined, undefined], undefined, undefined, 0],
  ['Helm looks only in its next upgrade', ['helm'], 'auto', undefined, 0],
  ['Argo CD keeps one', [undefined, 'argocd'], 'auto', { usual: 'budget', byNode: ['pool-1'] }, 0],
  ['Flux and Terraform keep both', ['flux', 'terraform'], undefined, { usual: 'budget', byNode: ['pool-0', 'pool-1'] }, 0],
  ['budgets are asked for against Git', ['flux'], 'budget', undefined, 1],
  ['an expiring entry against Git', ['argocd', undefined], 'self-expiring', { usual: 'self-expiring', lastsMs: 6 * 3_600_000 }, 1],
  ['annotations are asked for', [undefined], 'node-annotation', { usual: 'node-annotation' }, 0],
];

describe('means of a freeze', () => {
  test.each(table)('%s', (_title, owners, freezeBy, means, findingCount) => {
    const plan = planned(owners, freezeBy);
    expect(plan.means).toEqual(means);
    expect(plan.findings).toHaveLength(findingCount);
  });

  test('the step says which and why, and what will be removed', () => {
    const { step } = planned([undefined, 'argocd']);
    expect(step.why).toContain(
      'Argo CD would put a changed budget of pool-1 back, so their nodes are held by karpenter.sh/do-not-disrupt instead, new ones included',
    );
    expect(step.rollback.how).toBe('Belay removes its own budget entry and its marks on nodes, and only that');
    expect(planned([undefined], 'self-expiring').step.why).toContain(
      'ends by itself after 6 h unless Belay renews it, as belay.yaml says.',
    );
    expect(planned(['flux'], 'budget').findings[0]?.message).toContain('freezes pool-0 (Flux) by budgets');
  });
});

test.each([
  ['1', 30, 1],
  ['10%', 3, 1],
  ['34%', 3, 2],
  ['100%', 7, 7],
  ['0', 9, 0],
])('a pace of %s lets go so many of %i nodes', (nodes, count, allowed) => {
  expect(allowedNodes(nodes, count)).toBe(allowed);
});
