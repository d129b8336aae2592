/** Nodes of one's own are watched until all of them are there: up at the very minor, back at it or below. */
import { expect, test } from 'vitest';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeObject } from '../../../support/kubernetes-objects.ts';
import { createOtherNodeActivities } from '../../../../activities/eks/other-nodes.ts';

test.each<{ what: string; back?: true; minors: Record<string, string>; left: string[] }>([
  { what: 'up: an older one is waited for', minors: { a: '1.32', b: '1.31' }, left: ['b'] },
  { what: 'up: so is a newer one', minors: { a: '1.33' }, left: ['a'] },
  { what: 'back: a newer one is waited for', back: true, minors: { a: '1.33', b: '1.32' }, left: ['a'] },
  { what: 'back: an older one is there', back: true, minors: { a: '1.31', b: '1.32' }, left: [] },
  { what: 'back: what does not tell its version is not', back: true, minors: { a: 'x' }, left: ['a'] },
])('$what', async ({ back, minors, left }) => {
  const port = new FakeKubernetes();
  for (const [name, minor] of Object.entries(minors)) {
    const { status } = nodeObject(name, minor);
    port.put('v1', 'nodes', { kind: 'Node', metadata: { name }, status });
  }
  const { awaitSelfManaged } = createOtherNodeActivities(depsOf(port));
  const timing = quickTiming({ askTimeoutMs: 1 });
  const seen = await awaitSelfManaged({ cluster: CLUSTER, timing, to: '1.32', ...(back === undefined ? {} : { back }) });
  expect(seen).toEqual({ timedOut: left.length > 0, left });
});
