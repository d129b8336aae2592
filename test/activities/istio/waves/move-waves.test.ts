/** A wave moves, is verified by what runs, and moves back exactly; by label and by tag. */
import { describe, expect, test } from 'vitest';
import type { UninjectedFact } from '../../../../domain/facts/facts.ts';
import type { OnDeleteSet } from '../../../../activities/contract/istio-objects.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addMeshPod, addRevision, addTag, addWorkload, meshWorld, MUTATING, NAMESPACE, VALIDATOR } from '../../../support/istio-objects.ts';
import { condition, podObject } from '../../../support/kubernetes-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';

const cluster = CLUSTER;
const AT = '2026-09-08T09:00:00.000Z';
const LATER = '2026-09-08T10:00:00.000Z';
const TEMPLATE = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'cart', name: 'web' };

const restartedAt = (port: FakeKubernetes, ref = TEMPLATE): unknown =>
  (port.look(ref).spec as { template: { metadata?: { annotations?: Record<string, string> } } }).template.metadata?.annotations?.[
    'kubectl.kubernetes.io/restartedAt'
  ];

describe('by label', () => {
  const move = (port: FakeKubernetes, at = AT, revision = '1-28') =>
    createIstioActivities(depsOf(port)).moveNamespaces({ cluster, namespaces: ['cart', 'mail'], revision, restartedAt: at });

  test.each([
    ['istio.io/rev', { 'istio.io/rev': '1-26', team: 'a' }],
    ['istio-injection, which would win over istio.io/rev', { 'istio-injection': 'enabled', team: 'a' }],
    ['both', { 'istio-injection': 'enabled', 'istio.io/rev': '1-26', team: 'a' }],
    ['none', { team: 'a' }],
  ])('a namespace with %s moves, and comes back exactly', async (_title, labels) => {
    const port = meshWorld();
    port.edit(NAMESPACE('cart'), ({ metadata }) => void (metadata.labels = labels));
    const istio = createIstioActivities(depsOf(port));
    const { before } = await istio.readWave({ cluster, namespaces: ['cart', 'mail'] });

    expect(await move(port)).toEqual({ restarted: 2, skipped: [] });
    expect(port.look(NAMESPACE('cart')).metadata.labels).toEqual({ 'istio.io/rev': '1-28', team: 'a' });
    expect(port.look(NAMESPACE('cart')).metadata.annotations?.['belay.dev/istio-before']).toContain('"to":"1-28"');
    expect(restartedAt(port)).toBe(AT);

    expect(await istio.moveBack({ cluster, before, restartedAt: LATER })).toEqual({ restarted: 2 });
    expect(port.look(NAMESPACE('cart')).metadata.labels).toEqual(labels);
    expect(port.look(NAMESPACE('cart')).metadata.annotations).toBeUndefined();
    expect(restartedAt(port)).toBe(LATER);
  });

  test('labels alone go back as they were where nothing is to be restarted', async () => {
    const port = meshWorld();
    await move(port);
    const before = [{ namespace: 'cart', injection: 'enabled', rev: null }];
    expect(await createIstioActivities(depsOf(port)).moveBack({ cluster, before })).toEqual({ restarted: 0 });
    expect(port.look(NAMESPACE('cart')).metadata.labels).toEqual({ 'istio-injection': 'enabled', team: 'a' });
    expect(port.look(NAMESPACE('cart')).metadata.annotations).toBeUndefined();
    expect(restartedAt(port)).toBe(AT);
  });

  test('moved twice: nothing is labelled or restarted a second time', async () => {
    const port = meshWorld();
    await move(port);
    const patches = port.patches.length;
    expect(await move(port)).toEqual({ restarted: 2, skipped: [] });
    expect(port.patches).toHaveLength(patches);
  });

  test.each([1, 2, 3, 4])('cut off after patch %d: the retry does the rest, each thing once', async (count) => {
    const port = meshWorld();
    let left = count;
    port.afterPatch = () => {
      left -= 1;
      if (left === 0) throw failureOf('Unavailable', 'the connection was reset');
    };
    await expect(move(port)).rejects.toThrow('the connection was reset');
    port.afterPatch = undefined;
    expect(await move(port)).toEqual({ restarted: 2, skipped: [] });
    expect(port.patches).toHaveLength(4);
  });

  test('moved back twice: nothing is done a second time', async () => {
    const port = meshWorld();
    const istio = createIstioActivities(depsOf(port));
    const { before } = await istio.readWave({ cluster, namespaces: ['cart'] });
    await move(port);
    await istio.moveBack({ cluster, before, restartedAt: LATER });
    const patches = port.patches.length;
    expect(await istio.moveBack({ cluster, before, restartedAt: LATER })).toEqual({ restarted: 1 });
    expect(port.patches).toHaveLength(patches);
  });

  test('somebody labels the namespace in between: their label stays, ours comes too', async () => {
    const port = meshWorld();
    let once = true;
    port.beforePatch = ({ plural }) => {
      if (plural === 'namespaces' && once)
        port.edit(NAMESPACE('cart'), ({ metadata }) => void (metadata.labels = { ...metadata.labels, cost: 'x' }));
      once = false;
    };
    await move(port);
    expect(port.look(NAMESPACE('cart')).metadata.labels).toEqual({ 'istio.io/rev': '1-28', team: 'a', cost: 'x' });
  });

  test('a later canary remembers where it came from, not where the first one did', async () => {
    const port = meshWorld();
    await move(port);
    await move(port, LATER, '1-30');
    const before: unknown = JSON.parse(port.look(NAMESPACE('cart')).metadata.annotations?.['belay.dev/istio-before'] ?? '');
    expect(before).toEqual({ injection: null, rev: '1-28', to: '1-30' });
  });

  test('before-images go when there is no way back any more', async () => {
    const port = meshWorld();
    const istio = createIstioActivities(depsOf(port));
    await move(port);
    await istio.forgetWaves({ cluster, namespaces: ['cart', 'mail', 'gone'] });
    await istio.forgetWaves({ cluster, namespaces: ['cart', 'mail', 'gone'] });
    for (const name of ['cart', 'mail']) expect(port.look(NAMESPACE(name)).metadata.annotations).toBeUndefined();
    expect(port.look(NAMESPACE('cart')).metadata.labels?.['istio.io/rev']).toBe('1-28');
  });

  test('what a restart does not reach is named with why', async () => {
    const port = meshWorld();
    const template = (change: object): Record<string, unknown> => ({ template: change });
    addWorkload(port, 'cart', 'paused', { paused: true });
    addWorkload(port, 'cart', 'ondelete', { updateStrategy: { type: 'OnDelete' } }, 'StatefulSet');
    addWorkload(port, 'cart', 'agent', { updateStrategy: { type: 'OnDelete' } }, 'DaemonSet');
    addWorkload(port, 'cart', 'parted', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }, 'StatefulSet');
    addWorkload(port, 'cart', 'plain', template({ metadata: { labels: { 'sidecar.istio.io/inject': 'false' } } }));
    addWorkload(port, 'cart', 'host', template({ spec: { hostNetwork: true } }), 'DaemonSet');
    port.put('v1', 'pods', podObject('cart', 'naked', { proxy: '1.26.2' }));
    port.put('v1', 'pods', podObject('cart', 'backup-1', { proxy: '1.26.2', owner: { kind: 'Job', name: 'backup' } }));
    port.put('v1', 'pods', podObject('cart', 'lone-x1', { proxy: '1.26.2', owner: { kind: 'ReplicaSet', name: 'lone' } }));
    addWorkload(port, 'cart', 'pinned', template({ metadata: { labels: { 'istio.io/rev': '1-26' } } }));
    const { restarted, skipped, byHand, notes } = await move(port);
    expect(restarted).toBe(3);
    const uid = port.look({ apiVersion: 'v1', plural: 'pods', namespace: 'cart', name: 'naked' }).metadata.uid;
    expect(byHand).toEqual({
      sets: [
        { kind: 'StatefulSet', namespace: 'cart', name: 'ondelete' },
        { kind: 'DaemonSet', namespace: 'cart', name: 'agent' },
      ],
      pods: [{ namespace: 'cart', name: 'naked', uid }],
    });
    expect(notes).toEqual(['Deployment cart/pinned: its template has istio.io/rev=1-26, whatever its namespace says']);
    expect(skipped).toEqual([
      { workload: 'Deployment cart/paused', why: 'its rollout is paused: resume it' },
      { workload: 'StatefulSet cart/ondelete', why: 'update strategy OnDelete: delete its pods to move them' },
      { workload: 'StatefulSet cart/parted', why: 'partition 2: pods below it are not rolled' },
      { workload: 'DaemonSet cart/agent', why: 'update strategy OnDelete: delete its pods to move them' },
      { workload: 'Pod cart/naked', why: 'it has no controller: delete it to move it' },
      { workload: 'Job cart/backup', why: 'runs to its end with its present proxy, the next run gets the new one' },
      { workload: 'ReplicaSet cart/lone', why: 'it belongs to no Deployment: delete its pods to move them' },
    ]);
    for (const [plural, name] of [
      ['deployments', 'plain'],
      ['deployments', 'paused'],
      ['daemonsets', 'host'],
    ] as const) {
      expect(restartedAt(port, { ...TEMPLATE, plural, name })).toBeUndefined();
    }
  });

  test('CronJobs are named: their next run gets the new proxy; those that opt out are none', async () => {
    const port = meshWorld();
    const job = (name: string, change: object) =>
      port.put('batch/v1', 'cronjobs', {
        metadata: { name, namespace: 'cart' },
        spec: { jobTemplate: { spec: { template: {} } }, ...change },
      });
    job('report', {});
    job('rest', { suspend: true });
    job('out', { jobTemplate: { spec: { template: { metadata: { labels: { 'sidecar.istio.io/inject': 'false' } } } } } });
    expect((await move(port)).skipped).toEqual([
      { workload: 'CronJob cart/report', why: 'at its next run, it gets the new proxy' },
      { workload: 'CronJob cart/rest', why: 'suspended: the next run, whenever it is, it gets the new proxy' },
    ]);
  });

  test('an Argo Rollout is restarted by its spec.restartAt, once; one that opts out is not', async () => {
    const port = meshWorld();
    const ROLLOUT = { apiVersion: 'argoproj.io/v1alpha1', plural: 'rollouts', namespace: 'cart', name: 'front' };
    const OUT = { ...ROLLOUT, name: 'out' };
    port.put(ROLLOUT.apiVersion, ROLLOUT.plural, { metadata: { name: 'front', namespace: 'cart' }, spec: { replicas: 2 } });
    port.put(ROLLOUT.apiVersion, ROLLOUT.plural, {
      metadata: { name: 'out', namespace: 'cart' },
      spec: { template: { metadata: { labels: { 'sidecar.istio.io/inject': 'false' } } } },
    });
    expect(await move(port)).toEqual({ restarted: 3, skipped: [] });
    const patches = port.patches.length;
    expect(await move(port)).toEqual({ restarted: 3, skipped: [] });
    expect(port.patches).toHaveLength(patches);
    expect(port.look(ROLLOUT).spec).toEqual({ replicas: 2, restartAt: AT });
    expect(port.look(OUT).spec).not.toHaveProperty('restartAt');
  });

  test('a namespace that is gone is named, the others move', async () => {
    const port = meshWorld();
    port.remove(NAMESPACE('cart'));
    expect(await move(port)).toEqual({ restarted: 1, skipped: [{ workload: 'Namespace cart', why: 'it is gone' }] });
  });
});

describe('by tag', () => {
  const move = (port: FakeKubernetes, tag = 'prod') =>
    createIstioActivities(depsOf(port)).moveTag({ cluster, tag, revision: '1-28', namespaces: ['cart'], restartedAt: AT });
  const SERVICE = { apiVersion: 'v1', plural: 'services', namespace: 'istio-system', name: 'istiod-revision-tag-prod' };

  test('webhook, CA bundle and Service point at the new revision, and back exactly', async () => {
    const port = meshWorld();
    port.put('v1', 'services', {
      metadata: { name: SERVICE.name, namespace: 'istio-system', labels: { 'istio.io/tag': 'prod', 'istio.io/rev': '1-26' } },
      spec: { selector: { app: 'istiod', 'istio.io/rev': '1-26' }, ports: [{ port: 443 }] },
    });
    const istio = createIstioActivities(depsOf(port));
    const { before } = await istio.readWave({ cluster, namespaces: ['cart'] });
    const tagBefore = port.look(MUTATING('istio-revision-tag-prod'));
    const serviceBefore = port.look(SERVICE);

    expect(await move(port)).toEqual({ restarted: 1, skipped: [] });
    const moved = port.look(MUTATING('istio-revision-tag-prod')) as unknown as { metadata: object; webhooks: object[] };
    expect(moved.metadata).toMatchObject({ labels: { 'istio.io/rev': '1-28', 'istio.io/tag': 'prod' } });
    expect(moved.webhooks).toHaveLength(2);
    for (const webhook of moved.webhooks) {
      expect(webhook).toMatchObject({
        clientConfig: { service: { name: 'istiod-1-28', path: '/inject' }, caBundle: 'ca-1-28' },
        namespaceSelector: { matchExpressions: [{ key: 'istio.io/rev', operator: 'In', values: ['prod'] }] },
      });
    }
    expect(port.look(SERVICE)).toMatchObject({
      metadata: { labels: { 'istio.io/rev': '1-28' } },
      spec: { selector: { 'istio.io/rev': '1-28' } },
    });
    expect(restartedAt(port)).toBe(AT);
    // The namespace's own labels are not touched.
    expect(port.look(NAMESPACE('cart')).metadata.labels).toEqual({ 'istio.io/rev': '1-26', team: 'a' });
    const patches = port.patches.length;
    await move(port);
    expect(port.patches).toHaveLength(patches);

    await istio.moveBack({ cluster, before, tags: [{ tag: 'prod', revision: '1-26' }], restartedAt: LATER });
    const without = ({ metadata, ...rest }: { metadata: object }) => ({
      ...rest,
      metadata: { ...metadata, resourceVersion: '', generation: 0 },
    });
    expect(without(port.look(MUTATING('istio-revision-tag-prod')))).toEqual(without(tagBefore));
    expect(without(port.look(SERVICE))).toEqual(without(serviceBefore));
  });

  test('a tag of an istiod without a revision: its Service selects the new istiod, and nothing that only the old one has', async () => {
    const port = meshWorld();
    port.put('v1', 'services', {
      metadata: { name: SERVICE.name, namespace: 'istio-system', labels: { 'istio.io/tag': 'prod', 'istio.io/rev': 'default' } },
      spec: { selector: { app: 'istiod', istio: 'pilot' }, ports: [{ port: 443 }] },
    });
    await move(port);
    expect(port.look(SERVICE)).toMatchObject({ spec: { selector: { app: 'istiod', 'istio.io/rev': '1-28' } } });
    expect(port.look(SERVICE)).not.toMatchObject({ spec: { selector: { istio: 'pilot' } } });
  });

  test('several tags go back in one call', async () => {
    const port = meshWorld();
    addTag(port, 'edge', '1-26');
    const istio = createIstioActivities(depsOf(port));
    for (const tag of ['prod', 'edge']) await istio.moveTag({ cluster, tag, revision: '1-28', namespaces: [], restartedAt: AT });
    const tags = ['prod', 'edge'].map((tag) => ({ tag, revision: '1-26' }));
    await istio.moveBack({ cluster, before: [], tags, restartedAt: LATER });
    for (const tag of ['prod', 'edge']) {
      const { labels, annotations } = port.look(MUTATING(`istio-revision-tag-${tag}`)).metadata;
      expect([labels?.['istio.io/rev'], annotations]).toEqual(['1-26', undefined]);
    }
  });

  test('tag default takes the validator along', async () => {
    const port = meshWorld();
    addTag(port, 'default', '1-26');
    await move(port, 'default');
    expect(port.look(VALIDATOR)).toMatchObject({
      metadata: { labels: { 'istio.io/rev': '1-28' } },
      webhooks: [{ clientConfig: { service: { name: 'istiod-1-28', path: '/validate' }, caBundle: 'ca-1-28' } }],
    });
  });

  test('tag default moves where there is no default validator', async () => {
    const port = meshWorld();
    addTag(port, 'default', '1-26');
    port.remove(VALIDATOR);
    expect(await move(port, 'default')).toEqual({ restarted: 1, skipped: [] });
    expect(port.look(MUTATING('istio-revision-tag-default')).metadata.labels?.['istio.io/rev']).toBe('1-28');
  });

  test('the before-image on the tag goes with those of the waves', async () => {
    const port = meshWorld();
    await move(port);
    expect(port.look(MUTATING('istio-revision-tag-prod')).metadata.annotations).toEqual({
      'belay.dev/istio-before': '{"rev":"1-26","to":"1-28"}',
    });
    await createIstioActivities(depsOf(port)).forgetWaves({ cluster, namespaces: [] });
    expect(port.look(MUTATING('istio-revision-tag-prod')).metadata.annotations).toBeUndefined();
  });

  test.each([
    [
      'an unknown tag',
      (_port: FakeKubernetes) => undefined,
      'staging',
      'moving tag staging: no MutatingWebhookConfiguration has label istio.io/tag=staging',
    ],
    [
      'a revision that is not installed',
      (port: FakeKubernetes) => port.remove(MUTATING('istio-sidecar-injector-1-28')),
      'prod',
      'moving tag prod: revision 1-28 has no injection webhook; install it first',
    ],
    [
      'a webhook without a CA bundle: pods could not be created',
      (port: FakeKubernetes) =>
        port.edit(
          MUTATING('istio-sidecar-injector-1-28'),
          (object) =>
            void (object['webhooks'] = [{ name: 'x', clientConfig: { service: { name: 'istiod-1-28', namespace: 'istio-system' } } }]),
        ),
      'prod',
      'moving tag prod: webhook istio-sidecar-injector-1-28 has no CA bundle yet; wait until istiod of 1-28 is available',
    ],
  ])('refused: %s', async (_title, change, tag, message) => {
    const port = meshWorld();
    change(port);
    await expect(move(port, tag)).rejects.toThrow(message);
    expect(port.patches).toHaveLength(0);
  });
});

describe('verifying', () => {
  const verify = (port: FakeKubernetes, rolled: OnDeleteSet[] = [], uninjected: UninjectedFact[] = []) =>
    createIstioActivities(depsOf(port)).awaitProxies({
      cluster,
      timing: quickTiming({ rolloutTimeoutMs: 15 }),
      namespaces: ['cart'],
      revision: '1-28',
      minor: '1.28',
      rolled,
      uninjected,
    });

  test.each([
    ['sidecars', {}],
    ['native sidecars among the init containers', { native: true }],
    ['the revision only in the status annotation', { annotations: { 'sidecar.istio.io/status': '{"revision":"1-28"}' } }],
  ])('passes with %s', async (_title, change) => {
    const port = meshWorld();
    addMeshPod(port, 'cart', 'web', '1-28', '1.28.3-distroless', change);
    expect(await verify(port)).toEqual({ ok: true, podCount: 1, wrong: [], timedOut: false });
  });

  test('waits until the rollout brings the right pods', async () => {
    const port = meshWorld();
    setTimeout(() => addMeshPod(port, 'cart', 'web', '1-28', '1.28.3'), 5);
    const istio = createIstioActivities(depsOf(port));
    const seen = await istio.awaitProxies({
      cluster,
      timing: quickTiming({ rolloutTimeoutMs: 5_000 }),
      namespaces: ['cart'],
      revision: '1-28',
      minor: '1.28',
    });
    expect(seen).toMatchObject({ ok: true, podCount: 1 });
  });

  test.each([
    ['an old proxy', { revision: '1-26', version: '1.26.2' }, {}, 'cart/web-7c9d-x: injected by revision 1-26'],
    [
      'a label that lies',
      { revision: '1-26', version: '1.28.3' },
      { labels: { app: 'web', 'istio.io/rev': '1-28' } },
      'cart/web-7c9d-x: injected by revision 1-26',
    ],
    ['an old image under the new annotation', { revision: '1-28', version: '1.26.2' }, {}, 'cart/web-7c9d-x: the proxy is 1.26.2'],
    [
      'an image that its template pins',
      { revision: '1-28', version: '1.26.2' },
      { annotations: { 'istio.io/rev': '1-28', 'sidecar.istio.io/proxyImage': 'docker.io/istio/proxyv2:1.26.2' } },
      'cart/web-7c9d-x: the proxy is 1.26.2, by annotation sidecar.istio.io/proxyImage in its template',
    ],
    [
      'an old proxy whose label overrides its annotation',
      { revision: '1-26', version: '1.26.2' },
      { labels: { 'sidecar.istio.io/inject': 'true' }, annotations: { 'istio.io/rev': '1-26', 'sidecar.istio.io/inject': 'false' } },
      'cart/web-7c9d-x: injected by revision 1-26',
    ],
    [
      'an image without a version: unknown is no pass',
      { revision: '1-28', version: 'latest' },
      {},
      'cart/web-7c9d-x: the proxy image has no version in its tag',
    ],
    [
      'no sidecar at all, which nothing reports',
      { revision: '1-28', version: '1.28.3' },
      { proxy: undefined, annotations: {} },
      'cart/web-7c9d-x: no sidecar was injected (where none is wanted, set label sidecar.istio.io/inject=false in its template)',
    ],
  ])('fails with %s', async (_title, { revision, version }, change, message) => {
    const port = meshWorld();
    addMeshPod(port, 'cart', 'web', revision, version, change);
    expect(await verify(port)).toEqual({ ok: false, podCount: 0, wrong: [message], timedOut: true });
  });

  test.each([
    ['not seen', { observedGeneration: 0 }, 'Deployment cart/web: the change is not seen yet'],
    ['half way', { updatedReplicas: 0 }, 'Deployment cart/web: 0 of 1 pods are new'],
    ['not available', { availableReplicas: 0 }, 'Deployment cart/web: 0 of 1 pods are available'],
    ['with old pods still there', { replicas: 2 }, 'Deployment cart/web: 1 old pods are still there'],
    [
      'stuck',
      { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] },
      'Deployment cart/web: the rollout is stuck (ProgressDeadlineExceeded)',
    ],
  ])('fails while the rollout is %s', async (_title, status, message) => {
    const port = meshWorld();
    addMeshPod(port, 'cart', 'web', '1-28', '1.28.3');
    port.edit(TEMPLATE, (object) => void (object.status = { ...(object.status as object), ...status }));
    expect(await verify(port)).toMatchObject({ ok: false, wrong: [message] });
  });

  describe('a workload that istiod leaves without a proxy, as the plan says', () => {
    const uninjected = [{ kind: 'Deployment' as const, namespace: 'cart', name: 'batch' }];
    const world = (change: object): FakeKubernetes => {
      const port = meshWorld();
      addMeshPod(port, 'cart', 'web', '1-28', '1.28.3');
      addWorkload(port, 'cart', 'batch');
      addMeshPod(port, 'cart', 'batch', '1-26', '1.26.2', change);
      return port;
    };
    const BATCH = { ...TEMPLATE, name: 'batch' };

    test('is not restarted, by label, by tag or on the way back', async () => {
      const port = world({ proxy: undefined, annotations: {} });
      const istio = createIstioActivities(depsOf(port));
      const to = { cluster, namespaces: ['cart'], revision: '1-28', restartedAt: AT, uninjected };
      const { before } = await istio.readWave(to);
      expect(await istio.moveNamespaces(to)).toEqual({ restarted: 1, skipped: [] });
      expect(await istio.moveTag({ ...to, tag: 'prod' })).toMatchObject({ restarted: 1 });
      expect(await istio.moveBack({ cluster, before, restartedAt: LATER, uninjected })).toEqual({ restarted: 1 });
      expect([restartedAt(port), restartedAt(port, BATCH)]).toEqual([LATER, undefined]);
    });

    test('does not hold up its wave', async () => {
      const port = world({ proxy: undefined, annotations: {} });
      expect(await verify(port, [], uninjected)).toEqual({ ok: true, podCount: 1, wrong: [], timedOut: false });
      expect(await verify(port)).toMatchObject({
        ok: false,
        wrong: [expect.stringMatching(/^cart\/batch-7c9d-x: no sidecar was injected/)],
      });
    });

    test('counts once it has one all the same', async () => {
      expect(await verify(world({}), [], uninjected)).toMatchObject({ ok: false, wrong: ['cart/batch-7c9d-x: injected by revision 1-26'] });
    });
  });

  test('pods of an OnDelete set count once they were deleted to move, whatever its rollout says', async () => {
    const port = meshWorld();
    addMeshPod(port, 'cart', 'web', '1-28', '1.28.3');
    addWorkload(port, 'cart', 'db', { updateStrategy: { type: 'OnDelete' } }, 'StatefulSet');
    const set = { kind: 'StatefulSet' as const, namespace: 'cart', name: 'db' };
    port.edit(
      { apiVersion: 'apps/v1', plural: 'statefulsets', namespace: 'cart', name: 'db' },
      (object) => void (object.status = { ...(object.status as object), updatedReplicas: 0 }),
    );
    const pod = (revision: string, proxy: string) =>
      port.put('v1', 'pods', podObject('cart', 'db-0', { owner: set, annotations: { 'istio.io/rev': revision }, proxy }));
    pod('1-26', '1.26.2');
    expect(await verify(port)).toEqual({ ok: true, podCount: 1, wrong: [], timedOut: false });
    expect(await verify(port, [set])).toMatchObject({ ok: false, wrong: ['cart/db-0: injected by revision 1-26'] });
    pod('1-28', '1.28.3');
    expect(await verify(port, [set])).toEqual({ ok: true, podCount: 2, wrong: [], timedOut: false });
  });

  test('does not wait for what was named as not restarted, nor for what is not in the mesh', async () => {
    const port = meshWorld();
    addMeshPod(port, 'cart', 'web', '1-28', '1.28.3');
    addWorkload(port, 'cart', 'paused', { paused: true });
    addMeshPod(port, 'cart', 'paused', '1-26', '1.26.2');
    port.put('v1', 'pods', podObject('cart', 'naked', { proxy: '1.26.2' }));
    port.put('v1', 'pods', podObject('cart', 'host-1', { hostNetwork: true, owner: { kind: 'DaemonSet', name: 'host' } }));
    port.put(
      'v1',
      'pods',
      podObject('cart', 'old-1', { proxy: '1.26.2', phase: 'Succeeded', owner: { kind: 'ReplicaSet', name: 'old-1' } }),
    );
    expect(await verify(port)).toEqual({ ok: true, podCount: 1, wrong: [], timedOut: false });
  });
});

describe('the control plane of a revision', () => {
  const wait = (port: FakeKubernetes, askTimeoutMs = 15, delivered: { delivered?: boolean } = {}) =>
    createIstioActivities(depsOf(port)).awaitIstioRevision({
      cluster,
      timing: quickTiming({ askTimeoutMs }),
      revision: '1-28',
      minor: '1.28',
      ...delivered,
    });
  const ISTIOD = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'istio-system', name: 'istiod-1-28' };

  test('is ready when istiod is available and its webhook has a CA bundle', async () => {
    expect(await wait(meshWorld())).toEqual({ version: '1.28.3', timedOut: false });
  });

  const SERVICE = { apiVersion: 'v1', plural: 'services', namespace: 'istio-system', name: 'istiod-1-26' };
  const definition = (group: string, established: 'True' | 'False') => ({
    metadata: { name: `gateways.${group}` },
    spec: { group },
    status: { conditions: [condition('Established', established)] },
  });

  test.each<[title: string, change: (port: FakeKubernetes) => void, version: string, lack: string]>([
    ['istiod is missing', (port) => port.remove(ISTIOD), 'unknown', 'no istiod of revision 1-28 is installed'],
    [
      'istiod is not Available',
      (port) => port.edit(ISTIOD, (object) => void (object.status = { ...(object.status as object), conditions: [] })),
      '1.28.3',
      'istiod-1-28 is not Available',
    ],
    [
      'its image has no version in its tag',
      (port) => addRevision(port, '1-28', 'latest'),
      'unknown',
      'the image of istiod-1-28 has no version in its tag',
    ],
    [
      'istiod is half rolled out',
      (port) => port.edit(ISTIOD, (object) => void (object.status = { ...(object.status as object), updatedReplicas: 0 })),
      '1.28.3',
      'istiod-1-28: 0 of 1 pods are new',
    ],
    ['istiod runs another minor', (port) => addRevision(port, '1-28', '1.27.9'), '1.27.9', 'istiod-1-28 runs 1.27.9, 1.28 is wanted'],
    [
      'the webhook is missing',
      (port) => port.remove(MUTATING('istio-sidecar-injector-1-28')),
      '1.28.3',
      'revision 1-28 has no injection webhook',
    ],
    [
      'the webhook has no CA bundle',
      (port) =>
        port.edit(MUTATING('istio-sidecar-injector-1-28'), (object) => void (object['webhooks'] = [{ name: 'x', clientConfig: {} }])),
      '1.28.3',
      'webhook istio-sidecar-injector-1-28 has no CA bundle yet',
    ],
    [
      'a CRD is not Established',
      (port) => port.put('apiextensions.k8s.io/v1', 'customresourcedefinitions', definition('networking.istio.io', 'False')),
      '1.28.3',
      'CustomResourceDefinition gateways.networking.istio.io is not Established',
    ],
    [
      'the default validator calls a Service that is gone',
      (port) => port.remove(SERVICE),
      '1.28.3',
      'istiod-default-validator calls Service istio-system/istiod-1-26, which is gone: set defaultRevision of istio-base',
    ],
  ])('is not ready when %s', async (_title, change, version, lack) => {
    const port = meshWorld();
    change(port);
    expect(await wait(port)).toEqual({ version, timedOut: true, lack });
  });

  test('an image that values hold back is not waited for once the chart is there', async () => {
    const port = meshWorld();
    addRevision(port, '1-28', '1.26.2');
    const lack = 'istiod-1-28 runs 1.26.2, 1.28 is wanted';
    expect(await wait(port, 60_000, { delivered: true })).toEqual({ version: '1.26.2', timedOut: false, lack, pinned: true });
    addRevision(port, '1-28', '1.28.3');
    expect(await wait(port, 60_000, { delivered: true })).toEqual({ version: '1.28.3', timedOut: false });
  });

  test('a default validator that calls an address calls no Service that could be gone', async () => {
    const port = meshWorld();
    port.edit(VALIDATOR, (object) => void (object['webhooks'] = [{ name: 'v', clientConfig: { url: 'https://validator.example' } }]));
    expect(await wait(port)).toEqual({ version: '1.28.3', timedOut: false });
  });

  test('CRDs of others are not its business', async () => {
    const port = meshWorld();
    port.put('apiextensions.k8s.io/v1', 'customresourcedefinitions', definition('gateway.networking.k8s.io', 'False'));
    expect(await wait(port)).toEqual({ version: '1.28.3', timedOut: false });
  });
});
