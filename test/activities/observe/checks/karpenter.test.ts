/** Karpenter's pools and node classes: ready, down, or not to be seen. */
import { describe, expect, test } from 'vitest';
import { checkKarpenterReady, checkNoFreezeLeft, checkNoHoldLeft } from '../../../../activities/observe/checks/karpenter.ts';
import { healthyFacts, nodePool } from '../../../support/facts.ts';
import { unread } from '../../../support/unread.ts';

describe('NodePools and EC2NodeClasses', () => {
  test('all of them ready', () => {
    expect(checkKarpenterReady(healthyFacts())).toMatchObject([{ code: 'KAR002', status: 'pass' }]);
  });

  test.each([
    { pools: ['a'], nodeClasses: [], message: 'NodePool a is not ready.', resources: ['NodePool a'] },
    { pools: [], nodeClasses: ['b'], message: 'EC2NodeClass b is not ready.', resources: ['EC2NodeClass b'] },
    {
      pools: ['a'],
      nodeClasses: ['b'],
      message: 'NodePool a, EC2NodeClass b are not ready.',
      resources: ['NodePool a', 'EC2NodeClass b'],
    },
  ])('$message', ({ pools, nodeClasses, message, resources }) => {
    const { karpenter } = healthyFacts();
    const down = karpenter && {
      ...karpenter,
      nodePools: [nodePool('well', 1), ...pools.map((name) => nodePool(name, 1, { ready: false }))],
      nodeClasses: nodeClasses.map((name) => ({ name, ready: false, amiIds: [] })),
    };
    const unknowns = [unread('the EC2NodeClasses')];
    expect(checkKarpenterReady(healthyFacts({ karpenter: down, unknowns }))).toMatchObject([
      {
        code: 'KAR002',
        status: 'fail',
        message,
        resources,
        remediation: 'Read their status conditions (kubectl describe) and repair them: without them no node can be replaced.',
      },
    ]);
  });

  test.each(['the Karpenter NodePools', 'the EC2NodeClasses'])('%s cannot be listed: that is no pass', (what) => {
    const unknowns = [unread(what, 'nodepools.karpenter.sh is forbidden')];
    expect(checkKarpenterReady(healthyFacts({ unknowns }))).toMatchObject([
      { code: 'KAR002', status: 'unknown', message: `${what} cannot be seen: nodepools.karpenter.sh is forbidden.` },
    ]);
  });

  test('something else that cannot be seen is no finding about them', () => {
    const unknowns = [unread('the updates in progress')];
    expect(checkKarpenterReady(healthyFacts({ unknowns }))).toMatchObject([{ status: 'pass' }]);
  });

  test('a cluster without Karpenter has nothing to be ready', () => {
    expect(checkKarpenterReady(healthyFacts({ karpenter: undefined }))).toEqual([]);
  });
});

describe('what is left at the end', () => {
  const frozen = { name: 'general-purpose', builtIn: true, nodeCount: 1, frozenBy: 'belay' };

  test.each([
    { what: 'neither Karpenter nor Auto Mode', change: { karpenter: undefined }, are: [] },
    { what: 'nothing is frozen', change: {}, are: [{ code: 'KAR102', status: 'pass', message: 'No NodePool is frozen.' }] },
    {
      what: 'a pool of Auto Mode is, without Karpenter',
      change: { karpenter: undefined, autoModePools: [frozen] },
      are: [{ status: 'fail', message: "NodePool general-purpose still carries Belay's freeze.", resources: ['NodePool general-purpose'] }],
    },
  ])('a freeze: $what', ({ change, are }) => {
    expect(checkNoFreezeLeft(healthyFacts(change))).toMatchObject(are);
  });

  test('a hold: named with its node class; without Karpenter there is none', () => {
    const { karpenter } = healthyFacts();
    const nodeClasses = [{ name: 'default', ready: true, amiIds: [], heldAlias: 'al2023@latest' }];
    expect(checkNoHoldLeft(healthyFacts({ karpenter: karpenter && { ...karpenter, nodeClasses } }))).toMatchObject([
      { code: 'KAR103', status: 'fail', message: 'EC2NodeClass default is still pinned to the AMIs of an earlier run.' },
    ]);
    expect(checkNoHoldLeft(healthyFacts({ karpenter: undefined }))).toEqual([]);
  });
});
