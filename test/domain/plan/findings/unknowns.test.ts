/** What could not be read is said in the plan, and what can be planned without it is planned. */
import { expect, test } from 'vitest';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { healthyFacts } from '../../../support/facts.ts';
import { planOf, stepIds } from '../../../support/plans.ts';

const healthy = healthyFacts();
const { istio } = healthy;
if (istio === undefined) throw new Error('the healthy cluster has Istio');

test.each<[string, Partial<ClusterFacts>, string, string]>([
  [
    'a node group of no version that is known',
    { nodeGroups: healthy.nodeGroups.map((group) => ({ ...group, version: 'unknown' })) },
    'PLN004',
    'The kubelet version of system cannot be read, so their skew is not known.',
  ],
  [
    'an istiod by digest',
    {
      istio: {
        ...istio,
        revisions: [...istio.revisions, { revision: 'next', version: 'sha256:0', namespace: 'istio-system', ready: true }],
      },
    },
    'PLN022',
    "The version of revision next cannot be read from istiod's image.",
  ],
])('%s', (_what, change, code, message) => {
  const plan = planOf(healthyFacts(change), '1.34');
  expect(plan.findings.find((each) => each.code === code)).toMatchObject({ severity: 'required', status: 'unknown', message });
  expect(stepIds(plan)).toEqual(stepIds(planOf(healthy, '1.34')));
});
