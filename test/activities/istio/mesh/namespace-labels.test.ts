/** Labels of namespaces that Git declares: asked for before anything moves, left alone on the way back, and noticed when they fall back. */
import { describe, expect, test } from 'vitest';
import type { KubeMeta } from '../../../../activities/contract/ports.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addRevision, meshWorld, NAMESPACE } from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';

const cluster = CLUSTER;
const TRACKED = { 'argocd.argoproj.io/tracking-id': 'teams:/Namespace:/cart' };
const FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'teams', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
const RESOURCE_SET = { 'resourceset.fluxcd.controlplane.io/name': 'teams', 'resourceset.fluxcd.controlplane.io/namespace': 'flux-system' };
const applied = (labels: object): Record<string, string> => ({
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ metadata: { name: 'cart', labels } }),
});
const fields = (manager: string, ...labels: string[]) => [
  { manager, fieldsV1: { 'f:metadata': { 'f:labels': Object.fromEntries(labels.map((label) => [`f:${label}`, {}])) } } },
];

const istio = (port: FakeKubernetes) => createIstioActivities(depsOf(port));
const move = (port: FakeKubernetes) =>
  istio(port).moveNamespaces({ cluster, namespaces: ['cart', 'mail'], revision: '1-28', restartedAt: '2031-01-01T00:00:00Z' });

function kept(metadata: Partial<KubeMeta>): FakeKubernetes {
  const port = meshWorld();
  addRevision(port, '1-28', '1.28.3');
  port.edit(NAMESPACE('cart'), (object) => {
    const labels = { ...object.metadata.labels, ...metadata.labels };
    Object.assign(object.metadata, metadata, { labels });
  });
  return port;
}

test.each<[string, Partial<KubeMeta>, string | undefined]>([
  ['nobody', {}, undefined],
  ['Helm, which looks at it only in its next upgrade', { annotations: { 'meta.helm.sh/release-name': 'teams' } }, undefined],
  ['Argo CD, which says no more', { annotations: TRACKED }, 'Argo CD'],
  ['Argo CD, with the label in what it applied', { annotations: { ...TRACKED, ...applied({ 'istio.io/rev': '1-26' }) } }, 'Argo CD'],
  ['Argo CD, with other labels', { annotations: { ...TRACKED, ...applied({ team: 'a' }) } }, undefined],
  ['Argo CD by server-side apply', { annotations: TRACKED, managedFields: fields('argocd-controller', 'istio-injection') }, 'Argo CD'],
  ['Flux, with the label', { labels: FLUX, managedFields: fields('kustomize-controller', 'istio.io/rev') }, 'Flux'],
  ['Flux, with other labels', { labels: FLUX, managedFields: fields('kustomize-controller', 'team') }, undefined],
  ['Flux, which has no fields of it', { labels: FLUX, managedFields: fields('kubectl', 'team') }, 'Flux'],
  ['a ResourceSet, with the label', { labels: RESOURCE_SET, managedFields: fields('flux-operator', 'istio.io/rev') }, 'Flux'],
  ['a ResourceSet, with other labels', { labels: RESOURCE_SET, managedFields: fields('flux-operator', 'team') }, undefined],
  ['Terraform', { managedFields: fields('Terraform', 'istio.io/rev') }, 'Terraform'],
  ['Terraform, as a typed resource', { managedFields: fields('HashiCorp', 'istio.io/rev') }, 'Terraform'],
  ['Terraform, as a typed resource with other labels', { managedFields: fields('HashiCorp', 'team') }, undefined],
])('a namespace of %s', async (_title, metadata, by) => {
  const port = kept(metadata);
  const moved = await move(port);
  if (by === undefined) {
    expect(moved).toMatchObject({ restarted: 2 });
    expect(port.look(NAMESPACE('cart')).metadata.labels).toMatchObject({ 'istio.io/rev': '1-28' });
    return;
  }
  expect(moved).toEqual({ restarted: 0, skipped: [], heldLabels: [{ namespace: 'cart', by }] });
  expect(port.patches).toEqual([]);
});

describe('labels that Git has', () => {
  test('are waited for; then only the restart is left', async () => {
    const port = kept({ annotations: TRACKED });
    const wait = () =>
      istio(port).awaitNamespaceLabels({
        cluster,
        timing: quickTiming({ askTimeoutMs: 30 }),
        namespaces: ['cart', 'gone'],
        revision: '1-28',
      });
    expect(await wait()).toEqual({ moved: false, left: ['cart'] });
    port.edit(NAMESPACE('cart'), ({ metadata }) => void (metadata.labels = { 'istio.io/rev': '1-28' }));
    expect(await wait()).toEqual({ moved: true, left: [] });
    expect(await move(port)).toMatchObject({ restarted: 2 });
    expect(port.patches.map(({ ref }) => `${ref.plural}/${ref.name}`)).not.toContain('namespaces/cart');
  });

  test('are left to their owner on the way back, who is named', async () => {
    const port = kept({ annotations: TRACKED, labels: { 'istio.io/rev': '1-28' } });
    const before = ['cart', 'mail'].map((namespace) => ({ namespace, injection: null, rev: '1-26' }));
    const back = await istio(port).moveBack({ cluster, before, restartedAt: '2031-01-01T00:00:00Z' });
    expect(back).toEqual({ restarted: 1, held: [{ what: 'Namespace cart (istio.io/rev)', by: 'Argo CD' }] });
    expect(port.look(NAMESPACE('cart')).metadata.labels).toMatchObject({ 'istio.io/rev': '1-28' });
  });
});

test('a label that falls back ends the look at once, though every pod runs what is wanted', async () => {
  const port = kept({});
  await move(port);
  for (const namespace of ['cart', 'mail']) {
    port.edit({ apiVersion: 'v1', plural: 'pods', namespace, name: 'web-7c9d-x' }, (pod) => {
      pod.metadata.annotations = { 'istio.io/rev': '1-28' };
      const { containers } = pod.spec as { containers: { name: string; image: string }[] };
      for (const each of containers) if (each.name === 'istio-proxy') each.image = 'docker.io/istio/proxyv2:1.28.3';
    });
  }
  const look = () =>
    istio(port).awaitProxies({
      cluster,
      timing: quickTiming({ rolloutTimeoutMs: 200 }),
      namespaces: ['cart', 'mail'],
      revision: '1-28',
      minor: '1.28',
      labelled: ['cart', 'mail'],
    });
  expect(await look()).toMatchObject({ ok: true, podCount: 2 });
  port.edit(NAMESPACE('mail'), ({ metadata }) => void (metadata.labels = { 'istio.io/rev': '1-26' }));
  port.edit(NAMESPACE('cart'), ({ metadata }) => void (metadata.labels = {}));
  expect(await look()).toMatchObject({
    ok: false,
    reverted: expect.arrayContaining([
      { namespace: 'mail', now: 'istio.io/rev=1-26' },
      { namespace: 'cart', now: 'no label of Istio' },
    ]),
  });
});
