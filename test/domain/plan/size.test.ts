/** The recorded plan stays small on large clusters: names of groups, pools and namespaces, never of nodes. */
import { expect, test } from 'vitest';
import type { ClusterFacts, IstioFact, KarpenterFact } from '../../../domain/facts/facts.ts';
import { meshNamespace, nodePool, seed002Facts } from '../../support/facts.ts';
import { planOf } from '../../support/plans.ts';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

test('K5 T11: 5,000 nodes in 60 node groups and 30 NodePools, with 600 namespaces in the mesh, make a plan of less than 64 KB', () => {
  const base = seed002Facts();
  const mesh = base.istio as IstioFact;
  const revision = mesh.revisions[0]?.revision ?? '';
  const facts: ClusterFacts = {
    ...base,
    nodeGroups: many(60, (index) => ({
      ...(base.nodeGroups[0] as ClusterFacts['nodeGroups'][number]),
      name: `workers-of-team-${index}`,
      desiredCount: 40,
    })),
    kubelets: [
      { minor: '1.32', count: 2400, owner: 'node-group' },
      { minor: '1.32', count: 2600, owner: 'karpenter' },
    ],
    karpenter: { ...(base.karpenter as KarpenterFact), nodePools: many(30, (index) => nodePool(`pool-${index}`, 87)) },
    istio: {
      ...mesh,
      namespaces: many(600, (index) => meshNamespace(`team-${index}-application-production`, { selector: revision, revision })),
    },
  };
  const plan = planOf(facts, '1.34');
  expect(plan.steps.length).toBe(planOf(base, '1.34').steps.length);
  expect(JSON.stringify(plan).length).toBeLessThan(64 * 1024);
});
