/** Karpenter's pools and node classes: ready, down, or not to be seen. */
import { describe, expect, test } from '@jest/globals';
import { checkKarpenterReady } from '../../../../activities/observe/checks/karpenter.ts';
import { healthyFacts } from '../../../support/facts.ts';

describe('NodePools and EC2NodeClasses', () => {
  test('all of them ready', () => {
    expect(checkKarpenterReady(healthyFacts())).toMatchObject([{ code: 'KAR002', status: 'pass' }]);
  });

  test.each(['the Karpenter NodePools', 'the EC2NodeClasses'])('%s cannot be listed: that is no pass', (what) => {
    const unknowns = [{ what, why: 'nodepools.karpenter.sh is forbidden' }];
    expect(checkKarpenterReady(healthyFacts({ unknowns }))).toMatchObject([
      { code: 'KAR002', status: 'unknown', message: `${what} cannot be seen: nodepools.karpenter.sh is forbidden.` },
    ]);
  });

  test('something else that cannot be seen is no finding about them', () => {
    const unknowns = [{ what: 'the updates in progress', why: 'AccessDenied' }];
    expect(checkKarpenterReady(healthyFacts({ unknowns }))).toMatchObject([{ status: 'pass' }]);
  });

  test('a cluster without Karpenter has nothing to be ready', () => {
    expect(checkKarpenterReady(healthyFacts({ karpenter: undefined }))).toEqual([]);
  });
});
