import { CancelledFailure } from '@temporalio/common';
import { afterEach, describe, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { createKubernetesPort } from '../../../../activities/clients/kubernetes/client.ts';
import type { KubeObject } from '../../../../activities/contract/ports.ts';
import { type FakeApiServer, type Reply, type Seen, startFakeApiServer } from '../../support/fake-api-server.ts';

let server: FakeApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(answer: (request: Seen) => Reply, timeoutMs?: number): Promise<FakeApiServer> {
  server = await startFakeApiServer(answer, timeoutMs);
  return server;
}

const named = (name: string): KubeObject => ({ metadata: { name, uid: name, resourceVersion: '1' } });
const nodes = { apiVersion: 'v1', plural: 'nodes' };
const pool = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' };
const failed = (code: number, message = 'no', details?: unknown): Reply => ({
  status: code,
  body: { kind: 'Status', code, message, details },
});

describe('lists', () => {
  test('are paged by 500 with their selectors on every page', async () => {
    const { port, seen } = await start(({ query }) =>
      query.get('continue') === null
        ? { status: 200, body: { items: [named('a')], metadata: { continue: 'more' } } }
        : { status: 200, body: { items: [named('b')], metadata: {} } },
    );
    const items = await port.list({ ...nodes, labelSelector: 'a in (b,c)' });
    expect(items?.map((item) => item.metadata.name)).toEqual(['a', 'b']);
    expect(seen.map(({ query }) => Object.fromEntries(query))).toEqual([
      { limit: '500', labelSelector: 'a in (b,c)' },
      { limit: '500', labelSelector: 'a in (b,c)', continue: 'more' },
    ]);
  });

  test('a page is taken apart once the next one is asked for: server and client work at the same time', async () => {
    const left: (string | null)[] = [];
    const port = createKubernetesPort({
      async send({ path }) {
        const at = new URL(path, 'https://server').searchParams.get('continue');
        // As long as it takes to look up a connection and its credentials.
        for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
        left.push(at);
        const more = at === null ? '{"kind":"List","apiVersion":"v1","metadata":{"continue":"more"},' : '{"metadata":{},';
        return { status: 200, text: `${more}"items":[${JSON.stringify(named(at ?? 'a'))}]}` };
      },
      serverDate: () => undefined,
      close: () => Promise.resolve(),
    });
    const seen: [string, number][] = [];
    await port.list(nodes, ({ metadata }) => void seen.push([metadata.name, left.length]));
    expect(seen).toEqual([
      ['a', 2],
      ['more', 2],
    ]);
  });

  test('a page is asked for as soon as the one before has begun to come', async () => {
    const head = '{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"more"},"items":[';
    const { promise: isAskedFor, resolve } = Promise.withResolvers<string>();
    const { port } = await start(({ query }) => {
      if (query.get('continue') === null) return { status: 200, body: head, rest: isAskedFor };
      resolve(`${JSON.stringify(named('a'))}]}`);
      return { status: 200, body: { items: [named('b')] } };
    });
    expect((await port.list(nodes))?.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  });

  test('a page that breaks off and is repeated may be another one: what was asked for after the first is not taken', async () => {
    const asked: (string | null)[] = [];
    const page = (token: string, items: object[]): string =>
      JSON.stringify({ kind: 'NodeList', apiVersion: 'v1', metadata: { continue: token }, items });
    const port = createKubernetesPort({
      async send({ path, onStart }) {
        const from = new URL(path, 'https://server').searchParams.get('continue');
        asked.push(from);
        if (from === 'before') return { status: 200, text: page('', [named('gone')]) };
        if (from === 'after') return { status: 200, text: page('', [named('b')]) };
        onStart?.(page('before', []));
        return { status: 200, text: page('after', [named('a')]) };
      },
      serverDate: () => undefined,
      close: () => Promise.resolve(),
    });
    expect((await port.list(nodes))?.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(asked).toEqual([null, 'before', 'after']);
  });

  test('K4: start again when they expire half-way, without counting anything twice', async () => {
    let pages = 0;
    const { port } = await start(({ query }) => {
      if (query.get('continue') === null) return { status: 200, body: { items: [named('a')], metadata: { continue: 'more' } } };
      pages += 1;
      return pages === 1 ? failed(410, 'expired') : { status: 200, body: { items: [named('b')] } };
    });
    expect((await port.list(nodes))?.map((item) => item.metadata.name)).toEqual(['a', 'b']);
  });

  test('F54: say so to whoever keeps their objects elsewhere, before the first of them comes again', async () => {
    let pages = 0;
    const { port } = await start(({ query }) => {
      if (query.get('continue') === null) return { status: 200, body: { items: [named('a')], metadata: { continue: 'more' } } };
      pages += 1;
      return pages === 1 ? failed(410, 'expired') : { status: 200, body: { items: [named('b')] } };
    });
    const told: string[] = [];
    await port.list({ ...nodes, onRestart: () => told.push('again') }, ({ metadata }) => void told.push(metadata.name));
    expect(told).toEqual(['a', 'again', 'a', 'b']);
  });

  test('K4: that expire each time before their end are given up, and are not half a list', async () => {
    const { port, seen } = await start(({ query }) =>
      query.get('continue') === null
        ? { status: 200, body: { items: [named('a')], metadata: { continue: 'more' } } }
        : failed(410, 'expired'),
    );
    await expect(port.list(nodes)).rejects.toMatchObject({
      type: 'Unavailable',
      message: 'listing nodes: the list expired 4 times before its end',
    });
    expect(seen).toHaveLength(8);
  });

  test('keep of each object what the caller needs, page by page', async () => {
    const { port } = await start(() => ({ status: 200, body: { items: [named('a'), named('b')] } }));
    const kept = await port.list<KubeObject>(nodes, ({ metadata }) => (metadata.name === 'a' ? undefined : { metadata }));
    expect(kept?.map((item) => item.metadata.name)).toEqual(['b']);
  });

  test('K7: of a type that the server does not have are undefined, not empty', async () => {
    const { port } = await start(() => ({ status: 404, body: '404 page not found' }));
    expect(await port.list({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools' })).toBeUndefined();
  });
});

describe('credentials', () => {
  test('K2: a token that is not accepted any more is made anew once', async () => {
    const { port, seen, tokens } = await start(({ token }) =>
      token === 'token-1' ? failed(401, 'Unauthorized') : { status: 200, body: { items: [] } },
    );
    expect(await port.list(nodes)).toEqual([]);
    expect(seen.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
    await port.list(nodes);
    expect(tokens.minted).toBe(2);
  });

  test('K2: twice refused is AccessDenied', async () => {
    const { port, seen } = await start(() => failed(401, 'Unauthorized'));
    await expect(port.list(nodes)).rejects.toMatchObject({ type: 'AccessDenied', nonRetryable: true });
    expect(seen).toHaveLength(2);
  });

  test('K2: refused right after it was accepted is the transient of a server that restarts', async () => {
    let up = true;
    const { port } = await start(() => (up ? { status: 200, body: { items: [] } } : failed(401, 'Unauthorized')));
    await port.list(nodes);
    up = false;
    await expect(port.list(nodes)).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
  });

  test('forbidden right after it was allowed is transient as well; what was never allowed is not', async () => {
    let restarting = false;
    const { port } = await start(({ path }) =>
      path.endsWith('/pods') || restarting ? failed(403, 'nodes is forbidden') : { status: 200, body: { items: [] } },
    );
    await port.list(nodes);
    restarting = true;
    await expect(port.list(nodes)).rejects.toMatchObject({
      type: 'Unavailable',
      message: 'listing nodes: Kubernetes answers 403 although it allowed this a moment ago',
    });
    await expect(port.list({ apiVersion: 'v1', plural: 'pods' })).rejects.toMatchObject({ type: 'AccessDenied' });
  });

  test.each([
    ['delete', 'pods', '', 'apply deploy/kubernetes-rbac-delete-pods.yaml'],
    ['patch', 'namespaces', '', 'apply deploy/kubernetes-rbac-istio.yaml'],
    [
      'patch',
      'ec2nodeclasses',
      'karpenter.k8s.aws',
      'apply deploy/kubernetes-rbac-node-classes.yaml or deploy/kubernetes-rbac-karpenter-migration.yaml',
    ],
    ['patch', 'nodes', '', 'grant it by RBAC (see deploy/)'],
  ])('RS6: 403 to %s %s names the role that grants it', async (verb, resource, group, advice) => {
    const said = `${resource} "x" is forbidden: User "belay" cannot ${verb} resource "${resource}" in API group "${group}" at the cluster scope`;
    const { port } = await start(() => failed(403, said));
    await expect(port.patch({ apiVersion: 'v1', plural: resource, name: 'x' }, { type: 'merge', body: {} })).rejects.toMatchObject({
      type: 'AccessDenied',
      message: expect.stringMatching(new RegExp(`\\); ${advice.replaceAll(/[().]/g, '\\$&')}$`)),
    });
  });

  test('RS6: a policy’s refusal is no missing role', async () => {
    const said =
      "namespaces \"shop\" is forbidden: ValidatingAdmissionPolicy 'belay-nothing-else' with binding 'belay-nothing-else' denied request: Belay never does this";
    const { port } = await start(() => failed(403, said));
    await expect(port.patch({ apiVersion: 'v1', plural: 'namespaces', name: 'shop' }, { type: 'merge', body: {} })).rejects.toMatchObject({
      type: 'AccessDenied',
      message: expect.stringContaining('apply deploy/kubernetes-admission.yaml, or what belay permissions prints'),
    });
  });

  test('403 says what is missing', async () => {
    const { port } = await start(() => failed(403, 'nodes is forbidden: User "belay" cannot list resource "nodes"'));
    await expect(port.list(nodes)).rejects.toMatchObject({
      type: 'AccessDenied',
      message:
        'listing nodes: Kubernetes answered 403 (nodes is forbidden: User "belay" cannot list resource "nodes"); grant it by RBAC (see deploy/)',
    });
  });
});

describe('transient', () => {
  test('K3: 429 waits as long as the server says', async () => {
    const { port } = await start(() => ({ status: 429, headers: { 'Retry-After': '3' }, body: {} }));
    await expect(port.list(nodes)).rejects.toMatchObject({ type: 'Throttled', nextRetryDelay: 3000 });
  });

  test('K6: a server that never answers is given up after the time-out', async () => {
    const { port } = await start(() => 'hang', 80);
    await expect(port.get({ ...pool })).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
  });

  test('K1: a dropped connection is repeated once for a read, never for a change', async () => {
    let drops = 1;
    const { port, seen } = await start(({ method }) => {
      if (method === 'PATCH') return 'drop';
      drops -= 1;
      return drops >= 0 ? 'drop' : { status: 200, body: { items: [] } };
    });
    expect(await port.list(nodes)).toEqual([]);
    await expect(port.patch(pool, { type: 'merge', body: {} })).rejects.toMatchObject({ nonRetryable: false });
    expect(seen.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });

  test('a cancelled activity ends at once and says so', async () => {
    const { port } = await start(() => 'hang');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    await expect(runWithin({ signal: controller.signal }, () => port.list(nodes))).rejects.toBeInstanceOf(CancelledFailure);
  });
});

describe('changes', () => {
  test('each kind of patch has its content type and our name as field manager', async () => {
    const { port, seen } = await start(() => ({ status: 200, body: named('default') }));
    await port.patch(pool, { type: 'json', body: [{ op: 'add', path: '/x', value: 1 }] });
    await port.patch(pool, { type: 'merge', body: { a: null } });
    await port.patch(pool, { type: 'strategic', body: {} });
    expect(seen.map(({ contentType, path, query }) => [contentType, path, query.get('fieldManager')])).toEqual([
      ['application/json-patch+json', '/apis/karpenter.sh/v1/nodepools/default', 'belay'],
      ['application/merge-patch+json', '/apis/karpenter.sh/v1/nodepools/default', 'belay'],
      ['application/strategic-merge-patch+json', '/apis/karpenter.sh/v1/nodepools/default', 'belay'],
    ]);
  });

  test('K9: a failed test on resourceVersion is a Conflict, an invalid field is not', async () => {
    let details: unknown;
    const { port } = await start(() => failed(422, 'the server rejected our request due to an error in our request', details));
    const patch = { type: 'json' as const, body: [{ op: 'test' as const, path: '/metadata/resourceVersion', value: '1' }] };
    await expect(port.patch(pool, patch)).rejects.toMatchObject({ type: 'Conflict', nonRetryable: false });
    details = { causes: [{ field: 'spec.disruption.budgets' }] };
    await expect(port.patch(pool, patch)).rejects.toMatchObject({ type: 'InvalidRequest', nonRetryable: true });
  });

  test('deleting what is gone, or what was replaced under its name, is fine', async () => {
    let status = 404;
    const { port, seen } = await start(() => failed(status));
    const pod = { apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'cart-0' };
    await port.delete(pod);
    status = 409;
    await port.delete(pod, { uid: 'u1' });
    expect(seen.map(({ path, body }) => [path, body])).toEqual([
      ['/api/v1/namespaces/shop/pods/cart-0', ''],
      ['/api/v1/namespaces/shop/pods/cart-0', '{"preconditions":{"uid":"u1"}}'],
    ]);
  });
});

describe('the server itself', () => {
  test('/version is asked on a new connection each time, other reads keep theirs', async () => {
    const { port, seen } = await start(({ path }) =>
      path === '/version'
        ? {
            status: 200,
            body: { major: '1', minor: '33+', gitVersion: 'v1.33.2-eks-1' },
            headers: { Date: 'Tue, 08 Sep 2026 09:00:00 GMT' },
          }
        : { status: 200, body: { items: [] } },
    );
    expect(await port.version()).toEqual({ minor: '1.33', gitVersion: 'v1.33.2-eks-1', serverDate: '2026-09-08T09:00:00.000Z' });
    await port.version();
    for (let i = 0; i < 20; i += 1) await port.list(nodes);
    const ports = seen.map((one) => one.port);
    expect(new Set(ports.slice(0, 3)).size).toBe(3);
    // A read may overtake the release of the connection before it, so there may be two of them.
    expect(new Set(ports.slice(2)).size).toBeLessThanOrEqual(3);
  });

  test('/readyz names what fails', async () => {
    const { port } = await start(() => ({ status: 500, body: '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed' }));
    expect(await port.readyz()).toEqual({ ok: false, message: '[-]etcd failed: reason withheld' });
  });
});

test.each([
  ['nothing', ''],
  ['a status and no more', 'HTTP/1.0 200 OK\r\nContent-Type: text/plain'],
  ['something that is no HTTP', 'hello\r\n\r\nworld'],
])('a pod that ends the connection after %s has not answered', async (_what, text) => {
  const transport = { send: () => Promise.resolve({ status: 200, text }), serverDate: () => undefined, close: () => Promise.resolve() };
  const port = createKubernetesPort(transport);
  await expect(port.getInPod({ namespace: 'istio-system', name: 'istiod-0', port: 15014 }, '/debug/syncz')).rejects.toMatchObject({
    type: 'Unavailable',
    message: 'reading /debug/syncz of pods/istio-system/istiod-0: the connection ended before its answer',
  });
});

describe('RD10: 403', () => {
  const from = { namespace: 'istio-system', name: 'istiod-0', port: 15014 };
  const scraping = async (reply: Reply) => (await start(() => reply)).port.scrape(from, () => () => undefined);

  test('of Kubernetes itself is missing RBAC', async () => {
    const status = { kind: 'Status', reason: 'Forbidden', message: 'pods "istiod-0" is forbidden: cannot get resource "pods/proxy"' };
    await expect(scraping({ status: 403, body: status })).rejects.toMatchObject({
      type: 'AccessDenied',
      message: expect.stringContaining('grant it by RBAC'),
    });
  });

  test.each([
    ['of a pod', { status: 403, body: 'RBAC: access denied' } as const],
    ['of a pod that answers JSON', { status: 403, body: { error: 'not from here' } } as const],
  ])('%s is none', async (_what, reply) => {
    await expect(scraping(reply)).rejects.toMatchObject({
      type: 'Unavailable',
      message: expect.stringMatching(/the pod itself answered 403 \(.+\), not Kubernetes: this is no missing RBAC/),
    });
  });

  test('of something in between is none', async () => {
    const { port } = await start(() => ({ status: 403, body: '<html>Blocked by policy</html>' }));
    await expect(port.list(nodes)).rejects.toMatchObject({
      type: 'Unavailable',
      message: expect.stringContaining('something on the way to the API server answered 403'),
    });
  });
});
