/** The API server's stand-in, read by the real client over HTTPS: tokens, selectors, paging, access, transient. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { AuthorizationV1Api, CoreV1Api, type V1PodList, VersionApi } from '@kubernetes/client-node';
import { awsToken, configFor, nodePool, pod, rawGet, refusal, startStandIn } from './harness.ts';

type StandIn = Awaited<ReturnType<typeof startStandIn>>;
let twin: StandIn;
beforeEach(async () => {
  await twin?.server.close();
  twin = await startStandIn();
});
afterAll(async () => twin.server.close());

const pools = { group: 'karpenter.sh', version: 'v1', plural: 'nodepools' };

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

  test('the pods of a node come in order and page by page, whichever way they came to be', async () => {
    for (const [namespace, name, nodeName] of [
      ['shop', 'b', 'node-1'],
      ['shop', 'c', 'node-2'],
      ['default', 'z', 'node-1'],
      ['shop', 'a', 'node-1'],
    ] as const)
      twin.store.create('pods', pod(name, { namespace, nodeName }));
    const of = { fieldSelector: 'spec.nodeName=node-1', limit: 2 };
    const names = ({ items }: V1PodList) => items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
    const first = await twin.core.listPodForAllNamespaces(of);
    expect(names(first)).toEqual(['default/z', 'shop/a']);
    expect(names(await twin.core.listPodForAllNamespaces({ ...of, _continue: first.metadata?._continue }))).toEqual(['shop/b']);
    expect(names(await twin.core.listNamespacedPod({ ...of, namespace: 'shop' }))).toEqual(['shop/a', 'shop/b']);
    expect(names(await twin.core.listPodForAllNamespaces({ fieldSelector: 'spec.nodeName!=node-1' }))).toEqual(['shop/c']);
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
      message: '404 page not found\n',
    });
  });

  test('Karpenter is not served before its definitions or objects are there', async () => {
    expect((await refusal(twin.custom.listClusterCustomObject(pools))).code).toBe(404);
    twin.store.create('nodepools', nodePool('default'));
    expect(await twin.custom.listClusterCustomObject(pools)).toMatchObject({ kind: 'NodePoolList', items: [{ kind: 'NodePool' }] });
  });

  test('forbidden reads say who may not do what, and access reviews agree', async () => {
    await twin.server.close();
    twin = await startStandIn({ rules: () => [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }] });
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

describe('transient', () => {
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
