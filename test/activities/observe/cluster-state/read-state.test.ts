/** One look at a cluster: what counts, whose it is, and what an ordinary roll of nodes shows that does not. */
import { describe, expect, test } from 'vitest';
import { lookAt } from '../../../../activities/observe/cluster-state/read-state.ts';
import { FakeKubernetes, type Seed } from '../../../support/fake-kubernetes.ts';

const NOW = '2025-04-29T10:00:00Z';
const ago = (minutes: number): string => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();
const LATER = { lastTransitionTime: ago(8) };

function cluster(): FakeKubernetes {
  const fake = new FakeKubernetes();
  fake.now = NOW;
  return fake
    .put('v1', 'nodes', node('n1', 'True', { 'karpenter.sh/nodepool': 'default' }))
    .put('v1', 'pods', pod('web-1', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', ...LATER }] }))
    .put('apps/v1', 'deployments', {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 4 },
      status: { availableReplicas: 4 },
    });
}
const node = (name: string, ready: string, labels: Record<string, string> = {}, more = {}): Seed => ({
  metadata: { name, labels, creationTimestamp: ago(60), ...more },
  status: { conditions: [{ type: 'Ready', status: ready, ...LATER }] },
});
const pod = (name: string, status: object, more = {}): Seed => ({
  metadata: {
    name,
    namespace: 'shop',
    creationTimestamp: ago(8),
    labels: { 'pod-template-hash': '5d9f' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9f', uid: 'u', controller: true }],
    ...more,
  },
  status,
});
const event = (reason: string, message: string, about: { kind: string; name: string; namespace?: string }, more = {}): Seed => ({
  metadata: { name: `${about.name}.${reason}`, namespace: about.namespace ?? 'default', creationTimestamp: ago(6) },
  type: reason === 'DisruptionBlocked' ? 'Normal' : 'Warning',
  reason,
  message,
  involvedObject: about,
  firstTimestamp: ago(6),
  lastTimestamp: ago(1),
  ...more,
});
const WEB_2 = { kind: 'Pod', name: 'web-2', namespace: 'shop' };
const lines = async (fake: FakeKubernetes): Promise<string[]> =>
  (await lookAt(fake)).sightings.map(({ kind, line }) => `${kind} | ${line}`);

describe('a look', () => {
  test('a healthy cluster shows nothing, and bounded lists alone are asked for', async () => {
    const fake = cluster();
    expect(await lookAt(fake)).toEqual({ sightings: [], unseen: [], nowMs: Date.parse(NOW) });
    expect(fake.lists.filter(({ plural }) => plural === 'events').map(({ fieldSelector }) => fieldSelector)).toEqual([
      'type=Warning',
      'reason=DisruptionBlocked',
    ]);
  });

  const ATTACH = 'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node';
  test.each([
    [
      'FailedAttachVolume',
      ATTACH,
      `multi-attach | Deployment shop/web: a volume is still attached to another node (Multi-Attach) for 6 min (web-2): ${ATTACH}`,
    ],
    ['FailedAttachVolume', 'rpc error', 'attach | Deployment shop/web: a volume cannot be attached for 6 min (web-2): rpc error'],
    ['FailedMount', 'timed out', 'mount | Deployment shop/web: a volume cannot be mounted for 6 min (web-2): timed out'],
    ['Failed', 'Error: ErrImagePull', 'image | Deployment shop/web: an image cannot be pulled for 6 min (web-2): Error: ErrImagePull'],
    ['FailedCreatePodSandBox', 'no IP', 'sandbox | Deployment shop/web: pods get no sandbox (network, runtime) for 6 min (web-2): no IP'],
    ['FailedScheduling', '0/3 nodes', 'scheduling | Deployment shop/web: pods find no node for 6 min (web-2): 0/3 nodes'],
    ['Killing', 'Stopping', 'pending | Deployment shop/web: pods are Pending for 8 min (web-2)'],
  ])('%s (%s) of a pod that is Pending', async (reason, message, line) => {
    const fake = cluster()
      .put('v1', 'pods', pod('web-2', { phase: 'Pending' }))
      .put('v1', 'events', event(reason, message, WEB_2));
    expect(await lines(fake)).toEqual([line]);
  });

  test('an event of a pod that is well, or gone, is history', async () => {
    const fake = cluster()
      .put('v1', 'events', event('FailedAttachVolume', ATTACH, { ...WEB_2, name: 'web-1' }))
      .put('v1', 'events', event('Unhealthy', 'probe failed', { ...WEB_2, name: 'gone' }));
    expect(await lines(fake)).toEqual([]);
  });

  test('an event that does not say what it is about explains nothing', async () => {
    const fake = cluster()
      .put('v1', 'pods', pod('web-2', { phase: 'Pending' }))
      .put('v1', 'events', event('FailedScheduling', 'no room', WEB_2, { involvedObject: undefined }))
      .put('v1', 'events', event('FailedMount', 'timed out', WEB_2, { reason: undefined }));
    expect(await lines(fake)).toEqual(['pending | Deployment shop/web: pods are Pending for 8 min (web-2)']);
  });

  test('events of events.k8s.io, which have other times', async () => {
    const times = { firstTimestamp: null, lastTimestamp: null, eventTime: ago(7), series: { lastObservedTime: ago(1) } };
    const fake = cluster()
      .put('v1', 'pods', pod('web-2', { phase: 'Pending' }))
      .put('v1', 'events', event('FailedScheduling', 'no room', WEB_2, times));
    expect(await lines(fake)).toEqual(['scheduling | Deployment shop/web: pods find no node for 7 min (web-2): no room']);
  });

  test('crash loops and pods that never get Ready, by their owner; finished pods and those that go do not count', async () => {
    const waiting = (reason: string) => ({ containerStatuses: [{ state: { waiting: { reason } } }] });
    const unready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False', ...LATER }] };
    const job = { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'tidy-29104560', uid: 'j', controller: true }] };
    const fake = cluster()
      .put('v1', 'pods', pod('web-2', { ...unready, ...waiting('CrashLoopBackOff') }))
      .put('v1', 'pods', pod('web-3', { ...unready, ...waiting('CrashLoopBackOff') }))
      .put('v1', 'pods', pod('tidy-a', unready, job))
      .put('v1', 'pods', pod('lone', { phase: 'Pending', ...waiting('ImagePullBackOff') }, { ownerReferences: [] }))
      .put('v1', 'pods', pod('done', { phase: 'Succeeded' }))
      .put('v1', 'pods', pod('going', unready, { deletionTimestamp: ago(1) }));
    expect(await lines(fake)).toEqual([
      'crash-loop | Deployment shop/web: containers crash again and again (CrashLoopBackOff) for 8 min (web-2, web-3)',
      'unhealthy | Job shop/tidy: pods run and are not Ready for 8 min (tidy-a)',
      'image | Pod shop/lone: an image cannot be pulled for 8 min (lone)',
    ]);
  });

  test('nodes by their group, and claims whose node has not joined; those that go do not count', async () => {
    const claim = (name: string, joined: boolean): Seed => ({
      metadata: { name, labels: { 'karpenter.sh/nodepool': 'default' }, creationTimestamp: ago(12) },
      status: { conditions: ['Registered', 'Initialized'].map((type) => ({ type, status: joined ? 'True' : 'Unknown' })) },
    });
    const fake = cluster()
      .put('v1', 'nodes', node('n2', 'Unknown', { 'eks.amazonaws.com/nodegroup': 'web' }))
      .put('v1', 'nodes', node('n3', 'False', { 'eks.amazonaws.com/nodegroup': 'web' }))
      .put('v1', 'nodes', node('n4', 'False', {}, { deletionTimestamp: ago(1) }))
      .put('karpenter.sh/v1', 'nodeclaims', claim('default-a', true))
      .put('karpenter.sh/v1', 'nodeclaims', claim('default-b', false));
    expect(await lines(fake)).toEqual([
      'node-not-ready | Node group web: nodes are not Ready for 8 min (n2, n3)',
      'node-never-joined | NodePool default: nodes were launched and have not joined for 12 min (default-b)',
    ]);
  });

  test('pods of a node that is not Ready, and what their DaemonSet lacks, are that node’s trouble', async () => {
    const daemon: Seed = {
      metadata: { name: 'agent', namespace: 'shop' },
      status: { desiredNumberScheduled: 2, numberAvailable: 1 },
    };
    const owned = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'd', controller: true }] };
    const fake = cluster()
      .put('v1', 'nodes', node('n2', 'False'))
      .put('v1', 'pods', { ...pod('agent-2', { phase: 'Pending' }, owned), spec: { nodeName: 'n2' } })
      .put('apps/v1', 'daemonsets', daemon);
    expect(await lines(fake)).toEqual(['node-not-ready | Node n2: nodes are not Ready for 8 min (n2)']);
  });

  test('what holds a node; what a freeze, or a node that is just coming, says is none of it', async () => {
    const about = { kind: 'Node', name: 'n1' };
    const fake = cluster()
      .put('v1', 'events', event('DisruptionBlocked', 'Pdb prevents pod evictions (PodDisruptionBudget=[shop/web])', about))
      .put('v1', 'events', event('FailedDraining', 'Failed to drain node, 2 pods are waiting to be evicted', about));
    expect(await lines(fake)).toEqual([
      'draining | NodePool default, node n1: cannot be drained: Failed to drain node, 2 pods are waiting to be evicted',
      'blocked | NodePool default, node n1: may not be replaced: Pdb prevents pod evictions (PodDisruptionBudget=[shop/web])',
    ]);
    const calm = cluster()
      .put('v1', 'events', event('DisruptionBlocked', 'Node is nominated for a pending pod', about))
      .put('v1', 'events', event('FailedDraining', 'long ago', about, { lastTimestamp: ago(30) }))
      .put(
        'v1',
        'events',
        event('DisruptionBlocked', 'No allowed disruptions due to blocking budget', { kind: 'NodePool', name: 'default' }),
      );
    expect(await lines(calm)).toEqual([]);
  });

  test('a workload that is short of a quarter; one of many replicas that roll one by one is not', async () => {
    const daemons = (desired: number, available: number): Seed => ({
      metadata: { name: 'agent', namespace: 'kube-system' },
      status: { desiredNumberScheduled: desired, numberAvailable: available },
    });
    const set: Seed = { metadata: { name: 'db', namespace: 'shop' }, spec: { replicas: 3 }, status: {} };
    const fake = cluster().put('apps/v1', 'daemonsets', daemons(100, 99)).put('apps/v1', 'statefulsets', set);
    expect(await lines(fake)).toEqual(['below | StatefulSet shop/db is below its replicas: 0 of 3 are available']);
    expect(await lines(cluster().put('apps/v1', 'daemonsets', daemons(4, 3)))).toEqual([
      'below | DaemonSet kube-system/agent is below its replicas: 3 of 4 are available',
    ]);
  });
});
