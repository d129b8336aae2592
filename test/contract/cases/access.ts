/** Who may do what, and how a refusal reads. */
import { configMap, namespace } from '../objects.ts';
import { READER, TOKENS } from '../server.ts';
import type { Area } from '../suite.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1';
const as = { token: TOKENS.reader };

const review = (spec: object) => ({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec });

const rules = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
  { apiGroups: ['apps'], resources: ['deployments', 'deployments/scale'], resourceNames: ['one'], verbs: ['get', 'patch'] },
];

export const access: Area = {
  name: 'access',
  cases: {
    'without a token, or with a wrong one': async (talk) => {
      await talk.get('/api/v1/nodes', { token: 'nobody' });
      await talk.get('/readyz', { token: 'nobody' });
      await talk.get('/version', { token: 'nobody', pick: (body) => body.status ?? 'a version' });
      await talk.get('/readyz', { token: null });
      await talk.get('/livez', { token: null });
      await talk.get('/version', { token: null, pick: (body) => Object.keys(body).includes('gitVersion') });
    },
    'what a user may not do': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('access-forbidden'), { quiet: true });
      const path = '/api/v1/namespaces/access-forbidden';
      await talk.get('/api/v1/nodes', as);
      await talk.get('/api/v1/nodes/one', as);
      await talk.get(`${path}/secrets`, as);
      await talk.get(`${path}/secrets/one`, as);
      await talk.post(`${path}/configmaps`, configMap('one'), as);
      await talk.put(`${path}/configmaps/one`, configMap('one'), as);
      await talk.patch(`${path}/configmaps/one`, 'merge', {}, as);
      await talk.delete(`${path}/configmaps/one`, undefined, as);
      await talk.delete(`${path}/configmaps`, undefined, as);
      await talk.get(`${path}/configmaps?watch=1`, as);
      await talk.post(`${path}/pods/one/eviction`, {}, as);
      await talk.get('/apis/apps/v1/deployments', as);
      await talk.patch(`/apis/apps/v1/namespaces/access-forbidden/deployments/one/scale`, 'merge', {}, as);
      await talk.get('/apis/contract.example/v1/widgets', as);
      await talk.get('/metrics', as);
      await talk.get('/api/v1/namespaces/access-forbidden', as);
      await talk.get('/api', { ...as, pick: (body) => body.kind });
      await talk.get('/apis/apps/v1', { ...as, pick: (body) => body.kind });
      await talk.get('/healthz', as);
    },
    'roles grant': async (talk) => {
      const home = 'access-roles';
      await talk.post('/api/v1/namespaces', namespace(home), { quiet: true });
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      const subjects = [{ kind: 'User', name: READER.name, apiGroup: 'rbac.authorization.k8s.io' }];
      const reference = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
      await talk.post(`${rbac}/namespaces/${home}/roles`, { kind: 'Role', metadata: { name: 'one' }, rules }, { quiet: true });
      await talk.post(
        `${rbac}/namespaces/${home}/rolebindings`,
        { kind: 'RoleBinding', metadata: { name: 'one' }, subjects, roleRef: reference('Role', 'one') },
        { quiet: true },
      );
      await talk.post(`/api/v1/namespaces/${home}/configmaps`, configMap('one'), { quiet: true });
      const allowed = { ...as, pick: (body: { kind: string; message?: string }) => body.message ?? body.kind };
      await talk.eventually(`/api/v1/namespaces/${home}/configmaps`, (body) => body.kind === 'ConfigMapList', allowed);
      await talk.get(`/api/v1/namespaces/${home}/configmaps/one`, allowed);
      await talk.get(`/api/v1/namespaces/${home}/configmaps?watch=1&timeoutSeconds=1`, allowed);
      await talk.get('/api/v1/configmaps', allowed);
      await talk.get(`/apis/apps/v1/namespaces/${home}/deployments/one`, allowed);
      await talk.get(`/apis/apps/v1/namespaces/${home}/deployments/two`, allowed);
      await talk.get(`/apis/apps/v1/namespaces/${home}/deployments/one/scale`, allowed);
      await talk.post(
        `${rbac}/clusterroles`,
        {
          kind: 'ClusterRole',
          metadata: { name: 'access-nodes' },
          rules: [
            { apiGroups: ['*'], resources: ['nodes'], verbs: ['*'] },
            { nonResourceURLs: ['/metrics'], verbs: ['get'] },
          ],
        },
        { quiet: true },
      );
      await talk.post(
        `${rbac}/clusterrolebindings`,
        {
          kind: 'ClusterRoleBinding',
          metadata: { name: 'access-nodes' },
          subjects: [{ kind: 'Group', name: READER.group, apiGroup: 'rbac.authorization.k8s.io' }],
          roleRef: reference('ClusterRole', 'access-nodes'),
        },
        { quiet: true },
      );
      await talk.eventually('/api/v1/nodes', (body) => body.kind === 'NodeList', allowed);
      await talk.delete(`${rbac}/clusterrolebindings/access-nodes`, undefined, { quiet: true });
      await talk.eventually('/api/v1/nodes', (body) => body.kind === 'Status', allowed);
      await talk.post(
        `${REVIEWS}/selfsubjectaccessreviews`,
        review({ resourceAttributes: { namespace: home, verb: 'get', resource: 'configmaps' } }),
        as,
      );
      await talk.post(
        `${REVIEWS}/selfsubjectrulesreviews`,
        { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', spec: { namespace: home } },
        { ...as, pick: sorted },
      );
    },
    'asking beforehand': async (talk) => {
      const ask = (spec: object, token: string = TOKENS.reader) =>
        talk.post(`${REVIEWS}/selfsubjectaccessreviews`, review(spec), { token });
      await ask({ resourceAttributes: { verb: 'list', resource: 'secrets', namespace: 'default' } });
      await ask({ resourceAttributes: { verb: 'list', resource: 'secrets', namespace: 'default' } }, TOKENS.admin);
      await ask({ resourceAttributes: { verb: 'create', resource: 'pods', subresource: 'eviction', name: 'one', namespace: 'default' } });
      await ask({ nonResourceAttributes: { path: '/metrics', verb: 'get' } });
      await ask({ nonResourceAttributes: { path: '/openapi', verb: 'get' } });
      await ask({});
      await ask({ resourceAttributes: { verb: 'get', resource: 'pods' }, nonResourceAttributes: { path: '/metrics', verb: 'get' } });
      await talk.post(
        `${REVIEWS}/selfsubjectrulesreviews`,
        { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', spec: {} },
        as,
      );
      await talk.get(`${REVIEWS}/selfsubjectaccessreviews`);
    },
    'who am I': async (talk) => {
      await talk.post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
        as,
      );
    },
  },
};

/** Rules come in no order. */
// oxlint-disable-next-line typescript/no-explicit-any -- open JSON
function sorted(body: any): unknown {
  const inOrder = (rules: unknown[]) =>
    rules
      .map((rule) => JSON.stringify(rule))
      .toSorted()
      .map((rule): unknown => JSON.parse(rule));
  const { resourceRules, nonResourceRules, ...status } = body.status;
  return { ...body, status: { ...status, resourceRules: inOrder(resourceRules), nonResourceRules: inOrder(nonResourceRules) } };
}
