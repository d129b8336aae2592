/** The step for nodes that neither EKS's node groups nor Karpenter replace. */
import { describe, expect, test } from '@jest/globals';
import type { ClusterFacts, KubeletFact } from '../../../domain/facts.ts';
import { healthyFacts } from '../../support/facts.ts';
import { findingCodes, planOf, stepIds } from '../../support/plans.ts';

/** A healthy cluster at 1.33 with more nodes. */
const withNodes = (more: KubeletFact[], change: Partial<ClusterFacts> = {}): ClusterFacts => {
  const facts = healthyFacts();
  return { ...facts, kubelets: [...facts.kubelets, ...more], ...change };
};

const stepOf = (facts: ClusterFacts) => planOf(facts, '1.34').steps.find(({ phase }) => phase === 'other-nodes');

test('a cluster with node groups and Karpenter alone has no such step', () => {
  expect(stepIds(planOf(healthyFacts(), '1.34')).filter((id) => id.startsWith('other-nodes'))).toEqual([]);
});

describe('Fargate', () => {
  const facts = withNodes([{ minor: '1.33', count: 3, owner: 'fargate' }], { fargateNamespaces: ['batch', 'reports'] });

  test('stands after the node groups with a gate that says how pods are replaced', () => {
    const plan = planOf(facts, '1.34');
    const ids = stepIds(plan);
    expect(ids.indexOf('other-nodes@1.34')).toBe(ids.indexOf('node-groups@1.34') + 1);
    expect(stepOf(facts)).toMatchObject({
      title: '3 pods on Fargate → 1.34',
      why: 'A pod on Fargate keeps the kubelet that it was started with: what owns the 3 pods in batch, reports is restarted, one namespace at a time.',
      gate: {
        title: 'Replace 3 pods on Fargate?',
        next: 'Belay restarts the Deployments and StatefulSets of the 3 pods on Fargate in batch, reports, as their own strategies roll them: a rollout asks no PodDisruptionBudget, and what has one replica may be away for a moment. Pods that nothing re-creates are named and asked about.',
      },
      rollback: { how: 'Fargate pods at 1.34 have to be deleted before the control plane goes back, and come up again after it.' },
      params: { phase: 'other-nodes', to: '1.34', fargate: { podCount: 3, namespaces: ['batch', 'reports'] } },
    });
    expect(findingCodes(plan)).not.toContain('PLN042');
  });
});
