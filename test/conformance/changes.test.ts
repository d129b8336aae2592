/** The beliefs that need changes are the contract of the twin's outsides, too: on one made for throwing away each holds, and the cluster is as it was before. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BELIEFS } from '../../domain/tables/beliefs/index.ts';
import type { Tried } from '../../domain/tables/beliefs/verdict.ts';
import { DISPOSABLE } from './scenario.ts';
import { type ConformanceTwin, lines, openTwin } from './support.ts';

const CHANGING = BELIEFS.flatMap(({ id, trial }) => (trial === 'changes' ? id : []));

let twin: ConformanceTwin;
let tried: Tried[];

beforeAll(async () => {
  twin = await openTwin(DISPOSABLE);
  ({ tried } = await twin.run({ disposable: true }));
}, 360_000);
afterAll(() => twin.close());

describe('a cluster made for throwing away', () => {
  test.each(CHANGING)('RT10: %s', (id) => {
    expect(tried.filter((one) => one.id === id).map(({ verdict }) => verdict)).toEqual([{ kind: 'held', saw: expect.any(String) }]);
  });

  test('RT10: nothing is false, and there are as many as there were', () => {
    expect(lines(tried, 'broken')).toEqual([]);
    expect(CHANGING.length).toBeGreaterThanOrEqual(12);
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
