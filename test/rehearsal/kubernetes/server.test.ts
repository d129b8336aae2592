/** The API server's stand-in, asked by the real client over HTTPS. */
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AuthorizationV1Api, CoreV1Api, PatchStrategy, setHeaderOptions, VersionApi, Watch } from '@kubernetes/client-node';
import { awsToken, configFor, nodePool, pod, rawGet, refusal, startStandIn } from './harness.ts';

type StandIn = Awaited<ReturnType<typeof startStandIn>>;
let twin: StandIn;
beforeEach(async () => {
  await twin?.server.close();
  twin = await startStandIn();
});
afterAll(async () => twin.server.close());

const pools = { group: 'karpenter.sh', version: 'v1', plural: 'nodepools' };
const as = (strategy: string) => setHeaderOptions('Content-Type', strategy);

describe('tokens', () => {
  const withToken = (token: string) => configFor(twin.server, token).makeApiClient(CoreV1Api).listNode();

  test('a presigned GetCallerIdentity and a static token are let in', async () => {
    await expect(withToken(awsToken())).resolves.toMatchObject({ items: [] });
    await expect(withToken('human')).resolves.toMatchObject({ items: [] });
  });

  test.each([
    ['an old one', awsToken({ ageMs: 16 * 60_000 })],
    ['one for another host', awsToken({ host: 'example.com' })],
    ['one that does not sign the cluster name', awsToken({ signedHeaders: 'host' })],
    ['one for another action', awsToken({ action: 'AssumeRole' })],
    ['a made-up one', 'k8s-aws-v1.aGVsbG8'],
    ['an unknown one', 'someone'],
  ])('%s gets 401', async (_name, token) => {
    const { status, text } = await rawGet(twin.server, '/api/v1/nodes', { Authorization: `Bearer ${token}` });
    expect([status, JSON.parse(text)]).toMatchObject([401, { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'Unauthorized' }]);
  });
});

describe('reads', () => {
  test('version and health need no token; every answer carries world time', async () => {
    const code = await configFor(twin.server, '').makeApiClient(VersionApi).getCode();
    expect(code).toMatchObject({ major: '1', minor: '32' });
    expect(await rawGet(twin.server, '/readyz')).toEqual({ status: 200, date: 'Mon, 02 Mar 2026 09:00:00 GMT', text: 'ok' });
  });

  test('a list is paged, and its continue token ends with the last page', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      twin.store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const first = await twin.core.listNamespacedConfigMap({ namespace: 'default', limit: 2 });
    expect(first.metadata?.remainingItemCount).toBe(3);
    const names = first.items.map((item) => item.metadata?.name);
    let _continue = first.metadata?._continue;
    while (_continue) {
      const page = await twin.core.listNamespacedConfigMap({ namespace: 'default', limit: 2, _continue });
      names.push(...page.items.map((item) => item.metadata?.name));
      _continue = page.metadata?._continue;
    }
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each([
    ['labels equal', { labelSelector: 'app=cart' }, ['cart-1', 'cart-2']],
    ['labels differ', { labelSelector: 'app!=cart' }, ['web-1']],
    ['in a set', { labelSelector: 'app in (web, api),tier' }, ['web-1']],
    ['not in a set', { labelSelector: 'app notin (web)' }, ['cart-1', 'cart-2']],
    ['label absent', { labelSelector: '!tier' }, ['cart-1', 'cart-2']],
    ['node', { fieldSelector: 'spec.nodeName=node-1' }, ['cart-1', 'web-1']],
    ['phase', { fieldSelector: 'status.phase!=Running' }, ['cart-2']],
    ['both', { labelSelector: 'app=cart', fieldSelector: 'metadata.name=cart-2' }, ['cart-2']],
  ])('selects by %s', async (_name, selectors, expected) => {
    twin.store.create('pods', pod('cart-1', { nodeName: 'node-1', ready: true }));
    twin.store.create('pods', pod('cart-2'));
    twin.store.create('pods', pod('web-1', { nodeName: 'node-1', ready: true, labels: { app: 'web', tier: 'front' } }));
    const { items } = await twin.core.listPodForAllNamespaces(selectors);
    expect(items.map((item) => item.metadata?.name)).toEqual(expected);
  });

  test('a field that cannot be selected by is refused', async () => {
    expect(await refusal(twin.core.listNode({ fieldSelector: 'status.color=red' }))).toMatchObject({
      code: 400,
      message: 'field label not supported: status.color',
    });
  });

  test('what is not there has the real words', async () => {
    twin.store.create('nodepools', nodePool('default'));
    expect(await refusal(twin.custom.getClusterCustomObject({ ...pools, name: 'x' }))).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'nodepools.karpenter.sh "x" not found',
      details: { name: 'x', group: 'karpenter.sh', kind: 'nodepools' },
    });
    expect(await refusal(twin.custom.listClusterCustomObject({ group: 'example.com', version: 'v1', plural: 'widgets' }))).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
  });

  test('Karpenter is not served before its definitions or objects are there', async () => {
    expect((await refusal(twin.custom.listClusterCustomObject(pools))).code).toBe(404);
    twin.store.create('nodepools', nodePool('default'));
    expect(await twin.custom.listClusterCustomObject(pools)).toMatchObject({ kind: 'NodePoolList', items: [{ kind: 'NodePool' }] });
  });

  test('forbidden reads say who may not do what, and access reviews agree', async () => {
    await twin.server.close();
    twin = await startStandIn({ forbidden: ({ verb, resource }) => verb === 'list' && resource === 'secrets' });
    expect(await refusal(twin.core.listNamespacedSecret({ namespace: 'istio-system' }))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'secrets is forbidden: User "aws:AKIATEST" cannot list resource "secrets" in API group "" in the namespace "istio-system"',
    });
    const review = (verb: string) =>
      twin.config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
        body: { spec: { resourceAttributes: { verb, resource: 'secrets', group: '' } } },
      });
    expect((await review('list')).status?.allowed).toBe(false);
    expect((await review('get')).status?.allowed).toBe(true);
    expect(twin.journal.mutations).toEqual([]);
  });
});

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

  test('a strategic merge patch merges lists by key, and custom resources do not know it', async () => {
    await twin.core.patchNode(
      { name: 'node-1', body: { spec: { unschedulable: true, taints: [{ key: 'b', effect: 'NoExecute' }] } } },
      as(PatchStrategy.StrategicMergePatch),
    );
    expect(twin.store.get('nodes', 'node-1')?.spec).toEqual({
      unschedulable: true,
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'b', effect: 'NoExecute' },
      ],
    });
    await twin.core.patchNode(
      { name: 'node-1', body: { spec: { taints: [{ key: 'a', $patch: 'delete' }] } } },
      as(PatchStrategy.StrategicMergePatch),
    );
    expect(twin.store.get('nodes', 'node-1')?.spec.taints).toEqual([{ key: 'b', effect: 'NoExecute' }]);
    const custom = twin.custom.patchClusterCustomObject(
      { ...pools, name: 'default', body: { spec: {} } },
      as(PatchStrategy.StrategicMergePatch),
    );
    expect((await refusal(custom)).code).toBe(415);
  });

  test('status is written through its subresource only', async () => {
    await twin.core.patchNode({ name: 'node-1', body: { status: { phase: 'no' } } }, as(PatchStrategy.MergePatch));
    expect(twin.store.get('nodes', 'node-1')?.status).toEqual({});
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
      spec: { replicas: 1, selector: { matchLabels: { app: 'cart' } }, template: { metadata: { labels: { app: 'cart' } } } },
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

describe('watches', () => {
  async function watching(
    path: string,
    query: Record<string, string | boolean>,
    until: number,
  ): Promise<[string, string | number | undefined][]> {
    const events: [string, string | number | undefined][] = [];
    return new Promise((resolve, reject) => {
      new Watch(twin.config)
        .watch(
          path,
          query,
          (phase, object) => {
            events.push([phase, object.metadata?.name ?? object.code]);
            if (events.length >= until) resolve(events);
          },
          (error) => (events.length >= until ? undefined : reject(error ?? new Error('the watch ended early'))),
        )
        .then(undefined, reject);
    });
  }

  test('events since a version come in order, those of other types do not', async () => {
    const resourceVersion = (await twin.core.listNode()).metadata?.resourceVersion ?? '';
    for (const name of ['node-1', 'node-2']) twin.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    twin.store.create('pods', pod('cart'));
    const events = watching('/api/v1/nodes', { resourceVersion }, 4);
    twin.store.update('nodes', 'node-1', undefined, (copy) => void (copy.spec.unschedulable = true));
    twin.store.delete('nodes', 'node-2');
    expect(await events).toEqual([
      ['ADDED', 'node-1'],
      ['ADDED', 'node-2'],
      ['MODIFIED', 'node-1'],
      ['DELETED', 'node-2'],
    ]);
  });

  test('with a selector, an object comes and goes with its labels', async () => {
    twin.store.create('pods', pod('cart', { labels: { app: 'web' } }));
    const resourceVersion = String(twin.store.resourceVersion());
    twin.store.update('pods', 'cart', 'default', (copy) => void (copy.metadata.labels = { app: 'cart' }));
    twin.store.update('pods', 'cart', 'default', (copy) => void (copy.metadata.labels = { app: 'web' }));
    expect(await watching('/api/v1/pods', { resourceVersion, labelSelector: 'app=cart' }, 2)).toEqual([
      ['ADDED', 'cart'],
      ['DELETED', 'cart'],
    ]);
  });

  test('a version that is no longer kept is an ERROR event with 410', async () => {
    await twin.server.close();
    twin = await startStandIn({ watchHistory: 4 });
    const resourceVersion = String(twin.store.resourceVersion());
    for (let index = 0; index < 20; index += 1)
      twin.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${index}` } });
    expect(await watching('/api/v1/nodes', { resourceVersion }, 1)).toEqual([['ERROR', 410]]);
  });

  test('initial events end with a bookmark that says so', async () => {
    twin.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } });
    const query = { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' };
    expect((await watching('/api/v1/nodes', query, 2)).map(([phase]) => phase)).toEqual(['ADDED', 'BOOKMARK']);
  });
});

describe('weather', () => {
  test('while it is down, connections drop without an answer; afterwards all is as it was', async () => {
    let down = false;
    await twin.server.close();
    twin = await startStandIn({ down: () => down });
    twin.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } });
    expect((await twin.core.listNode()).items).toHaveLength(1);
    down = true;
    await expect(twin.core.listNode()).rejects.toThrow();
    down = false;
    expect((await twin.core.listNode()).items).toHaveLength(1);
  });
});
