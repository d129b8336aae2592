/** Cordoning a node before one of its pods is deleted, and back: only where Belay did it. */
import { expect, test } from 'vitest';
import { createCordonActivities } from '../../../../activities/kubernetes/objects/cordon-node.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeObject } from '../../../support/kubernetes-objects.ts';

const REF = { apiVersion: 'v1', plural: 'nodes', name: 'a' };

function world() {
  const port = new FakeKubernetes().put('v1', 'nodes', nodeObject('a', '1.31'));
  const activities = createCordonActivities(depsOf(port));
  /** As kubectl cordon and uncordon do. */
  const set = (unschedulable: boolean) =>
    port.edit(REF, (node) => {
      const { unschedulable: _was, ...spec } = (node.spec ?? {}) as Record<string, unknown>;
      node.spec = unschedulable ? { ...spec, unschedulable } : spec;
    });
  set(false);
  return {
    port,
    set,
    cordon: () => activities.cordonNode({ cluster: CLUSTER, node: 'a' }),
    uncordon: () => activities.uncordonNode({ cluster: CLUSTER, node: 'a' }),
    seen: () => {
      const { metadata, spec } = port.look(REF);
      return { mark: metadata.annotations?.['belay.dev/cordoned'], ...(spec as { unschedulable?: boolean }) };
    },
  };
}

test('cordoned with a mark, once; back without a trace', async () => {
  const { port, cordon, uncordon, seen } = world();
  const before = port.look(REF).metadata.annotations;
  await cordon();
  await cordon();
  expect(seen()).toMatchObject({ mark: 'true', unschedulable: true });
  await uncordon();
  await uncordon();
  expect(seen()).not.toHaveProperty('unschedulable');
  expect(port.look(REF).metadata.annotations).toEqual(before);
  expect(port.patches).toHaveLength(2);
});

test('a node that people have cordoned stays cordoned', async () => {
  const { port, set, cordon, uncordon, seen } = world();
  set(true);
  await cordon();
  await uncordon();
  expect(seen()).toMatchObject({ unschedulable: true });
  expect(port.patches).toEqual([]);
});

test('one that people have uncordoned meanwhile loses only the mark', async () => {
  const { set, cordon, uncordon, seen } = world();
  await cordon();
  set(false);
  await uncordon();
  expect(seen()).toEqual({ mark: undefined });
});

test('a node that is gone needs neither', async () => {
  const { port, cordon, uncordon } = world();
  port.remove(REF);
  await cordon();
  await uncordon();
  expect(port.patches).toEqual([]);
});
