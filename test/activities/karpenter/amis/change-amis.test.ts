/** Node classes edited and put back exactly; what Karpenter has found for them. */
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { AmiMove } from '../../../../domain/plan/model/changes.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeClassObject } from '../../../support/kubernetes-objects.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

const cluster = CLUSTER;
const CLASS = { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' };
const BEFORE = 'belay.dev/ami-move-before';
const PINNED = { amiSelectorTerms: [{ alias: 'al2023@v20250403' }], role: 'node-role' };
const MOVE: AmiMove = {
  nodeClass: 'default',
  nodePools: ['default'],
  before: 'al2023@v20250403',
  terms: [{ id: 'ami-b' }, { id: 'ami-a' }],
  amiFamily: 'AL2023',
  why: 'belay.yaml says so',
};

function world(spec: Record<string, unknown> = PINNED) {
  const port = new FakeKubernetes().put(CLASS.apiVersion, CLASS.plural, nodeClassObject('default', spec));
  return { port, karpenter: createKarpenterActivities(depsOf(port)) };
}

const moves = [MOVE];

describe('an edit', () => {
  test('made twice is made once, and put back exactly', async () => {
    const { port, karpenter } = world();
    await karpenter.moveAmis({ cluster, moves });
    await karpenter.moveAmis({ cluster, moves });
    expect(port.patches).toHaveLength(1);
    expect(port.look(CLASS).spec).toEqual({ ...PINNED, amiFamily: 'AL2023', amiSelectorTerms: MOVE.terms });
    expect(await karpenter.undoAmiMoves({ cluster, moves })).toEqual({ undone: ['default'], failed: [] });
    expect(port.look(CLASS).spec).toEqual(PINNED);
    expect(port.look(CLASS).metadata.annotations).toBeUndefined();
  });

  test('that others have reverted is made again, and the first before-image stays', async () => {
    const { port, karpenter } = world();
    await karpenter.moveAmis({ cluster, moves });
    port.edit(CLASS, (object) => void Object.assign(object, { spec: { ...PINNED, amiFamily: 'AL2023' } }));
    await karpenter.moveAmis({ cluster, moves });
    await karpenter.undoAmiMoves({ cluster, moves });
    expect(port.look(CLASS).spec).toEqual(PINNED);
  });

  test('on top of one that an earlier run has left goes back to that one', async () => {
    const { port, karpenter } = world();
    await karpenter.moveAmis({ cluster, moves });
    const next = [{ ...MOVE, before: 'ami-a, ami-b', terms: [{ id: 'ami-c' }] }];
    await karpenter.moveAmis({ cluster, moves: next });
    expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: [{ id: 'ami-c' }] });
    await karpenter.undoAmiMoves({ cluster, moves: next });
    expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: MOVE.terms });
  });

  test('is refused where somebody has chosen other AMIs since the plan', async () => {
    const { port, karpenter } = world({ amiSelectorTerms: [{ alias: 'al2023@v20260101' }] });
    await expect(karpenter.moveAmis({ cluster, moves })).rejects.toMatchObject({
      type: 'InvalidRequest',
      message:
        'moving the AMIs of default: the plan changes al2023@v20250403, but somebody has set [{"alias":"al2023@v20260101"}] since; choose AMIs for the new minor there and press Retry, or make a new plan',
    });
    expect(port.patches).toEqual([]);
  });

  test('that others have changed meanwhile is not put back over theirs', async () => {
    const { port, karpenter } = world();
    await karpenter.moveAmis({ cluster, moves });
    port.edit(CLASS, (object) => void Object.assign(object, { spec: { amiSelectorTerms: [{ id: 'ami-theirs' }] } }));
    expect(await karpenter.undoAmiMoves({ cluster, moves })).toEqual({
      undone: [],
      failed: [
        {
          nodeClass: 'default',
          why: `putting back the AMIs of default: others have changed amiSelectorTerms since; the earlier terms were [{"alias":"al2023@v20250403"}]. Restore the ones you want, and remove annotation ${BEFORE}`,
        },
      ],
    });
  });

  test('that was never made needs no way back', async () => {
    const { port, karpenter } = world();
    expect(await karpenter.undoAmiMoves({ cluster, moves })).toEqual({ undone: ['default'], failed: [] });
    expect(port.patches).toEqual([]);
  });

  test('whose terms others have put back already: family and annotation follow', async () => {
    const { port, karpenter } = world();
    await karpenter.moveAmis({ cluster, moves });
    port.edit(CLASS, (object) => void Object.assign(object, { spec: { ...PINNED, amiFamily: 'AL2023' } }));
    expect(await karpenter.undoAmiMoves({ cluster, moves })).toEqual({ undone: ['default'], failed: [] });
    expect(port.look(CLASS).spec).toEqual(PINNED);
    expect(port.look(CLASS).metadata.annotations).toBeUndefined();
  });

  test('whose before-image somebody has edited is for people: nothing is guessed', async () => {
    const { port, karpenter } = world();
    await karpenter.moveAmis({ cluster, moves });
    port.edit(CLASS, ({ metadata }) => void (metadata.annotations = { [BEFORE]: '{"amiSelectorTerms":' }));
    expect(await karpenter.undoAmiMoves({ cluster, moves })).toEqual({
      undone: [],
      failed: [
        {
          nodeClass: 'default',
          why: `putting back the AMIs of default: annotation ${BEFORE} cannot be read; set amiSelectorTerms by hand`,
        },
      ],
    });
    expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: MOVE.terms });
  });

  test('that cannot be put back now is tried again: a failure that passes is no refusal', async () => {
    const { port, karpenter } = world();
    await karpenter.moveAmis({ cluster, moves });
    port.beforePatch = () => {
      throw failureOf('Unavailable', 'the connection was reset');
    };
    await expect(karpenter.undoAmiMoves({ cluster, moves })).rejects.toThrow('the connection was reset');
  });

  test('of a class that is gone', async () => {
    const { port, karpenter } = world();
    port.remove(CLASS);
    await expect(karpenter.moveAmis({ cluster, moves })).rejects.toMatchObject({
      type: 'NotFound',
      message: 'moving the AMIs of default: there is no such EC2NodeClass any more',
    });
    expect(await karpenter.undoAmiMoves({ cluster, moves })).toEqual({ undone: [], failed: [] });
  });

  test('is forgotten when there is no way back any more', async () => {
    const { port, karpenter } = world();
    await karpenter.moveAmis({ cluster, moves });
    await karpenter.forgetAmiMoves({ cluster, moves });
    expect(port.look(CLASS).metadata.annotations).toBeUndefined();
    expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: MOVE.terms });
  });

  test('by its owner is noticed, whatever the order of the ids; one that never comes is named', async () => {
    const timing = quickTiming({ askTimeoutMs: 30 });
    const before = world();
    expect(await before.karpenter.awaitAmiMoves({ cluster, timing, moves })).toEqual({ left: ['default'] });
    const after = world({ amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-a' }, { id: 'ami-b' }] });
    expect(await after.karpenter.awaitAmiMoves({ cluster, timing, moves })).toEqual({ left: [] });
  });
});

describe('images of the new minor', () => {
  const follows = [{ nodeClass: 'default', nodePools: ['default', 'batch'] }];

  async function stale(status: Record<string, unknown>) {
    const { port, karpenter } = world();
    port.edit(CLASS, (object) => void Object.assign(object, { status }));
    const timing = quickTiming({ driftBlockedAfterMs: 30 });
    return (await karpenter.awaitAmis({ cluster, timing, to: '1.33', follows })).stale;
  }

  test.each([
    ['found', [{ name: 'amazon-eks-node-al2023-x86_64-standard-1.33-v20251016' }]],
    ['of somebody else, without a minor in the name', [{ name: 'golden-image' }]],
  ])('%s', async (_title, amis) => {
    expect(await stale({ amis })).toEqual([]);
  });

  test('an alias without images: Karpenter keeps the old ones and says nothing', async () => {
    const name = 'amazon-eks-node-al2023-x86_64-standard-1.32-v20250403';
    const why = `Karpenter keeps ${name}: al2023@v20250403 seems to have no image for 1.33`;
    expect(await stale({ amis: [{ name }], conditions: [{ type: 'AMIsReady', status: 'True' }] })).toEqual([
      { nodeClass: 'default', nodePools: ['default', 'batch'], why },
    ]);
  });

  test('terms that were just edited: what Karpenter found for those before is no answer', async () => {
    const conditions = [{ type: 'AMIsReady', status: 'True', observedGeneration: 0 }];
    const amis = [{ name: 'amazon-eks-node-al2023-x86_64-standard-1.33-v20251016' }];
    expect((await stale({ amis, conditions }))[0]?.why).toBe('Karpenter has found no images since its terms were changed');
    expect(await stale({ amis, conditions: conditions.map((each) => ({ ...each, observedGeneration: 1 })) })).toEqual([]);
  });

  test('a class that is gone', async () => {
    const { port, karpenter } = world();
    port.remove(CLASS);
    const { stale: left } = await karpenter.awaitAmis({ cluster, timing: quickTiming({ driftBlockedAfterMs: 10 }), to: '1.33', follows });
    expect(left).toEqual([{ nodeClass: 'default', nodePools: ['default', 'batch'], why: 'it is gone' }]);
  });

  test('an alias that Karpenter refuses', async () => {
    const conditions = [{ type: 'AMIsReady', status: 'False', reason: 'UnsupportedAlias', message: 'no AL2' }];
    expect((await stale({ amis: [], conditions }))[0]?.why).toBe('AMIsReady is False (UnsupportedAlias: no AL2)');
  });
});
