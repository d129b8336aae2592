/** Instances that Belay's hook holds: drained within budgets, then let go; nobody is taken for gone by a call that failed. */
import { beforeEach, describe, expect, test } from 'vitest';
import { drainHeld } from '../../../../activities/eks/auto-scaling/drain-instances.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { FailureType } from '../../../../domain/core/failure-types.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeObject, podObject } from '../../../support/kubernetes-objects.ts';
import { type Answers, awsError, fakeAccount } from '../../support/fake-account.ts';

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
  return { drained: drainHeld(clients, port, 'batch'), changes: () => asked.map(({ operation }) => operation).slice(1) };
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
      expect(await drained).toEqual({ heldCount: 1, holds: [] });
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

  test('Belay may not evict: the call fails, and the instance is not let go', async () => {
    evicting('AccessDenied');
    const { drained, changes } = drain();
    await expect(drained).rejects.toMatchObject({ type: 'AccessDenied' });
    expect(changes()).toEqual([]);
  });
});

describe('an instance', () => {
  test('whose node goes away between look and patch is let go', async () => {
    port.beforePatch = () => port.remove(NODE);
    const { drained, changes } = drain();
    expect(await drained).toEqual({ heldCount: 1, holds: [] });
    expect(changes()).toEqual(['completeLifecycleAction']);
  });

  test('that the hook holds no longer needs nothing; one that may not be let go fails the call', async () => {
    port.remove(NODE);
    const letGo = (name: string) => drain({ completeLifecycleAction: () => Promise.reject(awsError(name)) }).drained;
    expect(await letGo('ValidationError')).toEqual({ heldCount: 1, holds: [] });
    await expect(letGo('AccessDenied')).rejects.toMatchObject({ type: 'AccessDenied' });
  });

  test('of a group that is gone is not taken for drained', async () => {
    await expect(drain({ describeAutoScalingGroups: () => ({}) }).drained).rejects.toMatchObject({
      type: 'NotFound',
      message: 'reading Auto Scaling group batch: there is none of that name',
    });
  });
});
