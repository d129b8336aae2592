/** A Cluster Autoscaler is paused and resumed exactly, whatever happens in between. */
import { describe, expect, test } from 'vitest';
import { findAutoscaler } from '../../../../activities/eks/auto-scaling/cluster-autoscaler.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { workloadObject } from '../../../support/kubernetes-objects.ts';
import { createOtherNodeActivities } from '../../../../activities/eks/other-nodes.ts';

const WHICH = { namespace: 'kube-system', name: 'cluster-autoscaler' };
const REF = { apiVersion: 'apps/v1', plural: 'deployments', ...WHICH };

function world(change: { replicas?: number; labels?: Record<string, string>; annotations?: Record<string, string> } = {}) {
  const { replicas = 2, labels = { app: 'cluster-autoscaler' }, annotations } = change;
  const object = workloadObject('Deployment', WHICH.namespace, WHICH.name, { replicas });
  const metadata = { ...object.metadata, labels, ...(annotations === undefined ? {} : { annotations }) };
  const port = new FakeKubernetes().put('apps/v1', 'deployments', { ...object, metadata });
  const activities = createOtherNodeActivities(depsOf(port));
  return {
    port,
    pause: () => activities.pauseAutoscaler({ cluster: CLUSTER, ...WHICH }),
    resume: () => activities.resumeAutoscaler({ cluster: CLUSTER, ...WHICH }),
    stop: () => activities.awaitAutoscaler({ cluster: CLUSTER, ...WHICH, timing: quickTiming(), timeoutMs: 20 }),
    scaleTo: (count: number) => port.edit(REF, (seen) => void (seen.spec = { ...(seen.spec as object), replicas: count })),
    replicas: () => (port.look(REF).spec as { replicas: number }).replicas,
    annotations: () => port.look(REF).metadata.annotations,
  };
}

test('to 0 and back to what it was, without a trace', async () => {
  const { port, pause, resume, replicas, annotations } = world();
  expect(await pause()).toEqual({ gone: false });
  expect(replicas()).toBe(0);
  expect(annotations()).toEqual({ 'belay.dev/replicas-before': '2' });
  expect(await resume()).toEqual({ changedByOthers: false, replicas: 2 });
  expect(replicas()).toBe(2);
  expect(annotations()).toBeUndefined();
  expect(port.patches).toHaveLength(2);
});

test('the answer is lost: neither pausing nor resuming again forgets the number before', async () => {
  const { port, pause, resume, replicas } = world();
  const lose = () => {
    throw failureOf('Unavailable', 'the connection was reset');
  };
  port.afterPatch = lose;
  await expect(pause()).rejects.toThrow('the connection was reset');
  port.afterPatch = undefined;
  await pause();
  port.afterPatch = lose;
  await expect(resume()).rejects.toThrow('the connection was reset');
  port.afterPatch = undefined;
  expect(await resume()).toEqual({ changedByOthers: false, replicas: 2 });
  expect(replicas()).toBe(2);
  expect(port.patches).toHaveLength(2);
});

test('somebody scaled it meanwhile: left as it is, and said', async () => {
  const { pause, resume, scaleTo, replicas, annotations } = world();
  await pause();
  scaleTo(1);
  expect(await resume()).toEqual({ changedByOthers: true, replicas: 1 });
  expect([replicas(), annotations()]).toEqual([1, undefined]);
});

test('gone meanwhile: there is nothing to pause, to wait for or to resume', async () => {
  const { port, pause, stop, resume } = world();
  port.remove(REF);
  expect([await pause(), await stop(), await resume()]).toEqual([{ gone: true }, { stopped: true }, { changedByOthers: false }]);
});

test('waits until its last pod is gone', async () => {
  const { port, pause, stop } = world();
  await pause();
  port.edit(REF, (seen) => void (seen.status = { replicas: 1 }));
  expect(await stop()).toEqual({ stopped: false });
  port.edit(REF, (seen) => void (seen.status = {}));
  expect(await stop()).toEqual({ stopped: true });
});

describe('is found', () => {
  test('by the labels of chart or manifest, with its owner', async () => {
    const { port } = world({ annotations: { 'argocd.argoproj.io/tracking-id': 'cas:apps/Deployment:kube-system/cluster-autoscaler' } });
    expect(await findAutoscaler(port)).toEqual({ ...WHICH, replicas: 2, deliveredBy: 'argocd' });
  });

  test('with the number before where an earlier run has left it paused', async () => {
    const { port } = world({ replicas: 0, annotations: { 'belay.dev/replicas-before': '3' } });
    expect(await findAutoscaler(port)).toEqual({ ...WHICH, replicas: 3 });
  });

  test('with every other one beside it, each once', async () => {
    const { port } = world();
    const second = workloadObject('Deployment', 'kube-system', 'gpu-autoscaler', { replicas: 1 });
    const labels = { app: 'cluster-autoscaler', 'app.kubernetes.io/name': 'aws-cluster-autoscaler' };
    port.put('apps/v1', 'deployments', { ...second, metadata: { ...second.metadata, labels } });
    const { others = [], ...first } = (await findAutoscaler(port)) ?? { namespace: '', name: '', replicas: 0 };
    expect([first, ...others].toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { ...WHICH, replicas: 2 },
      { namespace: 'kube-system', name: 'gpu-autoscaler', replicas: 1 },
    ]);
  });

  test('not where it is switched off anyway', async () => {
    expect(await findAutoscaler(world({ replicas: 0 }).port)).toBeUndefined();
  });
});
