/** AMIs held from the freeze to the roll: by Belay, by the owner, with how far kubelets lag meanwhile. */
import { describe, expect, test } from 'vitest';
import type { ClusterFacts, NodeClassFact } from '../../../../domain/facts/facts.ts';
import { nodePool, seed002Facts } from '../../../support/facts.ts';
import { paramsOf, planOf, refusalOf, stepIds, stepOf } from '../../../support/plans.ts';

const alias = (name: string, change: Partial<NodeClassFact> = {}): NodeClassFact => ({
  name,
  ready: true,
  alias: 'al2023@latest',
  selects: 'alias',
  amiIds: ['ami-newest'],
  ...change,
});

/** 1.32 on the way to 1.34: `own` is nobody's, `theirs` is Argo CD's, `ids` moves by itself nowhere. */
function facts(): ClusterFacts {
  const seen = seed002Facts();
  if (seen.karpenter === undefined) throw new Error('seed-002 has Karpenter');
  const nodeClasses = [alias('own'), alias('theirs', { deliveredBy: 'argocd' }), alias('ids', { alias: undefined, selects: 'mixed' })];
  const nodePools = nodeClasses.map(({ name }) => nodePool(name, 6, { nodeClass: name }));
  const amiHolds = ['own', 'theirs', 'unused'].map((nodeClass) => ({ nodeClass, ids: [`ami-${nodeClass}`], amiFamily: 'AL2023' }));
  return { ...seen, karpenter: { ...seen.karpenter, nodeClasses, nodePools }, amiHolds };
}

const HELD_OWN = { nodeClass: 'own', nodePools: ['own'], before: 'al2023@latest', terms: [{ id: 'ami-own' }], amiFamily: 'AL2023' };

describe('a hold over two hops', () => {
  const plan = planOf(facts(), '1.34');
  const freezes = stepIds(plan).filter((id) => id.startsWith('freeze-drift'));

  test('is one, from the one freeze to the one roll', () => {
    expect(freezes).toEqual(['freeze-drift@1.33']);
    expect(paramsOf(plan, 'freeze-drift', '1.33').holds).toMatchObject([HELD_OWN, { nodeClass: 'theirs', owner: 'argocd' }]);
    expect(paramsOf(plan, 'karpenter-drift', '1.34')).toMatchObject({
      heldClasses: ['own'],
      moves: [
        {
          nodeClass: 'theirs',
          before: 'ami-theirs',
          terms: [{ alias: 'al2023@latest' }],
          owner: 'argocd',
          why: 'they were held until here',
        },
      ],
    });
  });

  test('says how far the kubelets lag after each hop', () => {
    expect(stepOf(plan, 'freeze-drift@1.33').why).toContain(
      'Then Belay pins EC2NodeClass own to the images in use. Then argocd is asked to change EC2NodeClass theirs from al2023@latest to ami-theirs. ' +
        'New nodes, too, stay at the version from before until the roll: kubelets at 1.32 are then 1 behind 1.33, 2 behind 1.34; 3 are allowed.',
    );
  });

  test('says where a node would lack its drivers meanwhile: only of classes that are held', () => {
    const { amiHolds = [], ...seen } = facts();
    const open = amiHolds.map((hold) => ({ ...hold, openPools: hold.nodeClass === 'theirs' ? [] : [`${hold.nodeClass}-pool`] }));
    expect(stepOf(planOf({ ...seen, amiHolds: open }, '1.34'), 'freeze-drift@1.33').why).toMatch(
      / 3 are allowed\. If a pod asks NodePool own-pool for GPUs or other accelerators before then, its new node gets the standard image, which lacks their drivers\.$/,
    );
    expect(stepOf(plan, 'freeze-drift@1.33').why).not.toContain('drivers');
  });

  test('is refused where skew does not allow it', () => {
    const { karpenter, ...seen } = facts();
    const nodePools = karpenter?.nodePools.filter(({ name }) => name !== 'ids') ?? [];
    const kubelets = [{ minor: '1.30', count: 18, owner: 'karpenter' as const }];
    const old = { ...seen, kubelets, karpenter: karpenter && { ...karpenter, nodePools } };
    expect(refusalOf(old, '1.34', { strategy: 'once-at-the-end' }).map(({ rule }) => rule)).toContain('once-at-the-end-within-skew');
  });

  test('with a roll at every hop Belay holds anew, and owners are asked once', () => {
    const every = planOf(facts(), '1.34', { strategy: 'every-hop' });
    expect(paramsOf(every, 'freeze-drift', '1.34').holds?.map(({ nodeClass }) => nodeClass)).toEqual(['own']);
    expect(paramsOf(every, 'karpenter-drift', '1.33').moves?.map(({ nodeClass }) => nodeClass)).toEqual(['theirs']);
    expect(paramsOf(every, 'karpenter-drift', '1.34').moves).toBeUndefined();
    expect(stepOf(every, 'freeze-drift@1.33').why).toContain('kubelets at 1.32 are then 1 behind 1.33; 3 are allowed.');
  });

  test('without karpenter.holdAmis there is none', () => {
    const { amiHolds: _holds, ...others } = facts();
    expect(paramsOf(planOf(others, '1.34'), 'freeze-drift', '1.33').holds).toBeUndefined();
  });
});
