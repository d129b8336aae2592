/** What owns newer pods on Fargate stands still and comes back exactly; what Belay does not stop is named with what people can do. */
import { describe, expect, test } from 'vitest';
import type { ResourceRef } from '../../../../activities/contract/ports.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeObject, podObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { createOtherNodeActivities } from '../../../../activities/eks/other-nodes.ts';

const PROFILE = { 'eks.amazonaws.com/fargate-profile': 'batch', app: 'x' };
const RUNNING = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const MARK = 'belay.dev/fargate-replicas-before';
type Kind = 'Deployment' | 'StatefulSet';
const PLURAL = { Deployment: 'deployments', StatefulSet: 'statefulsets' } as const;

function world() {
  const port = new FakeKubernetes();
  const refOf = (kind: Kind, namespace: string, name: string) => ({ apiVersion: 'apps/v1', plural: PLURAL[kind], namespace, name });
  const pod = (namespace: string, name: string, minor: string | undefined, owner?: { kind: string; name: string }) => {
    const node = `fargate-${name}`;
    if (minor !== undefined)
      port.put('v1', 'nodes', {
        ...nodeObject(node, minor),
        metadata: { name: node, labels: { 'eks.amazonaws.com/compute-type': 'fargate' } },
      });
    const where = { node: minor === undefined ? '' : node };
    port.put('v1', 'pods', {
      ...podObject(namespace, name, { ...where, labels: PROFILE, ...(owner === undefined ? {} : { owner }) }),
      status: RUNNING,
    });
  };
  const workload = (
    kind: Kind,
    namespace: string,
    name: string,
    spec: Record<string, unknown> = {},
    metadata: Record<string, unknown> = {},
  ) => {
    const object = workloadObject(kind, namespace, name, { replicas: 2, ...spec });
    port.put('apps/v1', PLURAL[kind], { ...object, metadata: { ...object.metadata, ...metadata } });
    if (kind === 'StatefulSet') return pod(namespace, `${name}-0`, '1.33', { kind, name });
    const set = workloadObject('Deployment', namespace, `${name}-1`);
    const ownerReferences = [{ apiVersion: 'apps/v1', kind, name, uid: 'd', controller: true }];
    port.put('apps/v1', 'replicasets', { ...set, metadata: { ...set.metadata, ownerReferences } });
    pod(namespace, `${name}-a`, '1.33', { kind: 'ReplicaSet', name: `${name}-1` });
  };
  workload('Deployment', 'batch', 'worker');
  workload('StatefulSet', 'batch', 'ring', { replicas: 3 });
  // At the minor to go back to: no business of this.
  pod('batch', 'old', '1.32');
  const activities = createOtherNodeActivities(depsOf(port));
  const to = '1.32';
  const look = (kind: Kind, namespace: string, name: string): unknown[] => {
    const { spec, metadata } = port.look(refOf(kind, namespace, name));
    return [(spec as { replicas?: number }).replicas, metadata.annotations?.[MARK]];
  };
  return {
    port,
    pod,
    workload,
    refOf,
    look,
    read: (placed?: true) => activities.readFargateBack({ cluster: CLUSTER, to, ...(placed === undefined ? {} : { placed }) }),
    stop: (dns = false) => activities.stopFargate({ cluster: CLUSTER, to, dns }),
    gone: () => activities.awaitFargateStopped({ cluster: CLUSTER, to, timing: quickTiming({ rolloutTimeoutMs: 1 }) }),
    start: (forget?: true) => activities.startFargate({ cluster: CLUSTER, ...(forget === undefined ? {} : { forget }) }),
    ready: (rolloutTimeoutMs = 1) => activities.awaitFargateStarted({ cluster: CLUSTER, timing: quickTiming({ rolloutTimeoutMs }) }),
  };
}

const lose = (): never => {
  throw failureOf('Unavailable', 'the connection was reset');
};

describe('reading', () => {
  test('owners with their replicas and autoscalers, budgets, CronJobs; what is old enough is left out', async () => {
    const { port, pod, read } = world();
    port.put('autoscaling/v2', 'horizontalpodautoscalers', {
      metadata: { name: 'scaler', namespace: 'batch' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'worker' } },
    });
    port.put('policy/v1', 'poddisruptionbudgets', {
      metadata: { name: 'all', namespace: 'batch' },
      spec: { selector: { matchLabels: { app: 'x' } } },
    });
    port.put('batch/v1', 'cronjobs', { metadata: { name: 'nightly', namespace: 'batch' }, spec: {} });
    port.put('batch/v1', 'cronjobs', { metadata: { name: 'paused', namespace: 'batch' }, spec: { suspend: true } });
    port.put('batch/v1', 'cronjobs', { metadata: { name: 'elsewhere', namespace: 'shop' }, spec: {} });
    // It has no node yet: it would get one of the newer version.
    pod('batch', 'worker-b', undefined, { kind: 'ReplicaSet', name: 'worker-1' });
    expect(await read()).toEqual({
      podCount: 3,
      workloads: [
        { kind: 'Deployment', namespace: 'batch', name: 'worker', replicas: 2, autoscaler: 'scaler' },
        { kind: 'StatefulSet', namespace: 'batch', name: 'ring', replicas: 3 },
      ],
      stuck: [],
      dns: false,
      cronJobs: ['batch/nightly'],
      budgets: ['batch/all'],
    });
    // Once the control plane is back it would get an older one.
    expect((await read(true)).podCount).toBe(2);
  });

  test('naked pods, Jobs, other controllers, Belay’s own parts and volumes that would be deleted are not stopped; nothing is then', async () => {
    const { port, pod, workload, stop, look } = world();
    pod('batch', 'naked', '1.33');
    pod('batch', 'import-x', '1.33', { kind: 'Job', name: 'import' });
    pod('batch', 'game-x', '1.33', { kind: 'GameServer', name: 'game' });
    workload('Deployment', 'ops', 'worker', {}, { labels: { 'app.kubernetes.io/name': 'belay' } });
    workload('StatefulSet', 'ops', 'history', {
      template: { spec: { containers: [{ name: 'a', image: 'docker.io/temporalio/server:1.29' }] } },
    });
    workload('StatefulSet', 'data', 'ledger', { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } });
    const ours = 'Belay runs by it and could start nothing again: run it elsewhere (an instance, another cluster)';
    const { stuck, stoppedCount } = await stop();
    expect(stuck.toSorted((a, b) => a.workload.localeCompare(b.workload))).toEqual([
      { workload: 'Deployment ops/worker', why: ours },
      { workload: 'GameServer batch/game', why: 'Scale it to 0 through its own controller (GameServer)' },
      { workload: 'Job batch/import', why: 'A Job loses its work when it is stopped: wait until it has ended, or suspend it' },
      {
        workload: 'Pod batch/naked',
        why: 'No controller will recreate it: delete it, and create it again once the control plane is back',
      },
      {
        workload: 'StatefulSet data/ledger',
        why: 'Its volumes are deleted when it is scaled to 0 (persistentVolumeClaimRetentionPolicy.whenScaled: Delete): set Retain first',
      },
      { workload: 'StatefulSet ops/history', why: ours },
    ]);
    expect([stoppedCount, port.patches, look('Deployment', 'batch', 'worker')]).toEqual([0, [], [2, undefined]]);
  });

  test('CoreDNS is stopped only where that was said, and started first', async () => {
    const { port, workload, stop, start } = world();
    workload('Deployment', 'kube-system', 'coredns');
    expect((await stop()).stuck).toEqual([{ workload: 'Deployment kube-system/coredns', why: 'The plan does not stop cluster DNS' }]);
    expect((await stop(true)).stoppedCount).toBe(3);
    await start();
    const order = port.patches.map(({ ref }) => ref.name);
    expect([order.slice(0, 3).at(-1), order[3]]).toEqual(['coredns', 'coredns']);
  });

  test('who puts objects back as they are in Git is named', async () => {
    const { workload, read } = world();
    workload('Deployment', 'batch', 'worker', {}, { annotations: { 'argocd.argoproj.io/tracking-id': 'w:apps/Deployment:batch/worker' } });
    expect((await read()).workloads[0]).toMatchObject({ name: 'worker', keptBy: 'Argo CD' });
  });
});

describe('down and up again', () => {
  test('exactly as before and without a trace, although every answer is lost once', async () => {
    const { port, stop, start, ready, look, refOf } = world();
    for (const act of [stop, start]) {
      port.afterPatch = lose;
      await act().catch(() => undefined);
      port.afterPatch = undefined;
      await act();
    }
    expect(look('Deployment', 'batch', 'worker')).toEqual([2, '2']);
    expect(look('StatefulSet', 'batch', 'ring')).toEqual([3, '3']);
    for (const [kind, name, replicas] of [
      ['Deployment', 'worker', 2],
      ['StatefulSet', 'ring', 3],
    ] as const)
      port.edit(refOf(kind, 'batch', name), (object) => {
        const all = { replicas, readyReplicas: replicas, updatedReplicas: replicas, availableReplicas: replicas };
        object.status = { observedGeneration: object.metadata.generation, ...all };
      });
    expect(await ready(20_000)).toEqual({ timedOut: false, left: [] });
    expect(look('Deployment', 'batch', 'worker')).toEqual([2, undefined]);
    expect(look('StatefulSet', 'batch', 'ring')).toEqual([3, undefined]);
  });

  test('waits for pods, then for their nodes', async () => {
    const { port, stop, gone } = world();
    await stop();
    expect((await gone()).left).toEqual(['Pod batch/worker-a of ReplicaSet worker-1', 'Pod batch/ring-0 of StatefulSet ring']);
    for (const name of ['worker-a', 'ring-0']) port.remove({ apiVersion: 'v1', plural: 'pods', namespace: 'batch', name });
    expect(await gone()).toEqual({ timedOut: true, left: ['Node fargate-worker-a', 'Node fargate-ring-0'] });
    for (const name of ['fargate-worker-a', 'fargate-ring-0']) port.remove({ apiVersion: 'v1', plural: 'nodes', name });
    expect(await gone()).toEqual({ timedOut: false, left: [] });
  });

  test('somebody scaled one up meanwhile: stopped again with the first number kept; scaled at the end: left alone, and said', async () => {
    const { port, stop, start, look, refOf } = world();
    const scale = (replicas: number) =>
      port.edit(refOf('Deployment', 'batch', 'worker'), (object) => void (object.spec = { ...(object.spec as object), replicas }));
    await stop();
    scale(5);
    await stop();
    expect(look('Deployment', 'batch', 'worker')).toEqual([0, '2']);
    scale(1);
    expect(await start(true)).toEqual({ startedCount: 1, changedByOthers: ['Deployment batch/worker'], failed: [] });
    expect(look('Deployment', 'batch', 'worker')).toEqual([1, undefined]);
    expect(look('StatefulSet', 'batch', 'ring')).toEqual([3, undefined]);
  });

  test('transient at one of them: the others are started, and the call is tried again; a refusal for good is told', async () => {
    const { port, stop, start, look } = world();
    await stop();
    const refuse = (type: 'Unavailable' | 'AccessDenied') => {
      port.beforePatch = ({ name }) => {
        if (name === 'worker') throw failureOf(type, 'the server says no');
      };
    };
    refuse('Unavailable');
    await expect(start()).rejects.toThrow('the server says no');
    expect([look('Deployment', 'batch', 'worker')[0], look('StatefulSet', 'batch', 'ring')[0]]).toEqual([0, 3]);
    refuse('AccessDenied');
    expect(await start()).toEqual({
      startedCount: 1,
      changedByOthers: [],
      failed: [{ workload: 'Deployment batch/worker', why: 'the server says no' }],
    });
    port.beforePatch = undefined;
    expect((await start()).failed).toEqual([]);
    expect(look('Deployment', 'batch', 'worker')[0]).toBe(2);
  });

  test.each<[string, (port: FakeKubernetes, ref: ResourceRef) => void]>([
    ['is deleted', (port, ref) => port.remove(ref)],
    ['is started by somebody, who takes the mark off,', (port, ref) => port.edit(ref, ({ metadata }) => void delete metadata.annotations)],
  ])('one that %s in the same moment is none of ours: the others are started', async (_title, meddle) => {
    const { port, stop, start, look, refOf } = world();
    await stop();
    const worker = refOf('Deployment', 'batch', 'worker');
    port.beforePatch = ({ name }) => {
      if (name !== worker.name) return;
      port.beforePatch = undefined;
      meddle(port, worker);
    };
    expect(await start()).toEqual({ startedCount: 1, changedByOthers: [], failed: [] });
    expect(look('StatefulSet', 'batch', 'ring')[0]).toBe(3);
  });

  test('one that cannot be started is told with why, and the others are started; its mark stays', async () => {
    const { port, stop, start, ready, look, refOf } = world();
    await stop();
    port.edit(refOf('Deployment', 'batch', 'worker'), ({ metadata }) => void (metadata.annotations = { [MARK]: 'two' }));
    expect(await start()).toEqual({
      startedCount: 1,
      changedByOthers: [],
      failed: [{ workload: 'Deployment batch/worker', why: `its annotation ${MARK} says "two", which is no number of replicas` }],
    });
    await ready();
    expect(look('Deployment', 'batch', 'worker')).toEqual([0, 'two']);
    expect(look('StatefulSet', 'batch', 'ring')).toEqual([3, undefined]);
  });
});
