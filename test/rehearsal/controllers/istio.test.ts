/** Sidecar injection in the twin: who takes a pod, by which label. */
import { describe, expect, test } from 'vitest';
import { installRevision, removeRevision, setTag } from '../../../rehearsal/controllers/istio/revisions.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import type { BuiltWorld } from '../../../rehearsal/world/build.ts';
import { MINUTE_MS, steppedWorld } from '../support.ts';

/** Revisions 1-26 and 1-28, with a default tag on the older one. */
function mesh(): BuiltWorld {
  const built = steppedWorld('small');
  installRevision(built.world, { revision: '1-26', version: '1.26.2' });
  installRevision(built.world, { revision: '1-28', version: '1.28.3' });
  setTag(built.world, 'default', '1-26');
  setTag(built.world, 'stable', '1-28');
  built.step(2 * MINUTE_MS);
  return built;
}

function podIn(built: BuiltWorld, namespaceLabels: Record<string, string>, podLabels: Record<string, string>): KubeObject {
  const { store } = built.world;
  store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mesh', labels: namespaceLabels } });
  return store.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'mesh', labels: podLabels },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
  });
}

const revisionOf = (pod: KubeObject): string | undefined => pod.metadata.annotations?.['istio.io/rev'];

describe('precedence', () => {
  test.each<[string, Record<string, string>, Record<string, string>, string | undefined]>([
    ['a namespace label names the revision', { 'istio.io/rev': '1-28' }, {}, '1-28'],
    ['a tag stands for a revision', { 'istio.io/rev': 'stable' }, {}, '1-28'],
    ['istio-injection=enabled means the default tag', { 'istio-injection': 'enabled' }, {}, '1-26'],
    ['istio-injection wins over istio.io/rev', { 'istio-injection': 'enabled', 'istio.io/rev': '1-28' }, {}, '1-26'],
    [
      'istio-injection=disabled: none',
      { 'istio-injection': 'disabled', 'istio.io/rev': '1-28' },
      { 'sidecar.istio.io/inject': 'true' },
      undefined,
    ],
    ['a pod may opt out', { 'istio.io/rev': '1-28' }, { 'sidecar.istio.io/inject': 'false' }, undefined],
    ['a pod may name a revision in a plain namespace', {}, { 'istio.io/rev': '1-28' }, '1-28'],
    ['a pod may ask for the default', {}, { 'sidecar.istio.io/inject': 'true' }, '1-26'],
    ['a plain pod in a plain namespace: none', {}, {}, undefined],
    ['a revision that nobody has: silently none', { 'istio.io/rev': '1-30' }, {}, undefined],
  ])('%s', (_what, namespaceLabels, podLabels, revision) => {
    expect(revisionOf(podIn(mesh(), namespaceLabels, podLabels))).toBe(revision);
  });
});

test('older proxies are containers, newer ones native sidecars, each of its istiod’s version', () => {
  const images = (pod: KubeObject, where: 'containers' | 'initContainers'): string[] =>
    pod.spec[where].filter((c: { name: string }) => c.name === 'istio-proxy').map((c: { image: string }) => c.image);
  const old = podIn(mesh(), { 'istio.io/rev': '1-26' }, {});
  expect([images(old, 'containers'), images(old, 'initContainers')]).toEqual([['docker.io/istio/proxyv2:1.26.2'], []]);
  const modern = podIn(mesh(), { 'istio.io/rev': '1-28' }, {});
  expect([images(modern, 'containers'), images(modern, 'initContainers')]).toEqual([[], ['docker.io/istio/proxyv2:1.28.3']]);
  expect(JSON.parse(modern.metadata.annotations?.['sidecar.istio.io/status'] ?? '').revision).toBe('1-28');
});

test('istiod fills in the CA bundle of its webhooks once it runs', () => {
  const built = steppedWorld('small');
  installRevision(built.world, { revision: '1-28', version: '1.28.3' });
  const bundles = (): unknown[] =>
    built.world.store
      .get('mutatingwebhookconfigurations', 'istio-sidecar-injector-1-28')
      ?.webhooks.map((w: KubeObject) => w.clientConfig.caBundle !== undefined);
  expect(bundles()).toEqual([false, false]);
  built.step(2 * MINUTE_MS);
  expect(bundles()).toEqual([true, true]);
});

test('a webhook whose istiod is gone lets no pod start', () => {
  const built = mesh();
  built.world.store.delete('deployments', 'istiod-1-28', 'istio-system');
  expect(() => podIn(built, { 'istio.io/rev': '1-28' }, {})).toThrow(
    /failed calling webhook "rev.namespace.sidecar-injector.istio.io".*no endpoints available for service "istiod-1-28"/,
  );
});

test('removing a revision leaves none of its parts', () => {
  const built = mesh();
  setTag(built.world, 'default', '1-28');
  removeRevision(built.world, '1-26');
  built.step(MINUTE_MS);
  expect(built.diff()).toEqual([]);
  const { store } = built.world;
  const named = store.types().flatMap((t) => store.list(`${t.plural}.${t.group}`).filter((o) => o.metadata.name.includes('1-26')));
  expect(named.map((o) => `${o.kind}/${o.metadata.name}`).filter((n) => !n.startsWith('Event/') && !n.startsWith('Pod/'))).toEqual([]);
});
