/** Writes of the real client: patches of every type, conflicts, finalizers, scale, eviction, and what the journal keeps of them. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { CoordinationV1Api, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { nodePool, pod, refusal, startStandIn } from './harness.ts';

type StandIn = Awaited<ReturnType<typeof startStandIn>>;
let twin: StandIn;
beforeEach(async () => {
  await twin?.server.close();
  twin = await startStandIn();
});
afterAll(async () => twin.server.close());

const pools = { group: 'karpenter.sh', version: 'v1', plural: 'nodepools' };
const as = (strategy: string) => setHeaderOptions('Content-Type', strategy);

describe('patches', () => {
  beforeEach(() => {
    twin.store.create('nodepools', nodePool('default'));
    twin.store.create('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1' },
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
    });
  });

  test('a JSON patch whose test holds is applied, counted and journalled before it is answered', async () => {
    const resourceVersion = twin.store.get('nodepools', 'default')?.metadata.resourceVersion;
    const body = [
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/spec/disruption/budgets/-', value: { nodes: '0', reasons: ['Drifted'] } },
    ];
    const patched = await twin.custom.patchClusterCustomObject({ ...pools, name: 'default', body });
    expect(patched).toMatchObject({
      metadata: { generation: 2 },
      spec: { disruption: { budgets: [{ nodes: '10%' }, { nodes: '0', reasons: ['Drifted'] }] } },
    });
    expect(twin.journal.mutations).toMatchObject([
      { api: 'kubernetes', operation: 'patch nodepools', resource: 'nodepools/default', accepted: true, at: '2026-03-02T09:00:00.000Z' },
    ]);
  });

  test('a JSON patch whose test fails is Invalid and changes nothing', async () => {
    const body = [
      { op: 'test', path: '/metadata/resourceVersion', value: '1' },
      { op: 'remove', path: '/spec' },
    ];
    expect(await refusal(twin.custom.patchClusterCustomObject({ ...pools, name: 'default', body }))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    });
    expect(twin.store.get('nodepools', 'default')?.spec).toBeDefined();
    expect(twin.journal.mutations).toMatchObject([{ operation: 'patch nodepools', accepted: false, error: 'Invalid' }]);
  });

  test('a merge patch drops what is null, and fails on an old version', async () => {
    twin.store.update('nodepools', 'default', undefined, (copy) => void (copy.metadata.annotations = { keep: '1', drop: '2' }));
    const patch = (metadata: object) =>
      twin.custom.patchClusterCustomObject({ ...pools, name: 'default', body: { metadata } }, as(PatchStrategy.MergePatch));
    expect(await patch({ annotations: { drop: null, add: '3' } })).toMatchObject({ metadata: { annotations: { keep: '1', add: '3' } } });
    expect(twin.store.get('nodepools', 'default')?.metadata.annotations).toEqual({ keep: '1', add: '3' });
    expect(await refusal(patch({ resourceVersion: '7', annotations: {} }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on nodepools.karpenter.sh "default": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  test('a strategic merge patch merges conditions by type and replaces taints, and custom resources do not know it', async () => {
    const patch = { name: 'node-1', body: { spec: { unschedulable: true, taints: [{ key: 'b', effect: 'NoExecute' }] } } };
    await twin.core.patchNode(patch, as(PatchStrategy.StrategicMergePatch));
    expect(twin.store.get('nodes', 'node-1')?.spec).toEqual({ unschedulable: true, taints: [{ key: 'b', effect: 'NoExecute' }] });
    for (const type of ['Ready', 'DiskPressure']) {
      const body = { status: { conditions: [{ type, status: 'False' }] } };
      await twin.core.patchNodeStatus({ name: 'node-1', body }, as(PatchStrategy.StrategicMergePatch));
    }
    expect(twin.store.get('nodes', 'node-1')?.status.conditions).toHaveLength(2);
    const custom = twin.custom.patchClusterCustomObject(
      { ...pools, name: 'default', body: { spec: {} } },
      as(PatchStrategy.StrategicMergePatch),
    );
    expect((await refusal(custom)).code).toBe(415);
  });

  test('status is written through its subresource only', async () => {
    await twin.core.patchNode({ name: 'node-1', body: { status: { phase: 'no' } } }, as(PatchStrategy.MergePatch));
    expect(twin.store.get('nodes', 'node-1')?.status.phase).toBeUndefined();
    await twin.core.patchNodeStatus({ name: 'node-1', body: { status: { phase: 'yes' }, spec: { x: 1 } } }, as(PatchStrategy.MergePatch));
    expect(twin.store.get('nodes', 'node-1')).toMatchObject({ status: { phase: 'yes' }, spec: { taints: [{ key: 'a' }] } });
    expect(twin.store.get('nodes', 'node-1')?.spec.x).toBeUndefined();
  });

  test('a dry run changes nothing and stands in no journal', async () => {
    await twin.core.patchNode({ name: 'node-1', dryRun: 'All', body: { spec: { unschedulable: true } } }, as(PatchStrategy.MergePatch));
    expect(twin.store.get('nodes', 'node-1')?.spec.unschedulable).toBeUndefined();
    expect(twin.journal.mutations).toEqual([]);
  });
});

describe('writes', () => {
  test('create, replace with a conflict, delete with a precondition', async () => {
    const created = await twin.core.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { generateName: 'belay-' }, data: { a: '1' } },
    });
    const name = created.metadata?.name ?? '';
    expect(name).toMatch(/^belay-[a-z0-9]{5}$/);
    const replace = (resourceVersion: string | undefined) =>
      twin.core.replaceNamespacedConfigMap({ namespace: 'default', name, body: { metadata: { name, resourceVersion }, data: { a: '2' } } });
    await replace(created.metadata?.resourceVersion);
    expect(await refusal(replace(created.metadata?.resourceVersion))).toMatchObject({ code: 409, reason: 'Conflict' });
    const remove = (uid: string | undefined) =>
      twin.core.deleteNamespacedConfigMap({ namespace: 'default', name, body: { preconditions: { uid } } });
    expect(await refusal(remove('another'))).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(await remove(created.metadata?.uid)).toMatchObject({ status: 'Success' });
    expect(twin.journal.mutations.map(({ operation, resource, accepted }) => [operation, resource, accepted])).toEqual([
      ['create configmaps', `configmaps/default/${name}`, true],
      ['update configmaps', `configmaps/default/${name}`, true],
      ['update configmaps', `configmaps/default/${name}`, false],
      ['delete configmaps', `configmaps/default/${name}`, false],
      ['delete configmaps', `configmaps/default/${name}`, true],
    ]);
  });

  test('nothing is created twice, or in a namespace that is not there', async () => {
    const create = (namespace: string) => twin.core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'one' } } });
    await create('default');
    expect(await refusal(create('default'))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "one" already exists',
    });
    expect(await refusal(create('nowhere'))).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
  });

  test('the journal knows of a write before the client does', async () => {
    const order: string[] = [];
    twin.journal.onMutation(async ({ operation }) => {
      order.push(`begin ${operation}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push('end');
    });
    await twin.core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'one' } } });
    order.push('answered');
    expect(order).toEqual(['begin create configmaps', 'end', 'answered']);
  });

  test('leases are renewed without a word, and no secret stands in the journal', async () => {
    const coordination = twin.config.makeApiClient(CoordinationV1Api);
    await coordination.createNamespacedLease({ namespace: 'default', body: { metadata: { name: 'leader' } } });
    await twin.core.createNamespacedSecret({
      namespace: 'default',
      body: { metadata: { name: 'key' }, stringData: { password: 'hunter2' } },
    });
    expect(twin.journal.mutations.map(({ resource }) => resource)).toEqual(['secrets/default/key']);
    expect(JSON.stringify(twin.journal.mutations)).not.toContain('hunter2');
  });

  test('an object with finalizers is answered with its deletionTimestamp', async () => {
    twin.store.create('nodepools', { ...nodePool('default'), metadata: { name: 'default', finalizers: ['karpenter.sh/termination'] } });
    const deleted = await twin.custom.deleteClusterCustomObject({ ...pools, name: 'default' });
    expect(deleted).toMatchObject({ metadata: { deletionTimestamp: '2026-03-02T09:00:00Z' } });
    await twin.custom.patchClusterCustomObject({ ...pools, name: 'default', body: [{ op: 'remove', path: '/metadata/finalizers' }] });
    expect(twin.store.get('nodepools', 'default')).toBeUndefined();
  });

  test('the scale subresource changes replicas', async () => {
    twin.store.create('deployments', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'cart', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'cart' } },
        template: { metadata: { labels: { app: 'cart' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
    });
    const where = { name: 'cart', namespace: 'default' };
    expect((await twin.apps.readNamespacedDeploymentScale(where)).spec?.replicas).toBe(1);
    await twin.apps.patchNamespacedDeploymentScale({ ...where, body: { spec: { replicas: 2 } } }, as(PatchStrategy.MergePatch));
    expect(twin.store.get('deployments', 'cart', 'default')).toMatchObject({ spec: { replicas: 2 }, metadata: { generation: 2 } });
  });
});

describe('eviction', () => {
  const evict = (name: string) => twin.core.createNamespacedPodEviction({ name, namespace: 'default', body: { metadata: { name } } });
  const budget = (name: string, disruptionsAllowed: number) =>
    twin.store.create('poddisruptionbudgets', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'cart' } } },
      status: { disruptionsAllowed, currentHealthy: 1 + disruptionsAllowed, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1 },
    });

  test('a budget lets as many pods go as it allows, then answers 429 with its cause', async () => {
    twin.store.create('pods', pod('cart-1', { nodeName: 'node-1', ready: true }));
    twin.store.create('pods', pod('cart-2', { nodeName: 'node-1', ready: true }));
    budget('cart', 1);
    await evict('cart-1');
    expect(twin.store.get('pods', 'cart-1', 'default')?.metadata.deletionTimestamp).toBeDefined();
    expect(await refusal(evict('cart-2'))).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget cart needs 1 healthy pods and has 2 currently' }] },
    });
    expect(twin.journal.mutations.map(({ operation, accepted }) => [operation, accepted])).toEqual([
      ['create pods/eviction', true],
      ['create pods/eviction', false],
    ]);
  });

  test('several budgets on one pod are an error of the server, a pod that is not there a 404', async () => {
    twin.store.create('pods', pod('cart-1', { nodeName: 'node-1', ready: true }));
    budget('one', 1);
    budget('two', 1);
    expect(await refusal(evict('cart-1'))).toMatchObject({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
    expect(await refusal(evict('gone'))).toMatchObject({ code: 404, message: 'pods "gone" not found' });
  });
});
