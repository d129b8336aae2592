/** Pods on Fargate: what owns old ones is restarted once, what nobody rolls is named, and the end is seen by nodes. */
import { expect, test } from 'vitest';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeObject, podObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { createOtherNodeActivities } from '../../../../activities/eks/other-nodes.ts';

const AT = '2026-09-08T09:00:00.000Z';
const LABELS = { 'eks.amazonaws.com/fargate-profile': 'batch' };
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const WORKER = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'batch', name: 'worker' };

type Owner = { kind: string; name: string };

function world() {
  const port = new FakeKubernetes();
  const pod = (name: string, minor: string, owner?: Owner) => {
    const node = `fargate-${name}`;
    const object = nodeObject(node, minor);
    port.put('v1', 'nodes', { ...object, metadata: { name: node, labels: { 'eks.amazonaws.com/compute-type': 'fargate' } } });
    const change = { node, labels: LABELS, ...(owner === undefined ? {} : { owner }) };
    port.put('v1', 'pods', { ...podObject('batch', name, change), status: READY });
  };
  port.put('apps/v1', 'deployments', workloadObject('Deployment', 'batch', 'worker', { replicas: 2 }));
  const replicaSet = workloadObject('Deployment', 'batch', 'worker-1');
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker', uid: 'd', controller: true }];
  port.put('apps/v1', 'replicasets', { ...replicaSet, metadata: { ...replicaSet.metadata, ownerReferences } });
  pod('worker-a', '1.31', { kind: 'ReplicaSet', name: 'worker-1' });
  pod('worker-b', '1.31', { kind: 'ReplicaSet', name: 'worker-1' });
  // On an instance: no business of Fargate's.
  port.put('v1', 'nodes', nodeObject('ip-1', '1.31'));
  port.put('v1', 'pods', podObject('shop', 'cart-0', { node: 'ip-1' }));
  const activities = createOtherNodeActivities(depsOf(port));
  const which = { cluster: CLUSTER, namespace: 'batch', to: '1.32' };
  return {
    port,
    pod,
    read: () => activities.readFargate({ cluster: CLUSTER, to: '1.32' }),
    restart: () => activities.restartFargate({ ...which, restartedAt: AT }),
    wait: (rolloutTimeoutMs = 5_000, restartedAt?: string) =>
      activities.awaitFargate({
        ...which,
        timing: quickTiming({ rolloutTimeoutMs }),
        ...(restartedAt === undefined ? {} : { restartedAt }),
      }),
    gone: (name: string) => port.remove({ apiVersion: 'v1', plural: 'pods', namespace: 'batch', name }),
  };
}

test('namespaces with pods on old Fargate nodes; those at the target are left out', async () => {
  const { pod, read } = world();
  pod('fresh', '1.32', { kind: 'ReplicaSet', name: 'fresh-1' });
  expect(await read()).toEqual({ namespaces: [{ name: 'batch', podCount: 2 }] });
});

test('an owner is restarted once for all its pods, and not again when the answer was lost', async () => {
  const { port, restart } = world();
  port.afterPatch = () => {
    throw failureOf('Unavailable', 'the connection was reset');
  };
  await expect(restart()).rejects.toThrow('the connection was reset');
  port.afterPatch = undefined;
  expect(await restart()).toEqual({ restarted: 1, interrupted: [], unmoved: [] });
  expect(port.patches).toHaveLength(1);
  expect(JSON.stringify(port.look(WORKER).spec)).toContain(`"kubectl.kubernetes.io/restartedAt":"${AT}"`);
});

test('naked pods, Jobs and OnDelete sets are named; a single StatefulSet pod is away for a moment', async () => {
  const { port, pod, restart } = world();
  pod('naked', '1.31');
  pod('import-x', '1.31', { kind: 'Job', name: 'import' });
  pod('ring-0', '1.31', { kind: 'StatefulSet', name: 'ring' });
  pod('one-0', '1.31', { kind: 'StatefulSet', name: 'one' });
  port.put('apps/v1', 'statefulsets', workloadObject('StatefulSet', 'batch', 'ring', { updateStrategy: { type: 'OnDelete' } }));
  port.put('apps/v1', 'statefulsets', workloadObject('StatefulSet', 'batch', 'one'));
  expect(await restart()).toEqual({
    restarted: 2,
    interrupted: ['StatefulSet batch/one'],
    unmoved: [
      { workload: 'Pod batch/naked', why: 'it has no controller: delete it and create it again' },
      { workload: 'Job batch/import', why: 'it runs to its end on the kubelet that it has' },
      { workload: 'StatefulSet batch/ring', why: 'update strategy OnDelete: delete its pods to move them' },
    ],
  });
});

test('a ReplicaSet that no Deployment stands behind is named: nobody would roll its pods', async () => {
  const { pod, restart } = world();
  pod('lone-a', '1.31', { kind: 'ReplicaSet', name: 'lone' });
  pod('lone-b', '1.31', { kind: 'ReplicaSet', name: 'lone' });
  expect(await restart()).toEqual({
    restarted: 1,
    interrupted: [],
    unmoved: [{ workload: 'ReplicaSet batch/lone', why: 'it belongs to no Deployment or StatefulSet: delete its pods' }],
  });
});

test('waits for old pods to go and for new ones to be Ready, not for what nobody rolls', async () => {
  const { port, pod, wait, gone } = world();
  pod('naked', '1.31');
  expect(await wait(1)).toEqual({ timedOut: true, wrong: ['batch/worker-a is still there', 'batch/worker-b is still there'] });
  gone('worker-a');
  gone('worker-b');
  pod('worker-c', '1.32', { kind: 'ReplicaSet', name: 'worker-2' });
  const ref = { apiVersion: 'v1', plural: 'pods', namespace: 'batch', name: 'worker-c' };
  port.edit(ref, (object) => void (object.status = { phase: 'Pending' }));
  expect(await wait(1)).toEqual({ timedOut: true, wrong: ['batch/worker-c is not Ready yet'] });
  port.edit(ref, (object) => void (object.status = READY));
  expect(await wait()).toEqual({ timedOut: false, wrong: [] });
});

test('a workload that does not run is named, not restarted, and holds nobody up; the others are moved', async () => {
  const { port, pod, restart, wait, gone } = world();
  const broken = workloadObject('StatefulSet', 'batch', 'broken');
  port.put('apps/v1', 'statefulsets', broken);
  pod('broken-0', '1.31', { kind: 'StatefulSet', name: 'broken' });
  const ref = { apiVersion: 'v1', plural: 'pods', namespace: 'batch', name: 'broken-0' };
  port.edit(ref, (object) => void (object.status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }));
  const why = 'none of its pods is Ready: repair it, or delete its pods';
  expect(await restart()).toEqual({ restarted: 1, interrupted: [], unmoved: [{ workload: 'StatefulSet batch/broken', why }] });
  expect(JSON.stringify(port.look({ apiVersion: 'apps/v1', plural: 'statefulsets', namespace: 'batch', name: 'broken' }))).not.toContain(
    AT,
  );
  // Asked again, after an answer that was lost: what was restarted counts, although its pods are not Ready yet.
  for (const name of ['worker-a', 'worker-b'])
    port.edit({ ...ref, name }, (object) => void (object.status = { phase: 'Running', conditions: [] }));
  expect(await restart()).toMatchObject({ restarted: 1, unmoved: [{ workload: 'StatefulSet batch/broken' }] });
  expect(await wait(1, AT)).toMatchObject({ timedOut: true, wrong: expect.not.arrayContaining([expect.stringContaining('broken')]) });
  gone('worker-a');
  gone('worker-b');
  expect(await wait(5_000, AT)).toEqual({ timedOut: false, wrong: [] });
});
