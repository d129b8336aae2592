/** Nodes that are told by their images: a release within the minor that they have already, before Karpenter has marked any of them. */
import { expect, test } from 'vitest';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeClassObject, nodeObject } from '../../../support/kubernetes-objects.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

/** All at 1.33; a and b run another image than their class chooses; other is of a class that is not asked about. */
function world() {
  const chosen = nodeClassObject('default');
  const port = new FakeKubernetes().put('karpenter.k8s.aws/v1', 'ec2nodeclasses', { ...chosen, status: { amis: [{ id: 'ami-wanted' }] } });
  const add = (name: string, image: string, nodeClass = 'default'): void => {
    port
      .put('v1', 'nodes', nodeObject(name, '1.33'))
      .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject(`claim-${name}`, name, { image, nodeClass }));
  };
  add('a', 'ami-other');
  add('b', 'ami-other');
  add('c', 'ami-wanted');
  add('other', 'ami-third', 'other');
  const karpenter = createKarpenterActivities(depsOf(port));
  const watch = (byImage?: string[]) =>
    karpenter.watchDrift({
      cluster: CLUSTER,
      timing: quickTiming({ driftTimeoutMs: 0, driftBlockedAfterMs: 600_000 }),
      to: '1.33',
      ignoreNodes: [],
      byImage,
      startedAt: '2026-01-01T00:00:00Z',
    });
  return { port, karpenter, watch };
}

test('they are waited for although their kubelets are right; by kubelets alone nothing would be left to do', async () => {
  const { port, watch } = world();
  expect(await watch(['default'])).toMatchObject({ kind: 'timed-out', replacedCount: 2, remainingCount: 2 });
  expect(await watch()).toMatchObject({ kind: 'done', replacedCount: 4 });
  for (const name of ['a', 'b']) {
    port.remove({ apiVersion: 'v1', plural: 'nodes', name });
    port.remove({ apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims', name: `claim-${name}` });
  }
  expect(await watch(['default'])).toMatchObject({ kind: 'done', replacedCount: 2, remainingCount: 0 });
});

test('a node of an Auto Mode NodeClass of the same name is told by its kubelet', async () => {
  const { port, watch } = world();
  const auto = { image: 'ami-auto', group: 'eks.amazonaws.com' };
  port.put('v1', 'nodes', nodeObject('auto', '1.33')).put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-auto', 'auto', auto));
  expect(await watch(['default'])).toMatchObject({ replacedCount: 3, remainingCount: 2 });
});

test('a node without a NodeClaim is told by its kubelet', async () => {
  const { port, watch } = world();
  port.put('v1', 'nodes', nodeObject('lost', '1.32'));
  expect(await watch(['default'])).toMatchObject({ remainingCount: 3 });
});

test('waves are made of them', async () => {
  const { karpenter } = world();
  const waves = (byImage?: string[]) => karpenter.holdWaves({ cluster: CLUSTER, to: '1.33', by: 'nodepool', byImage });
  expect(await waves()).toEqual({ waves: [] });
  expect(await waves(['default'])).toEqual({ waves: [{ name: 'default', nodeCount: 2 }] });
});
