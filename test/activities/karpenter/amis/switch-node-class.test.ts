/** NodePools pointed at other node classes and back. */
import { expect, test } from 'vitest';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

const cluster = CLUSTER;
const POOL = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' };
const switches = [{ nodePool: 'default', from: 'al2', to: 'bottlerocket' }];
const BEFORE = 'belay.dev/node-class-before';

const specWith = (name: string) => ({ template: { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name } } } });

/** Marked, as after any change of its pool's template. */
const claim = (name: string, pool: string) => ({
  metadata: { name, uid: name, resourceVersion: '1', labels: { 'karpenter.sh/nodepool': pool } },
  status: { conditions: [{ type: 'Drifted', status: 'True', reason: 'NodePoolDrifted' }] },
});

function world(nodeClass = 'al2') {
  const pool = { metadata: { name: 'default', uid: 'u', resourceVersion: '1' }, spec: specWith(nodeClass) };
  const port = new FakeKubernetes()
    .put(POOL.apiVersion, POOL.plural, pool)
    .put('karpenter.sh/v1', 'nodeclaims', claim('of-others', 'batch'));
  return { port, karpenter: createKarpenterActivities(depsOf(port)) };
}

test('switched twice is switched once, and pointed back exactly', async () => {
  const { port, karpenter } = world();
  await karpenter.switchNodeClasses({ cluster, switches });
  await karpenter.switchNodeClasses({ cluster, switches });
  expect(port.patches).toHaveLength(1);
  expect(port.look(POOL).spec).toEqual(specWith('bottlerocket'));
  expect(port.look(POOL).metadata.annotations).toEqual({ [BEFORE]: '{"nodeClass":"al2","wrote":"bottlerocket"}' });
  expect(await karpenter.undoNodeClassSwitches({ cluster, switches })).toEqual({ undone: ['default'], failed: [] });
  expect(port.look(POOL).spec).toEqual(specWith('al2'));
  expect(port.look(POOL).metadata.annotations).toBeUndefined();
});

test('others have chosen a class since the plan: refused', async () => {
  const { karpenter } = world('theirs');
  await expect(karpenter.switchNodeClasses({ cluster, switches })).rejects.toMatchObject({
    type: 'InvalidRequest',
    message: 'switching the node class of default: the plan changes al2, but somebody has set theirs since; make a new plan',
  });
});

test('others have chosen a class since the switch: theirs stays', async () => {
  const { port, karpenter } = world();
  await karpenter.switchNodeClasses({ cluster, switches });
  port.edit(POOL, (pool) => void Object.assign(pool, { spec: specWith('theirs') }));
  expect(await karpenter.undoNodeClassSwitches({ cluster, switches })).toEqual({
    undone: [],
    failed: [
      {
        nodePool: 'default',
        why: `switching the node class of default back: others set theirs meanwhile; it was al2 before: set what is wanted and remove annotation ${BEFORE}`,
      },
    ],
  });
});

test('a pool that is gone: said when it is to be switched, passed over on the way back', async () => {
  const { port, karpenter } = world();
  port.remove(POOL);
  await expect(karpenter.switchNodeClasses({ cluster, switches })).rejects.toMatchObject({
    type: 'NotFound',
    message: 'switching the node class of default: there is no such NodePool any more',
  });
  expect(await karpenter.undoNodeClassSwitches({ cluster, switches })).toEqual({ undone: [], failed: [] });
});

test('a switch that was never made needs no way back', async () => {
  const { port, karpenter } = world();
  expect(await karpenter.undoNodeClassSwitches({ cluster, switches })).toEqual({ undone: ['default'], failed: [] });
  expect(port.patches).toEqual([]);
});

test('others have pointed it back already: only the annotation goes', async () => {
  const { port, karpenter } = world();
  await karpenter.switchNodeClasses({ cluster, switches });
  port.edit(POOL, (pool) => void Object.assign(pool, { spec: specWith('al2') }));
  expect(await karpenter.undoNodeClassSwitches({ cluster, switches })).toEqual({ undone: ['default'], failed: [] });
  expect(port.look(POOL).spec).toEqual(specWith('al2'));
  expect(port.look(POOL).metadata.annotations).toBeUndefined();
});

test('an annotation that somebody has edited is for people: nothing is guessed', async () => {
  const { port, karpenter } = world();
  await karpenter.switchNodeClasses({ cluster, switches });
  port.edit(POOL, ({ metadata }) => void (metadata.annotations = { [BEFORE]: 'al2' }));
  expect(await karpenter.undoNodeClassSwitches({ cluster, switches })).toEqual({
    undone: [],
    failed: [
      {
        nodePool: 'default',
        why: `switching the node class of default back: annotation ${BEFORE} cannot be read; set nodeClassRef by hand`,
      },
    ],
  });
  expect(port.look(POOL).spec).toEqual(specWith('bottlerocket'));
});

test('pointed back is not done while Karpenter still marks the nodes: budgets that come back would have them replaced', async () => {
  const { port, karpenter } = world();
  await karpenter.switchNodeClasses({ cluster, switches });
  port.put('karpenter.sh/v1', 'nodeclaims', claim('claim-a', 'default'));
  await expect(karpenter.undoNodeClassSwitches({ cluster, switches })).rejects.toMatchObject({
    type: 'Unavailable',
    message: 'switching back: Karpenter still marks 1 NodeClaim as drifted, first claim-a',
  });
});

test('seen through: the before-image goes, the class stays; an owner who never comes is named', async () => {
  const { port, karpenter } = world();
  expect(await karpenter.awaitNodeClassSwitches({ cluster, timing: quickTiming({ askTimeoutMs: 30 }), switches })).toEqual({
    left: ['default'],
  });
  await karpenter.switchNodeClasses({ cluster, switches });
  expect(await karpenter.awaitNodeClassSwitches({ cluster, timing: quickTiming(), switches })).toEqual({ left: [] });
  await karpenter.forgetNodeClassSwitches({ cluster, switches });
  expect(port.look(POOL).metadata.annotations).toBeUndefined();
  expect(port.look(POOL).spec).toEqual(specWith('bottlerocket'));
});

test('switching back is tried again where the API server is away, and told to people where it is forbidden', async () => {
  const { port, karpenter } = world();
  await karpenter.switchNodeClasses({ cluster, switches });
  const patching = (type: 'Unavailable' | 'AccessDenied', message: string): void => {
    port.patch = async () => {
      throw failureOf(type, message);
    };
  };
  patching('Unavailable', 'patching nodepools: no answer in time');
  await expect(karpenter.undoNodeClassSwitches({ cluster, switches })).rejects.toMatchObject({
    type: 'Unavailable',
    message: 'patching nodepools: no answer in time',
  });
  patching('AccessDenied', 'patching nodepools: forbidden');
  expect(await karpenter.undoNodeClassSwitches({ cluster, switches })).toEqual({
    undone: [],
    failed: [{ nodePool: 'default', why: 'patching nodepools: forbidden' }],
  });
});
