/** Defects for readiness on a real API server, each with the name by which it is to be found. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import type { Api } from '../../../rehearsal/real/api.ts';
import { PATIENCE } from '../../support/eventually.ts';

const LOOK_MS = 200;
const LIMIT_MS = 60_000;
const SHOP = '/namespaces/shop';
const POLICY = `/apis/policy/v1${SHOP}/poddisruptionbudgets`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

const labels = { app: 'cart' };
const named = (name: string): { name: string } => ({ name });

/** Resolves when the controllers have said of each what Belay goes by. `deprecated`: a version that is called. */
export async function plantDefects(api: Api, deprecated: string): Promise<void> {
  await api.post('/api/v1/namespaces', { metadata: named('shop') });
  await plantBudgets(api);
  await plantAdmission(api);
  await plantDefinition(api);
  await api.post(`/apis/networking.k8s.io/v1${SHOP}/ingresses`, {
    metadata: {
      ...named('front'),
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"extensions/v1beta1","kind":"Ingress"}' },
    },
    spec: { defaultBackend: { service: { name: 'guard', port: { number: 80 } } } },
  });
  await api.get(`/apis/${deprecated}/servicecidrs`);
}

/** One keeps both pods of a Deployment, the other has none. */
async function plantBudgets(api: Api): Promise<void> {
  await api.post(`/apis/apps/v1${SHOP}/deployments`, {
    metadata: named('cart'),
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'cart', image: 'cart:1' }] } },
    },
  });
  await api.post(POLICY, { metadata: named('never'), spec: { maxUnavailable: 0, selector: { matchLabels: labels } } });
  await api.post(POLICY, { metadata: named('idle'), spec: { minAvailable: 1, selector: { matchLabels: { app: 'gone' } } } });
  await until(api, `${POLICY}/never`, ({ status }) => status?.expectedPods === 2);
  await until(api, `${POLICY}/idle`, ({ status }) => status?.observedGeneration === 1);
}

/** A Service that selects nobody, a webhook and an aggregated API that go there. */
async function plantAdmission(api: Api): Promise<void> {
  const service = { namespace: 'shop', name: 'guard' };
  await api.post(`/api/v1${SHOP}/services`, { metadata: named('guard'), spec: { selector: { app: 'guard' }, ports: [{ port: 443 }] } });
  await api.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: named('guard'),
    webhooks: [
      {
        name: 'guard.shop.example',
        clientConfig: { service },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        // So that it stops nobody in this test.
        objectSelector: { matchLabels: { guarded: 'yes' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
    ],
  });
  await api.post(API_SERVICES, {
    metadata: named('v1.stock.example'),
    spec: {
      group: 'stock.example',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { ...service, port: 443 },
    },
  });
  await until(api, `${API_SERVICES}/v1.stock.example`, ({ status }) => status?.conditions?.[0]?.status === 'False');
}

/** Objects were stored as v1alpha1; now they are as v1. */
async function plantDefinition(api: Api): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = (storage: 'v1alpha1' | 'v1'): object[] =>
    ['v1alpha1', 'v1'].map((name) => ({ name, served: true, storage: name === storage, schema }));
  const spec = { group: 'shop.example', scope: 'Namespaced', names: { plural: 'carts', kind: 'Cart' } };
  const path = `${DEFINITIONS}/carts.shop.example`;
  await api.post(DEFINITIONS, { metadata: named('carts.shop.example'), spec: { ...spec, versions: versions('v1alpha1') } });
  await until(api, path, ({ status }) => status?.storedVersions?.includes('v1alpha1') === true);
  await api.patch(path, { spec: { versions: versions('v1') } });
  await until(api, path, ({ status }) => status?.storedVersions?.includes('v1') === true);
}

/** Throws with what stands there where it does not come to it within a minute. */
async function until(api: Api, path: string, reached: (object: KubeObject) => boolean): Promise<void> {
  const endMs = performance.now() + LIMIT_MS * PATIENCE;
  for (;;) {
    const object = await api.get(path);
    if (reached(object)) return;
    if (performance.now() > endMs) throw new Error(`${path} stays ${JSON.stringify(object.status)}`);
    await sleep(LOOK_MS);
  }
}
