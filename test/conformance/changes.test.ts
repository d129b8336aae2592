/** On a twin made for throwing away the beliefs that need changes hold, and the cluster is as it was before. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BELIEFS } from '../../domain/tables/beliefs/index.ts';
import type { Tried } from '../../domain/tables/beliefs/verdict.ts';
import { DISPOSABLE } from './scenario.ts';
import { type ConformanceTwin, lines, openTwin } from './support.ts';

/** The cluster has no group of that kind, and the twin's CRDs have no schemas. */
const ABSENT = ['EKS-NODEGROUP-CUSTOM', 'KARPENTER-BUDGET-DEFAULT', 'KARPENTER-BUDGET-REASONS'];

let twin: ConformanceTwin;
let tried: Tried[];

beforeAll(async () => {
  twin = await openTwin(DISPOSABLE);
  ({ tried } = await twin.run({ disposable: true }));
}, 120_000);
afterAll(() => twin.close());

describe('a cluster made for throwing away', () => {
  test('RT10: nothing is false, and all that can be changed was tried', () => {
    expect(lines(tried, 'broken')).toEqual([]);
    const changing = BELIEFS.flatMap(({ id, trial }) => (trial === 'changes' ? id : []));
    expect(changing.length).toBeGreaterThanOrEqual(12);
    const notHeld = tried.filter(({ id, verdict }) => changing.includes(id) && verdict.kind !== 'held');
    expect(lines(notHeld, 'untried').map((line) => line.split(':')[0])).toEqual(ABSENT);
  });

  test('all that was changed is put back, and said', () => {
    expect(tried.flatMap(({ id, left }) => left.map(({ what, why }) => `${id}: ${what}, ${why}`))).toEqual([]);
    expect(tried.find(({ id }) => id === 'KARPENTER-BUDGET-ZERO')?.restored).toEqual([
      'label belay.dev/conformance in the template of NodePool default',
      'budgets of NodePool default',
    ]);
    const { store, eks } = twin.stage.built.world;
    expect(store.get('nodepools', 'default')?.spec.disruption.budgets).toEqual([{ nodes: '1' }]);
    expect(store.get('namespaces', 'belay-conformance')).toBeUndefined();
    expect(eks.addOns.find(({ name }) => name === 'vpc-cni')).toMatchObject({
      serviceAccountRoleArn: 'arn:aws:iam::111122223333:role/disposable-vpc-cni',
      status: 'ACTIVE',
    });
    expect(store.list('nodes').filter(({ metadata }) => metadata.annotations?.['karpenter.sh/do-not-disrupt'] !== undefined)).toEqual([]);
  });

  test('updates that were made are read by the checks of updates', async () => {
    const only = ['EKS-UPDATE-OF-RESOURCE', 'EKS-UPDATE-PARAMS', 'EKS-UPDATE-ENDS', 'EKS-UPDATE-CLOCK'];
    const after = await twin.run({ only });
    expect(new Set(lines(after.tried, 'held').map((line) => line.split(':')[0]))).toEqual(new Set(only));
  });
});
