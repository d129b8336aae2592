/** The default tag and the default validator: moved before the istiod that they call goes, asked for where GitOps owns them, left nowhere in between. */
import { describe, expect, test } from 'vitest';
import { checkInjectionWebhooks } from '../../../../activities/observe/checks/istio.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addRevision, addTag, helmSecret, meshWorld, MUTATING, VALIDATOR } from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';

const cluster = CLUSTER;
const TRACKED = { 'argocd.argoproj.io/tracking-id': 'mesh:x' };
const DEFAULT_TAG = MUTATING('istio-revision-tag-default');
const TAG_SERVICE = { apiVersion: 'v1', plural: 'services', namespace: 'istio-system', name: 'istiod-revision-tag-default' };
const ISTIOD = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'istio-system', name: 'istiod-1-26' };

function world(): FakeKubernetes {
  const port = meshWorld();
  addTag(port, 'default', '1-26');
  const labels = { 'istio.io/tag': 'default', 'istio.io/rev': '1-26' };
  const { name, namespace } = TAG_SERVICE;
  return port.put('v1', 'services', {
    metadata: { name, namespace, labels },
    spec: { selector: { app: 'istiod', 'istio.io/rev': '1-26' } },
  });
}

const istio = (port: FakeKubernetes) => createIstioActivities(depsOf(port));
const move = (port: FakeKubernetes) => istio(port).moveDefaults({ cluster, revision: '1-26', successor: '1-28' });
const services = (port: FakeKubernetes, ref: typeof VALIDATOR): unknown[] => [
  ...new Set(
    (port.look(ref)['webhooks'] as { clientConfig: { service: { name: string } } }[]).map((hook) => hook.clientConfig.service.name),
  ),
];

describe('moved by Belay', () => {
  test('tag, its Service and the validator, with the CA bundle of the successor; a second call changes nothing', async () => {
    const port = world();
    expect(await move(port)).toEqual({ held: [] });
    expect(port.look(DEFAULT_TAG)).toMatchObject({
      metadata: { labels: { 'istio.io/tag': 'default', 'istio.io/rev': '1-28' } },
      webhooks: [1, 2].map(() => ({ clientConfig: { service: { name: 'istiod-1-28', path: '/inject' }, caBundle: 'ca-1-28' } })),
    });
    expect(port.look(TAG_SERVICE)).toMatchObject({
      metadata: { labels: { 'istio.io/rev': '1-28' } },
      spec: { selector: { app: 'istiod', 'istio.io/rev': '1-28' } },
    });
    expect(port.look(VALIDATOR)).toMatchObject({
      webhooks: [{ clientConfig: { service: { name: 'istiod-1-28', path: '/validate' }, caBundle: 'ca-1-28' } }],
    });
    const { length } = port.patches;
    expect(await move(port)).toEqual({ held: [] });
    expect(port.patches).toHaveLength(length);
  });

  test.each(['istio-revision-tag-default', 'istiod-revision-tag-default', 'istiod-default-validator'])(
    'killed right after %s was patched: the next attempt patches the rest, and nothing twice',
    async (name) => {
      const port = world();
      port.afterPatch = (ref) => {
        if (ref.name !== name) return;
        port.afterPatch = undefined;
        throw failureOf('Unavailable', 'the worker is gone');
      };
      await expect(move(port)).rejects.toThrow('the worker is gone');
      expect(await move(port)).toEqual({ held: [] });
      expect([services(port, DEFAULT_TAG), services(port, VALIDATOR)]).toEqual([['istiod-1-28'], ['istiod-1-28']]);
      const patched = port.patches.map(({ ref }) => ref.name);
      expect(patched).toEqual([...new Set(patched)]);
    },
  );

  test('a tag that points elsewhere is not touched', async () => {
    const port = world();
    addRevision(port, '1-27', '1.27.3');
    addTag(port, 'default', '1-27');
    await move(port);
    expect([services(port, DEFAULT_TAG), services(port, VALIDATOR)]).toEqual([['istiod-1-27'], ['istiod-1-28']]);
  });
});

test('a validator that calls a third revision, which stays, is left with it; one whose revision is gone is moved', async () => {
  const port = meshWorld();
  addRevision(port, '1-27', '1.27.3');
  port.edit(VALIDATOR, (object) => {
    const [hook] = object['webhooks'] as { clientConfig: { service: { name: string } } }[];
    if (hook !== undefined) hook.clientConfig.service.name = 'istiod-1-27';
  });
  expect(await move(port)).toEqual({ held: [] });
  expect(services(port, VALIDATOR)).toEqual(['istiod-1-27']);
  port.remove({ apiVersion: 'v1', plural: 'services', namespace: 'istio-system', name: 'istiod-1-27' });
  expect(await move(port)).toEqual({ held: [] });
  expect(services(port, VALIDATOR)).toEqual(['istiod-1-28']);
});

describe('owned by GitOps', () => {
  const owned = (): FakeKubernetes => {
    const port = world();
    for (const ref of [DEFAULT_TAG, VALIDATOR]) port.edit(ref, ({ metadata }) => void (metadata.annotations = TRACKED));
    return port;
  };

  test('nothing is patched; each is named with its owner', async () => {
    const port = owned();
    expect(await move(port)).toEqual({
      held: [
        { tag: 'default', what: 'tag default (MutatingWebhookConfiguration istio-revision-tag-default)', by: 'Argo CD' },
        { what: 'ValidatingWebhookConfiguration istiod-default-validator', by: 'Argo CD' },
      ],
    });
    expect(port.patches).toEqual([]);
  });

  test('is watched until its owner has moved it', async () => {
    const port = owned();
    const wait = () =>
      istio(port).awaitIstioPointers({
        cluster,
        timing: quickTiming({ askTimeoutMs: 15 }),
        tags: ['default'],
        validator: true,
        revision: '1-28',
      });
    expect(await wait()).toEqual({ moved: false, left: ['tag default', 'istiod-default-validator'] });
    addTag(port, 'default', '1-28');
    expect(await wait()).toEqual({ moved: false, left: ['istiod-default-validator'] });
    port.remove(VALIDATOR);
    expect(await wait()).toEqual({ moved: true, left: [] });
  });

  test('a wave by such a tag restarts nothing until its owner has moved it, and then leaves no mark on it', async () => {
    const port = meshWorld();
    const tag = MUTATING('istio-revision-tag-prod');
    port.edit(tag, ({ metadata }) => void (metadata.annotations = TRACKED));
    const wave = { cluster, tag: 'prod', revision: '1-28', namespaces: ['cart'], restartedAt: '2026-09-08T09:00:00Z' };
    const held = { tag: 'prod', what: 'tag prod (MutatingWebhookConfiguration istio-revision-tag-prod)', by: 'Argo CD' };
    expect(await istio(port).moveTag(wave)).toEqual({ restarted: 0, skipped: [], held });
    expect(port.patches).toEqual([]);
    addTag(port, 'prod', '1-28');
    port.edit(tag, ({ metadata }) => void (metadata.annotations = TRACKED));
    expect(await istio(port).moveTag(wave)).toEqual({ restarted: 1, skipped: [] });
    expect(port.look(tag).metadata.annotations).toEqual(TRACKED);
    expect(await istio(port).moveBack({ cluster, before: [], tags: [{ tag: 'prod', revision: '1-26' }], restartedAt: 'x' })).toEqual({
      restarted: 0,
      held: [held],
    });
  });
});

describe('webhooks that outlive their istiod', () => {
  const gone = (port: FakeKubernetes, sweep = true) =>
    istio(port).awaitIstioRevisionGone({ cluster, timing: quickTiming({ askTimeoutMs: 15 }), revision: '1-26', sweep });
  const STRAY = MUTATING('hand-made-injector');

  /** Everything of 1-26 is gone, but for one webhook that somebody has made by hand. */
  function stray(change: { annotations?: Record<string, string>; labels?: Record<string, string> } = {}): FakeKubernetes {
    const port = meshWorld();
    for (const ref of [ISTIOD, MUTATING('istio-sidecar-injector-1-26'), MUTATING('istio-revision-tag-prod'), VALIDATOR]) port.remove(ref);
    port.remove({ apiVersion: 'v1', plural: 'services', namespace: 'istio-system', name: 'istiod-1-26' });
    return port.put('admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations', {
      metadata: { name: STRAY.name, ...change },
      webhooks: [
        {
          name: 'object.sidecar-injector.istio.io',
          failurePolicy: 'Fail',
          clientConfig: { service: { name: 'istiod-1-26', namespace: 'istio-system', path: '/inject' } },
        },
      ],
    });
  }

  test('are deleted with it when nobody owns them', async () => {
    const port = stray();
    expect(await gone(port)).toEqual({ gone: true, left: [], swept: ['MutatingWebhookConfiguration hand-made-injector'] });
    expect(port.deleted).toHaveLength(1);
  });

  test('not while istiod is there: an uninstall is still at it', async () => {
    const port = stray();
    addRevision(port, '1-26', '1.26.2');
    expect(await gone(port)).toMatchObject({ gone: false });
    expect(port.deleted).toEqual([]);
  });

  test.each<[title: string, change: Parameters<typeof stray>[0]]>([
    ['GitOps owns', { annotations: TRACKED }],
    [
      'a living Helm release owns',
      { annotations: { 'meta.helm.sh/release-name': 'own', 'meta.helm.sh/release-namespace': 'istio-system' } },
    ],
    ['is a tag', { labels: { 'istio.io/tag': 'canary', 'istio.io/rev': '1-26' } }],
  ])('one that %s is named and left', async (_title, change) => {
    const port = stray(change).put('v1', 'secrets', helmSecret('own', 'deployed'));
    expect(await gone(port)).toEqual({ gone: false, left: ['MutatingWebhookConfiguration hand-made-injector'] });
    expect(port.deleted).toEqual([]);
  });

  test('one that Helm may own is left where releases may not be read', async () => {
    const port = stray({ annotations: { 'meta.helm.sh/release-name': 'own', 'meta.helm.sh/release-namespace': 'istio-system' } });
    const list = port.list.bind(port);
    port.list = async (query, keep) => {
      if (query.plural === 'secrets') throw failureOf('AccessDenied', 'listing secrets: Kubernetes answered 403');
      return await list(query, keep);
    };
    expect(await gone(port)).toEqual({ gone: false, left: ['MutatingWebhookConfiguration hand-made-injector'] });
    expect(port.deleted).toEqual([]);
  });

  test('one that Belay may not delete is named with the right that it lacks; any other refusal is a failure', async () => {
    const port = stray();
    port.delete = () => Promise.reject(failureOf('AccessDenied', 'deleting mutatingwebhookconfigurations: Kubernetes answered 403'));
    expect(await gone(port)).toEqual({
      gone: false,
      left: ['MutatingWebhookConfiguration hand-made-injector (deleting mutatingwebhookconfigurations: Kubernetes answered 403)'],
    });
    port.delete = () => Promise.reject(failureOf('InvalidRequest', 'deleting mutatingwebhookconfigurations: a webhook refused it'));
    await expect(gone(port)).rejects.toThrow('deleting mutatingwebhookconfigurations: a webhook refused it');
  });

  test.each<[string, string, object]>([
    ['a policy of somebody else, whose Service is gone,', 'policy.example.com', { service: { name: 'policy', namespace: 'gone' } }],
    ['an injector that is called by its address', 'object.sidecar-injector.istio.io', { url: 'https://injector.example/inject' }],
  ])('%s is none of them', async (_title, name, clientConfig) => {
    const port = meshWorld().put('admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations', {
      metadata: { name: 'other' },
      webhooks: [{ name, clientConfig }],
    });
    expect(await checkInjectionWebhooks(port)).toMatchObject({ code: 'IST008', status: 'pass' });
  });

  test('are found before nodes are replaced: the check after the control plane moved fails for them', async () => {
    expect(await checkInjectionWebhooks(meshWorld())).toMatchObject({ code: 'IST008', status: 'pass' });
    expect(await checkInjectionWebhooks(stray())).toMatchObject({
      code: 'IST008',
      severity: 'required',
      status: 'fail',
      message:
        'Injection webhooks call an istiod that is gone: no pod can be created where they match, so none of a replaced node comes back.',
      resources: ['hand-made-injector (Service istio-system/istiod-1-26 is gone)'],
    });
  });
});
