/** istio-base by Helm: CRDs that no release owns are adopted, never taken from others, and the default validator stays with a live revision. */
import { expect, test } from 'vitest';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { helmSecret, meshWorld, VALIDATOR } from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';
import type { HelmRunner } from '../../../../activities/kubernetes/helm/runner.ts';

const API = 'apiextensions.k8s.io/v1';
const PLURAL = 'customresourcedefinitions';
const CRD = (name: string) => ({ apiVersion: API, plural: PLURAL, name: `${name}.networking.istio.io` });
const READER = { apiVersion: 'v1', plural: 'serviceaccounts', namespace: 'istio-system', name: 'istio-reader-service-account' };
const MARKS = {
  labels: { chart: 'istio', 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': 'istio-base', 'meta.helm.sh/release-namespace': 'istio-system' },
};

/** As the charts up to 1.23 left it: CRDs outside of the release. */
function oldWorld(change: { base?: object; annotations?: Record<string, string> } = {}): FakeKubernetes {
  const port = meshWorld().put('v1', 'secrets', helmSecret('istiod-1-26', 'deployed', { config: { revision: '1-26' } }));
  if (change.base !== undefined) port.put('v1', 'secrets', helmSecret('istio-base', 'deployed', { config: change.base }));
  for (const plural of ['gateways', 'virtualservices']) {
    const annotations = plural === 'gateways' ? change.annotations : undefined;
    port.put(API, PLURAL, { metadata: { name: CRD(plural).name, labels: { chart: 'istio' }, ...(annotations && { annotations }) } });
  }
  return port.put('v1', 'serviceaccounts', { metadata: { name: READER.name, namespace: READER.namespace } });
}

const calls = (port: FakeKubernetes, clientConfig: object): void =>
  port.edit(VALIDATOR, (object) => void (object['webhooks'] = [{ name: 'v', clientConfig }]));

async function install(port: FakeKubernetes): Promise<{ calls: string[]; values: unknown[] }> {
  const seen = { calls: [] as string[], values: [] as unknown[] };
  const helm: HelmRunner = {
    run: async (args, { input }) => {
      if (args[0] === 'show') return { code: 0, stderr: '', stdout: 'version: 1.28.3\nappVersion: 1.28.3\n' };
      seen.calls.push(args.slice(0, 3).join(' '));
      seen.values.push(JSON.parse(input ?? '{}'));
      return { code: 0, stderr: '', stdout: '' };
    },
  };
  const deps = depsOf(port, { policy: { managedBy: { ...policy().managedBy, istio: 'helm' } } });
  const canary = { fromRevision: '1-26', fromVersion: '1.26.2', toRevision: '1-28', toMinor: '1.28', retire: { bakeMs: 0 }, waves: [] };
  await createIstioActivities({ ...deps, helm, pendingWaitMs: 0 }).installIstioRevision({ cluster: CLUSTER, canary, token: 'belay-1' });
  return seen;
}

test('CRDs that no release owns are adopted before istio-base is upgraded, and nothing is deleted', async () => {
  const port = oldWorld({ base: { defaultRevision: '1-26' } });
  const { calls, values } = await install(port);
  expect(calls).toEqual(['upgrade --install istio-base', 'upgrade --install istiod-1-28']);
  expect(values[0]).toEqual({ defaultRevision: '1-26' });
  for (const plural of ['gateways', 'virtualservices']) expect(port.look(CRD(plural)).metadata).toMatchObject(MARKS);
  expect(port.deleted).toEqual([]);
  // They belong to the release already: only a first install adopts them.
  expect(port.look(VALIDATOR).metadata.annotations).toBeUndefined();
});

test('without a release, as istioctl installs: the release is made around what is there, with the default revision that validates now', async () => {
  const port = oldWorld();
  const { calls, values } = await install(port);
  expect(calls[0]).toBe('upgrade --install istio-base');
  expect(values[0]).toEqual({ defaultRevision: '1-26' });
  const own = { labels: { 'app.kubernetes.io/managed-by': 'Helm' }, annotations: MARKS.annotations };
  expect(port.look(VALIDATOR).metadata).toMatchObject(own);
  expect(port.look(READER).metadata).toMatchObject(own);
});

test('a default validator that calls a Service that is gone comes back to the old revision, which runs', async () => {
  const port = oldWorld({ base: { defaultRevision: '1-24', keep: 1 } });
  port.edit(VALIDATOR, (object) => {
    object['webhooks'] = [{ name: 'v', clientConfig: { service: { name: 'istiod-1-24', namespace: 'istio-system' } } }];
  });
  expect((await install(port)).values[0]).toEqual({ defaultRevision: '1-26', keep: 1 });
});

test.each<[string, (port: FakeKubernetes) => void, string]>([
  ['nothing is there to validate', (port) => port.remove(VALIDATOR), '1-24'],
  ['an address validates, which says nothing of a revision', (port) => calls(port, { url: 'https://validator.example' }), '1-24'],
  ['somebody’s own Service is called, though it is gone', (port) => calls(port, { service: { name: 'ours', namespace: 'x' } }), '1-24'],
  [
    'an istiod without a revision validates',
    (port) => {
      port.put('v1', 'services', { metadata: { name: 'istiod', namespace: 'istio-system' } });
      calls(port, { service: { name: 'istiod', namespace: 'istio-system' } });
    },
    'default',
  ],
])('the default revision of its values where %s', async (_title, change, defaultRevision) => {
  const port = oldWorld({ base: { defaultRevision: '1-24' } });
  change(port);
  expect((await install(port)).values[0]).toEqual({ defaultRevision });
});

test('an istio-base of the wanted minor is left as it is', async () => {
  const port = oldWorld().put('v1', 'secrets', helmSecret('istio-base', 'deployed', { appVersion: '1.28.0' }));
  expect((await install(port)).calls).toEqual(['upgrade --install istiod-1-28']);
  expect(port.patches).toEqual([]);
});

test('neither a release nor CRDs of its chart: istio-base is somebody else’s business', async () => {
  const port = oldWorld();
  for (const plural of ['gateways', 'virtualservices']) port.remove(CRD(plural));
  expect((await install(port)).calls).toEqual(['upgrade --install istiod-1-28']);
});

test('marks of a release that is gone are nobody’s', async () => {
  const port = oldWorld({
    base: { defaultRevision: '1-26' },
    annotations: { 'meta.helm.sh/release-name': 'gone', 'meta.helm.sh/release-namespace': 'elsewhere' },
  });
  // The name of the release comes from the validator, which belongs to the one that is there.
  port.edit(VALIDATOR, ({ metadata }) => void (metadata.annotations = MARKS.annotations));
  await install(port);
  expect(port.look(CRD('gateways')).metadata).toMatchObject(MARKS);
});

test.each([
  ['Argo CD', '', { 'argocd.argoproj.io/tracking-id': 'mesh:apiextensions.k8s.io/CustomResourceDefinition:/x' }],
  [
    'Helm release istio-system/crds',
    ' name its release in belay.yaml,',
    { 'meta.helm.sh/release-name': 'crds', 'meta.helm.sh/release-namespace': 'istio-system' },
  ],
])('CRDs of %s are not taken from it, and helm is not run', async (owner, also, annotations) => {
  const port = oldWorld({ base: {}, annotations }).put('v1', 'secrets', helmSecret('crds', 'deployed'));
  port.edit(VALIDATOR, ({ metadata }) => void (metadata.annotations = MARKS.annotations));
  await expect(install(port)).rejects.toMatchObject({
    type: 'Configuration',
    message: `adopting customresourcedefinitions/gateways.networking.istio.io for Helm release istio-system/istio-base: ${owner} owns it; let that owner upgrade it and say so in managedBy,${also} or give it up there`,
  });
  expect(port.patches).toEqual([]);
});

test('killed between two CRDs: the next attempt adopts the rest, and patches nothing twice', async () => {
  const port = oldWorld({ base: { defaultRevision: '1-26' } });
  port.afterPatch = () => {
    port.afterPatch = undefined;
    throw failureOf('Unavailable', 'the answer was lost');
  };
  await expect(install(port)).rejects.toThrow('the answer was lost');
  await install(port);
  expect(port.patches.map(({ ref }) => ref.name)).toEqual(['gateways.networking.istio.io', 'virtualservices.networking.istio.io']);
});
