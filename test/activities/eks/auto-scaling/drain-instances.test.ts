/** Instances that Belay's hook holds: drained within budgets, then let go; nobody is taken for gone by a call that failed. */
import { beforeEach, describe, expect, test } from 'vitest';
import { drainHeld } from '../../../../activities/eks/auto-scaling/drain-instances.ts';
import { GroupLook } from '../../../../activities/eks/auto-scaling/group-look.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { FailureType } from '../../../../domain/core/failure-types.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeObject, podObject } from '../../../support/kubernetes-objects.ts';
import { type Answers, awsError, fakeAccount } from '../../support/fake-account.ts';

const POD = { apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'cart-0' };
const NODE = { apiVersion: 'v1', plural: 'nodes', name: 'a' };
const held = { AutoScalingGroups: [{ Instances: [{ InstanceId: 'i-1', LifecycleState: 'Terminating:Wait' }] }] };

let port: FakeKubernetes;
beforeEach(() => {
  port = new FakeKubernetes()
    .put('v1', 'nodes', { ...nodeObject('a', '1.32'), spec: { providerID: 'aws:///eu-central-1a/i-1' } })
    .put('v1', 'pods', podObject('shop', 'cart-0', { node: 'a' }));
});

function drain(answers: Answers = {}) {
  const { clients, asked } = fakeAccount({
    describeAutoScalingGroups: () => held,
    completeLifecycleAction: () => ({}),
    recordLifecycleActionHeartbeat: () => ({}),
    ...answers,
  });
  return {
    drained: drainHeld(clients, port, new GroupLook(clients, port, 'batch')),
    changes: () => asked.map(({ operation }) => operation).slice(1),
  };
}

describe('a pod that', () => {
  const evicting = (type: FailureType): void => {
    port.create = async () => Promise.reject(failureOf(type, `evicting shop/cart-0: ${type}`));
  };

  test.each(['NotFound', 'Conflict'] as const)(
    'is gone by now, or another of its name (%s): its instance is held until it has left',
    async (type) => {
      evicting(type);
      const { drained, changes } = drain();
      expect(await drained).toEqual({ heldCount: 1, draining: ['a'], holds: [] });
      expect(changes()).toEqual(['recordLifecycleActionHeartbeat']);
      expect(port.look(NODE).spec).toMatchObject({ unschedulable: true });
    },
  );

  test.each(['Throttled', 'Unavailable'] as const)('may not be evicted now (%s): named, and its instance is held', async (type) => {
    evicting(type);
    const { drained, changes } = drain();
    const reason = 'the API server refuses to evict pod shop/cart-0 now';
    expect(await drained).toMatchObject({ heldCount: 1, holds: [{ node: { name: 'a' }, lasting: false, reason }] });
    expect(changes()).toEqual(['recordLifecycleActionHeartbeat']);
  });

  // A namespace that is being terminated, an admission webhook, RBAC: a failed call would end in the hook's removal, and what it holds would end undrained.
  test.each(['AccessDenied', 'InvalidRequest'] as const)(
    'may not be evicted at all (%s): its instance is held, and why is said',
    async (type) => {
      evicting(type);
      const { drained, changes } = drain();
      const reason = `the API server refuses to evict pod shop/cart-0 now: evicting shop/cart-0: ${type}`;
      expect(await drained).toMatchObject({ heldCount: 1, draining: ['a'], holds: [{ lasting: false, noUseScaling: true, reason }] });
      expect(changes()).toEqual(['recordLifecycleActionHeartbeat']);
    },
  );

  test('may not be evicted for a reason that nobody knows: the call fails, and the instance is not let go', async () => {
    evicting('NoCredentials');
    const { drained, changes } = drain();
    await expect(drained).rejects.toMatchObject({ type: 'NoCredentials' });
    expect(changes()).toEqual([]);
  });
});

describe('a pod that tolerates the cordon', () => {
  const ANY = [{ operator: 'Exists' }];
  const CORDON = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }];
  const OTHER = [{ key: 'CriticalAddonsOnly', operator: 'Exists' }];
  const cordoned = (timeAdded?: string): void =>
    port.edit(NODE, (node) => {
      const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', ...(timeAdded === undefined ? {} : { timeAdded }) };
      node['spec'] = { ...(node['spec'] as object), unschedulable: true, taints: [taint] };
    });
  const made = (creationTimestamp: string, tolerations: object[]): void =>
    port.edit(POD, (pod) => {
      Object.assign(pod.metadata, { creationTimestamp });
      pod['spec'] = { ...(pod['spec'] as object), tolerations };
    });
  const LET_GO = ['completeLifecycleAction'];
  const HELD = ['recordLifecycleActionHeartbeat'];

  test.each<[string, string | undefined, string, object[], boolean]>([
    ['and was there before is evicted', '2030-12-31T23:50:00Z', '2030-12-31T23:49:59Z', ANY, true],
    ['and came within the same second is evicted', '2030-12-31T23:50:00Z', '2030-12-31T23:50:00Z', ANY, true],
    ['and came back to the node stays to the end, whatever it tolerates', '2030-12-31T23:50:00Z', '2030-12-31T23:50:01Z', ANY, false],
    ['and came back to the node stays to the end', '2030-12-31T23:50:00Z', '2030-12-31T23:50:01Z', CORDON, false],
    ['by no means, and came all the same, is evicted', '2030-12-31T23:50:00Z', '2030-12-31T23:50:01Z', OTHER, true],
    ['is evicted where nobody says since when the node is cordoned', undefined, '2030-12-31T23:50:01Z', ANY, true],
  ])('%s', async (_title, since, createdAt, tolerations, isEvicted) => {
    cordoned(since);
    made(createdAt, tolerations);
    const evicted: string[] = [];
    port.create = async ({ plural }) => {
      evicted.push(plural);
      return await Promise.reject(failureOf('NotFound', 'it is gone'));
    };
    const { drained, changes } = drain();
    expect(await drained).toMatchObject({ draining: isEvicted ? ['a'] : [], holds: [] });
    expect([evicted, changes()]).toEqual(isEvicted ? [['pods/cart-0/eviction'], HELD] : [[], LET_GO]);
  });
});

describe('a node that is drained leaves the load balancers', () => {
  const LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';

  test.each<[string, Record<string, string>, string]>([
    ['as it is cordoned', {}, 'belay'],
    ['where somebody has taken it out already, that stays', { [LABEL]: 'ours' }, 'ours'],
  ])('%s', async (_title, labels, value) => {
    port.edit(NODE, ({ metadata }) => Object.assign(metadata, { labels }));
    await drain().drained;
    const { metadata, spec } = port.look(NODE);
    expect([metadata.labels?.[LABEL], spec]).toEqual([value, expect.objectContaining({ unschedulable: true })]);
  });
});

describe('a pod that is being removed', () => {
  /** `deletionTimestamp`: the server says 2031-01-01T00:00:00Z. */
  const removing = (change: { deletionTimestamp: string; finalizers?: string[] }): void =>
    port.edit(POD, ({ metadata }) => Object.assign(metadata, change));
  const notReady = (): void => port.edit(NODE, (node) => (node['status'] = { conditions: [{ type: 'Ready', status: 'Unknown' }] }));
  const OVERDUE = '2030-12-31T23:59:30Z';
  const GOES_NOT = 'pod shop/cart-0 is being removed and does not go';
  const NO_KUBELET =
    'its node is not Ready, so no kubelet confirms its end. If it no longer runs: kubectl delete pod cart-0 --namespace shop --force';

  test.each<[string, () => void, string[]]>([
    ['within its grace period is waited for', () => removing({ deletionTimestamp: '2031-01-01T00:00:30Z' }), []],
    ['past its grace period is named', () => removing({ deletionTimestamp: OVERDUE }), [GOES_NOT]],
    [
      'with a finalizer is named with it',
      () => removing({ deletionTimestamp: OVERDUE, finalizers: ['example.com/lock'] }),
      [`${GOES_NOT}: it still has finalizer example.com/lock`],
    ],
    [
      'on a node that does not answer is named with the way out',
      () => {
        removing({ deletionTimestamp: OVERDUE });
        notReady();
      },
      [`${GOES_NOT}: ${NO_KUBELET}`],
    ],
    [
      'with two finalizers on such a node is named with both causes',
      () => {
        removing({ deletionTimestamp: OVERDUE, finalizers: ['example.com/lock', 'example.com/log'] });
        notReady();
      },
      [`${GOES_NOT}: it still has finalizers example.com/lock, example.com/log; ${NO_KUBELET}`],
    ],
  ])('%s, and its instance is held', async (_title, change, reasons) => {
    change();
    const { drained, changes } = drain();
    const { draining, holds } = await drained;
    expect([draining, holds.map(({ reason }) => reason)]).toEqual([['a'], reasons]);
    // Neither another replica nor another deletion helps: nobody is offered them.
    expect(holds.map(({ lasting, pod }) => [lasting, pod])).toEqual(reasons.map(() => [false, undefined]));
    expect(changes()).toEqual(['recordLifecycleActionHeartbeat']);
  });
});

describe('a node without pods whose volume', () => {
  const STORAGE = 'storage.k8s.io/v1';
  const attached = (): void => {
    port.remove(POD);
    port.put(STORAGE, 'volumeattachments', {
      metadata: { name: 'csi-1' },
      spec: { nodeName: 'a', source: { persistentVolumeName: 'pv-1' } },
    });
  };
  const claimedBy = (volume: object): void => {
    const pod = podObject('logs', 'agent-x', { node: 'a', owner: { kind: 'DaemonSet', name: 'agent' } });
    port.put('v1', 'pods', { ...pod, spec: { ...(pod['spec'] as object), volumes: [volume] } });
    port.put('v1', 'persistentvolumes', { metadata: { name: 'pv-1' }, spec: { claimRef: { namespace: 'logs', name: 'agent-x-buffer' } } });
  };

  test('is still attached is held: its instance would leave the volume attached for minutes', async () => {
    attached();
    const { drained, changes } = drain();
    const reason = expect.stringMatching(/^volume pv-1 is still attached, although no pod uses it any more: /);
    expect(await drained).toEqual({
      heldCount: 1,
      draining: ['a'],
      holds: [expect.objectContaining({ key: 'volumes', lasting: false, reason })],
    });
    expect(changes()).toEqual(['recordLifecycleActionHeartbeat']);
  });

  test.each<[string, object]>([
    ['by its claim', { persistentVolumeClaim: { claimName: 'agent-x-buffer' } }],
    ['as an ephemeral one', { name: 'buffer', ephemeral: {} }],
  ])('is of a DaemonSet’s pod %s is not waited for: it stays to the end', async (_title, volume) => {
    attached();
    claimedBy(volume);
    const { drained, changes } = drain();
    expect(await drained).toEqual({ heldCount: 1, draining: [], holds: [] });
    expect(changes()).toEqual(['completeLifecycleAction']);
  });

  test('is attached to another node is no matter, and none that may not be seen', async () => {
    attached();
    port.edit({ apiVersion: STORAGE, plural: 'volumeattachments', name: 'csi-1' }, (one) => (one['spec'] = { nodeName: 'b' }));
    expect((await drain().drained).holds).toEqual([]);
    const list = port.list.bind(port);
    port.list = async (query, keep) => {
      if (query.plural === 'volumeattachments') throw failureOf('AccessDenied', 'listing volumeattachments');
      return await list(query, keep);
    };
    expect((await drain().drained).draining).toEqual([]);
  });
});

describe('an instance', () => {
  test('whose node goes away between look and patch is let go', async () => {
    port.beforePatch = () => port.remove(NODE);
    const { drained, changes } = drain();
    expect(await drained).toEqual({ heldCount: 1, draining: [], holds: [] });
    expect(changes()).toEqual(['completeLifecycleAction']);
  });

  test('that the hook holds no longer needs nothing; one that may not be let go fails the call', async () => {
    port.remove(NODE);
    const letGo = (name: string) => drain({ completeLifecycleAction: () => Promise.reject(awsError(name)) }).drained;
    expect(await letGo('ValidationError')).toEqual({ heldCount: 1, draining: [], holds: [] });
    await expect(letGo('AccessDenied')).rejects.toMatchObject({ type: 'AccessDenied' });
  });

  test('of a group that is gone is not taken for drained', async () => {
    await expect(drain({ describeAutoScalingGroups: () => ({}) }).drained).rejects.toMatchObject({
      type: 'NotFound',
      message: 'reading Auto Scaling group batch: there is none of that name',
    });
  });
});
