/** A node group's update that fails because pods are not evicted: EKS names nodes; whoever is asked reads which pods, and why. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksActivities } from '../../../../activities/eks/index.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { UpdateOutcome } from '../../../../activities/contract/eks.ts';
import type { KubernetesPort } from '../../../../activities/contract/ports.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { budgetObject, nodeObject, podObject } from '../../../support/kubernetes-objects.ts';
import { type FakeEks, startFakeEks, update } from '../../support/fake-eks.ts';
import { QUICK } from '../../support/timing.ts';

const SAYS = 'Reached max retries while trying to evict pods from nodes in node group workers.';
const FOUND = `Pods could not be evicted within 15 minutes. EKS says: ${SAYS}`;

let eks: FakeEks;
let port: FakeKubernetes;
beforeEach(async () => {
  eks = await startFakeEks();
  const of = (name: string, minor: string) => {
    const node = nodeObject(name, minor);
    return { ...node, metadata: { ...node.metadata, labels: { 'eks.amazonaws.com/nodegroup': 'workers' } } };
  };
  port = new FakeKubernetes()
    .put('v1', 'nodes', of('old', '1.32'))
    .put('v1', 'nodes', of('new', '1.33'))
    .put('v1', 'pods', podObject('shop', 'cart-0', { node: 'old' }))
    .put('v1', 'pods', podObject('shop', 'cart-1', { node: 'new' }));
});
afterEach(() => eks.close());

async function failing(errorCode: string, kubernetes: Pick<KubernetesPort, 'list'> = port): Promise<string> {
  eks.nodeGroups['workers'] = { nodegroupName: 'workers', version: '1.32', status: 'ACTIVE', amiType: 'AL2023_x86_64_STANDARD' };
  eks.updates.push(
    update({ id: 'u1', of: 'nodegroup/workers', status: 'Failed', errors: [{ errorCode, errorMessage: SAYS, resourceIds: ['old'] }] }),
  );
  const { errors } = await following(kubernetes, 1_000);
  return errors[0]?.message ?? '';
}

function following(kubernetes: Pick<KubernetesPort, 'list'> = port, timeoutMs: number): Promise<UpdateOutcome> {
  const activities = createEksActivities({ aws: () => eks.aws, clusterPorts: async () => ({ kubernetes: kubernetes as KubernetesPort }) });
  return activities.awaitUpdate({
    cluster: CLUSTER,
    timing: QUICK,
    resource: { kind: 'node-group', name: 'workers' },
    updateId: 'u1',
    to: '1.33',
    timeoutMs,
  });
}

test('pods of old nodes that a budget holds are named with it', async () => {
  port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'cart', { matchLabels: { app: 'cart' } }, 0));
  expect(await failing('PodEvictionFailure')).toBe(
    `${FOUND} Pod shop/cart-0 is blocked by PodDisruptionBudget shop/cart, which allows no disruption now.`,
  );
});

test.each([
  ['2031-01-01T01:00:00Z', 'Pod shop/cart-0 is ending, and may take until 2031-01-01 01:00 UTC'],
  ['2030-12-31T23:59:00Z', 'Pod shop/cart-0 is being removed and does not go: it still has finalizer example.com/lock'],
])('a pod that is to be gone by %s', async (deletionTimestamp, said) => {
  const change = { deletionTimestamp, finalizers: ['example.com/lock'] };
  port.edit({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'cart-0' }, ({ metadata }) => Object.assign(metadata, change));
  expect(await failing('PodEvictionFailure')).toBe(`${FOUND} ${said}.`);
});

test('where nothing holds them any more, that is said', async () => {
  expect(await failing('PodEvictionFailure')).toBe(`${FOUND} Nothing forbids an eviction from the old nodes now.`);
});

test('what cannot be seen is said, and the update’s own end is not lost for it', async () => {
  const list = () => Promise.reject(failureOf('AccessDenied', 'listing nodes: Kubernetes answered 403'));
  expect(await failing('PodEvictionFailure', { list })).toBe(
    `${FOUND} What holds the nodes cannot be seen: listing nodes: Kubernetes answered 403.`,
  );
});

test('other failures ask nothing of Kubernetes', async () => {
  expect(await failing('NodeCreationFailure')).not.toContain('is blocked by');
  expect(port.lists).toEqual([]);
});

test.each<[string, Pick<KubernetesPort, 'list'> | undefined, object]>([
  [
    'with how far the group is, and what holds the others',
    undefined,
    { newCount: 1, oldCount: 1, held: ['pod shop/cart-0 is blocked by PodDisruptionBudget shop/cart, which allows no disruption now'] },
  ],
  [
    'with what EKS finds wrong, also where the nodes cannot be seen',
    { list: () => Promise.reject(failureOf('AccessDenied', 'listing nodes: Kubernetes answered 403')) },
    {
      newCount: 0,
      oldCount: 0,
      held: [],
      issues: ['AsgInstanceLaunchFailures: no capacity'],
      unseen: 'listing nodes: Kubernetes answered 403',
    },
  ],
])('an update that takes longer than it may ends the wait %s', async (_how, kubernetes, roll) => {
  const issues = kubernetes === undefined ? [] : [{ code: 'AsgInstanceLaunchFailures', message: 'no capacity' }];
  port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'cart', { matchLabels: { app: 'cart' } }, 0));
  eks.nodeGroups['workers'] = {
    nodegroupName: 'workers',
    version: '1.32',
    status: 'UPDATING',
    amiType: 'AL2023_x86_64_STANDARD',
    health: { issues },
  };
  eks.updates.push(update({ id: 'u1', of: 'nodegroup/workers', status: 'InProgress' }));
  expect(await following(kubernetes, 20)).toEqual({ status: 'TimedOut', errors: [], roll });
});
