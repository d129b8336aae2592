/** RS6 on a real API server: with its roles and policies Belay can make every change that it makes, and with every right of the cluster no other. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHANGES } from '../../domain/policy/permissions/changes.ts';
import { type Fields, fieldsOf, isItems } from '../../domain/policy/permissions/fields.ts';
import type { KubeObject } from '../../rehearsal/kubernetes/store.ts';
import { Api, ApiError } from '../../rehearsal/real/api.ts';
import { startControlPlane } from '../contract/real/control-plane.ts';
import { type ContractServer, TOKENS } from '../contract/server.ts';
import { root, yamlOf } from '../deploy/files.ts';
import { type Attack, ATTACKS, POLICY_ENGINE } from './support/admission-attacks.ts';
import { found, OBJECTS, plantObjects } from './support/admission-objects.ts';

const LIMIT_MS = 720_000;
const BELAY = { token: 'belay-token', name: 'belay-role', group: 'belay' };
const HOOKS = '/apis/admissionregistration.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const DRY = '?dryRun=All';

let server: ContractServer;
let admin: Api;
let belay: Api;

/** As kubectl apply does it. */
async function apply(object: KubeObject): Promise<void> {
  const { kind, metadata, apiVersion } = object;
  const plural = `${kind.toLowerCase().replace(/y$/, 'ie')}s`;
  const namespace = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
  await admin.patch(`/apis/${apiVersion}/${namespace}${plural}/${metadata.name}`, object, 'apply');
}

/** The refusal, or undefined. */
async function refusal(act: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

beforeAll(async () => {
  server = await startControlPlane('1.34', { identities: [BELAY] });
  const ca = Buffer.from(server.caData, 'base64').toString();
  admin = new Api({ url: server.url, ca, token: TOKENS.admin });
  belay = new Api({ url: server.url, ca, token: BELAY.token });
  await admin.post('/api/v1/namespaces', { metadata: { name: 'istio-system' } });
  await plantObjects(admin);
  for (const plural of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
    const { object } = found(`admissionregistration.k8s.io/${plural}`);
    const [hook] = Object(object)['webhooks'];
    const service = { name: 'kyverno-svc', namespace: 'kyverno' };
    await admin.post(`${HOOKS}/${plural}`, {
      ...object,
      metadata: { name: POLICY_ENGINE },
      webhooks: [{ ...hook, name: 'validate.kyverno.svc', clientConfig: { service } }],
    });
  }
  await admin.post('/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'default' } });
  await admin.post(found('/services').path, { metadata: { name: 'shop' }, spec: { ports: [{ port: 80 }] } });
  // Helm's two bind cluster-admin.
  const roles = readdirSync(join(root, 'deploy')).filter((name) => /^kubernetes-rbac.*\.yaml$/.test(name) && !name.endsWith('-helm.yaml'));
  for (const name of [...roles, 'kubernetes-admission.yaml']) {
    for (const document of yamlOf(`deploy/${name}`)) await apply(document as KubeObject);
  }
  // API servers take policies up after a moment, in the order in which they were made: the last one is waited for.
  const stray = { spec: { providerRef: { name: 'other' } } };
  for (;;) {
    const refused = await refusal(() => belay.patch(`${found('karpenter.sh/provisioners').path}/default${DRY}`, stray));
    if (refused?.message.includes("'belay-provisioners'")) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}, LIMIT_MS);
afterAll(async () => {
  admin?.close();
  belay?.close();
  await server?.close();
});

/** Values that the API server takes for real types; anything does for custom resources. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  replicas: 2,
  minReplicas: 2,
  unschedulable: true,
  budgets: [{ nodes: '0', reasons: ['Drifted'] }],
  amiSelectorTerms: [{ id: 'ami-1' }],
  finalizers: ['resources-finalizer.argocd.argoproj.io'],
  operation: { initiatedBy: { username: 'belay' }, info: [], sync: { revision: '1.28.0', prune: false, syncStrategy: { hook: {} } } },
  storedVersions: ['v1'],
  keepHistory: true,
  values: { revision: '1-28' },
  helm: { values: 'revision: 1-28' },
};

/** One merge patch for each field that may change. */
function patchesOf(fields: Fields, object: unknown): { field: string; body: object }[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    // The API server's own.
    if (['generation', 'managedFields', 'resourceVersion', 'deprecated.daemonset.template.generation'].includes(key)) return [];
    if (value === 'any') return [{ field: key, body: { [key]: SAMPLES[key] ?? 'changed' } }];
    const inner: unknown = Object(object)[key];
    if (isItems(value)) return Array.isArray(inner) ? itemsOf(key, inner) : [];
    return patchesOf(value, inner).map(({ field, body }) => ({ field: `${key}.${field}`, body: { [key]: body } }));
  });
}

/** Webhooks: another revision's istiod. */
function itemsOf(key: string, items: unknown[]): { field: string; body: object }[] {
  const next = items.map((item) => {
    const { clientConfig, ...rest } = Object(item);
    return { ...rest, clientConfig: { service: { ...clientConfig.service, name: 'istiod-1-28' }, caBundle: 'eA==' } };
  });
  return [{ field: `${key}[].clientConfig`, body: { [key]: next } }];
}

const updates = [...new Set(CHANGES.filter(({ operation }) => operation === 'UPDATE').map(({ resource }) => resource))];

describe('with the roles and policies of deploy/ Belay can', () => {
  const cases = updates.flatMap((resource) => {
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh/status';
    const known = OBJECTS[resource];
    const path = known === undefined ? crd : `${known.path}/${known.object.metadata.name}`;
    return patchesOf(fieldsOf(CHANGES, resource) ?? {}, known?.object).map(({ field, body }) => ({ resource, field, path, body }));
  });

  test('RS6: every resource that it changes is tried', () => {
    expect(cases.length).toBeGreaterThan(50);
    // Nodeclaims are written as they are.
    expect(updates.filter((resource) => !cases.some((each) => each.resource === resource))).toEqual(['karpenter.sh/nodeclaims']);
  });

  test.each(cases)('RS6: change $resource $field', async ({ path, body }) => {
    expect(await refusal(() => belay.patch(path + DRY, body))).toBeUndefined();
  });

  test('RS6: write a NodeClaim as it is, for a migration', async () => {
    const { path, object } = found('karpenter.sh/nodeclaims');
    expect(await refusal(() => belay.patch(`${path}/${object.metadata.name}${DRY}`, {}))).toBeUndefined();
  });

  test.each(CHANGES.filter(({ operation, resource }) => operation === 'CREATE' && resource in OBJECTS).map(({ resource }) => resource))(
    'RS6: create %s',
    async (resource) => {
      const { path, object } = found(resource);
      const canary = {
        metadata: { name: 'mine', labels: { 'belay.dev/canary': 'true' } },
        spec: { taints: [{ key: 'belay.dev/canary', effect: 'NoSchedule' }], expireAfter: '1h' },
      };
      const body = { ...object, ...(resource.endsWith('nodeclaims') ? canary : { metadata: { name: 'mine' } }) };
      expect(await refusal(() => belay.post(path + DRY, body))).toBeUndefined();
    },
  );

  const deleted = ['/pods', 'karpenter.sh/provisioners', 'karpenter.k8s.aws/awsnodetemplates', 'argoproj.io/applications'];
  test.each(deleted)('RS6: delete %s', async (resource) => {
    const { path, object } = found(resource);
    expect(await refusal(() => belay.delete(`${path}/${object.metadata.name}${DRY}`))).toBeUndefined();
  });

  test.each([
    ['mutatingwebhookconfigurations', 'istio-sidecar-injector-1-26', { 'istio.io/rev': '1-26' }],
    ['mutatingwebhookconfigurations', 'defaulting.webhook.karpenter.k8s.aws', {}],
    ['validatingwebhookconfigurations', 'validation.webhook.karpenter.sh', {}],
  ])('RS6: delete %s %s', async (plural, name, labels) => {
    await admin.post(`${HOOKS}/${plural}`, { ...found(`admissionregistration.k8s.io/${plural}`).object, metadata: { name, labels } });
    expect(await refusal(() => belay.delete(`${HOOKS}/${plural}/${name}`))).toBeUndefined();
  });

  test('RS6: evict a pod', async () => {
    const { path, object } = found('/pods');
    const { name } = object.metadata;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
    expect(await refusal(() => belay.post(`${path}/${name}/eviction${DRY}`, eviction))).toBeUndefined();
  });
});

describe('with the roles of deploy/ Belay cannot', () => {
  test.each([
    ['be somebody else', async () => await impersonate()],
    ['take a policy off', async () => await belay.delete(`${HOOKS}/validatingadmissionpolicies/belay-nothing-else${DRY}`)],
    [
      'change a policy',
      async () => await belay.patch(`${HOOKS}/validatingadmissionpolicies/belay-nodes${DRY}`, { spec: { failurePolicy: 'Ignore' } }),
    ],
    ['take a binding off', async () => await belay.delete(`${HOOKS}/validatingadmissionpolicybindings/belay-nodes${DRY}`)],
    ['read a Secret', async () => await belay.get('/api/v1/namespaces/shop/secrets/database')],
    ['change its own role', async () => await belay.patch(`${RBAC}/clusterroles/belay${DRY}`, { rules: [] })],
    ['bind itself to another role', async () => await belay.patch(`${RBAC}/clusterrolebindings/belay${DRY}`, { subjects: [] })],
  ])('RS6: %s', async (_what, act) => {
    expect(await refusal(act)).toMatchObject({ code: 403 });
  });

  async function impersonate(): Promise<void> {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'impersonate', resource: 'users' } },
    };
    const { status } = await belay.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);
    if (Object(status)['allowed'] !== true) throw new ApiError(403, 'Forbidden', 'may not impersonate');
  }
});

describe('with every right of the cluster the policies alone still refuse that Belay', () => {
  beforeAll(async () => {
    await admin.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'everything' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: BELAY.group }],
    });
    for (;;) {
      const denied = await refusal(() => belay.get('/api/v1/namespaces/kube-system/secrets'));
      if (denied === undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }, LIMIT_MS);

  const act = (who: Api, { method, path, body = {} }: Attack): Promise<unknown> => {
    const dry = path + (path.includes('?') ? '&dryRun=All' : DRY);
    if (method === 'DELETE') return who.delete(dry);
    // Nothing is connected to: there is no kubelet.
    if (method === 'POST') return who.post(path.includes('/exec?') ? path : dry, body);
    // The client writes a query of its own for an apply.
    return method === 'APPLY' ? who.patch(path, body, 'apply') : who.patch(dry, body);
  };

  test.each(ATTACKS.map((attack) => [attack.what, attack] as const))('RS6: %s', async (_what, attack) => {
    const refused = await refusal(() => act(belay, attack));
    expect(refused).toMatchObject({ code: 403, message: expect.stringMatching(/ValidatingAdmissionPolicy 'belay-/) });
  });

  test('RS6: others are not held to them', async () => {
    const others = ATTACKS.filter(({ what }) => /mounts a Secret|userData|Pod Security|policy engine/.test(what));
    expect(others.length).toBeGreaterThan(5);
    for (const attack of others) expect(await refusal(() => act(admin, attack))).toBeUndefined();
  });
});
