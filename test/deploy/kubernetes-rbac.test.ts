/** The ClusterRole grants what the code asks of a cluster, nothing less and nothing more. */
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { newerApis } from '../../domain/newer-apis.ts';
import { API_INTRODUCTIONS } from '../../domain/tables/api-introductions.ts';
import { parseKubernetesVersion } from '../../domain/version.ts';
import { isOptional, permissionsOf, type RbacRule, SOURCE_IDS } from '../../domain/readiness/sources.ts';
import { sourcesIn, yamlOf } from './files.ts';

const RBAC = 'rbac.authorization.k8s.io';
const metadata = z.object({ name: z.literal('belay') });
const resourceRule = z.strictObject({
  apiGroups: z.array(z.string()).length(1),
  resources: z.array(z.string()),
  resourceNames: z.array(z.string()).optional(),
  verbs: z.array(z.enum(['get', 'list', 'patch', 'delete', 'create'])),
});
const [role, binding] = z
  .tuple([
    z.object({
      apiVersion: z.literal(`${RBAC}/v1`),
      kind: z.literal('ClusterRole'),
      metadata,
      rules: z.array(z.union([z.strictObject({ nonResourceURLs: z.array(z.string()), verbs: z.tuple([z.literal('get')]) }), resourceRule])),
    }),
    z.object({
      apiVersion: z.literal(`${RBAC}/v1`),
      kind: z.literal('ClusterRoleBinding'),
      metadata,
      roleRef: z.object({ apiGroup: z.literal(RBAC), kind: z.literal('ClusterRole'), name: z.literal('belay') }),
      subjects: z.tuple([z.object({ kind: z.literal('Group'), name: z.literal('belay'), apiGroup: z.literal(RBAC) })]),
    }),
  ])
  .parse(yamlOf('deploy/kubernetes-rbac.yaml'));

/**
 * What upgrades do, resource by resource; readiness says itself what it reads. The tests below keep it complete: a plural or a mutation that appears in the sources and not
 * here fails them.
 */
const UPGRADES: Record<string, readonly string[]> = {
  '/nodes': ['get', 'list', 'patch'],
  '/pods': ['delete', 'get', 'list'],
  '/namespaces': ['get', 'list', 'patch'],
  '/events': ['list'],
  '/services': ['get', 'list', 'patch'],
  'apps/deployments': ['get', 'list', 'patch'],
  'apps/statefulsets': ['get', 'list', 'patch'],
  'apps/daemonsets': ['get', 'list', 'patch'],
  'apps/replicasets': ['get'],
  'autoscaling/horizontalpodautoscalers': ['get', 'list', 'patch'],
  'policy/poddisruptionbudgets': ['list'],
  'discovery.k8s.io/endpointslices': ['list'],
  'storage.k8s.io/volumeattachments': ['list'],
  'karpenter.sh/nodepools': ['get', 'list', 'patch'],
  'karpenter.sh/nodeclaims': ['list'],
  'karpenter.k8s.aws/ec2nodeclasses': ['get', 'list', 'patch'],
  'eks.amazonaws.com/nodeclasses': ['list'],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': ['delete', 'get', 'list', 'patch'],
  'admissionregistration.k8s.io/validatingwebhookconfigurations': ['get', 'list', 'patch'],
  'gateway.networking.k8s.io/gateways': ['get', 'list', 'patch'],
  'gateway.networking.k8s.io/gatewayclasses': ['list'],
  'argoproj.io/rollouts': ['get', 'list', 'patch'],
  'argoproj.io/applications': ['get', 'list', 'patch'],
  'helm.toolkit.fluxcd.io/helmreleases': ['get', 'list', 'patch'],
  'source.toolkit.fluxcd.io/ocirepositories': ['get', 'list', 'patch'],
  'kustomize.toolkit.fluxcd.io/kustomizations': ['get'],
  'apiextensions.k8s.io/customresourcedefinitions': ['get'],
  '/serviceaccounts': ['get'],
  'crd.k8s.amazonaws.com/eniconfigs': ['list'],
  'coordination.k8s.io/leases': ['get'],
  'karpenter.sh/provisioners': ['list'],
  'karpenter.sh/machines': ['list'],
  'karpenter.k8s.aws/awsnodetemplates': ['list'],
};

/** Verbs by resource. */
function verbsIn(rules: readonly RbacRule[]): Record<string, string[]> {
  const verbs: Record<string, Set<string>> = {};
  for (const { apiGroups = [''], resources = [], verbs: granted } of rules) {
    for (const resource of resources) {
      const key = `${apiGroups[0] ?? ''}/${resource}`;
      verbs[key] = new Set([...(verbs[key] ?? []), ...granted]);
    }
  }
  return Object.fromEntries(Object.entries(verbs).map(([key, set]) => [key, [...set].sort()]));
}

const baseSources = SOURCE_IDS.filter((id) => !isOptional(id));
const readiness = permissionsOf(baseSources).rbac;
const upgrades = Object.entries(UPGRADES).map(([key, verbs]): RbacRule => {
  const slash = key.indexOf('/');
  return { apiGroups: [key.slice(0, slash)], resources: [key.slice(slash + 1)], verbs };
});
/** What is looked at before a control plane goes back, whichever minor it is at. */
const newer = [...new Set(API_INTRODUCTIONS.map(({ introducedIn }) => introducedIn))]
  .flatMap((minor) => newerApis(parseKubernetesVersion(minor)))
  .map(({ group, plural }): RbacRule => ({ apiGroups: [group], resources: [plural], verbs: ['list'] }));
const USED = verbsIn([...upgrades, ...newer, ...readiness]);

/** Asked for only where Helm installs (kubernetes-rbac-istio-helm.yaml, kubernetes-rbac-karpenter-helm.yaml), or open to everybody who is signed in. */
const ELSEWHERE = ['secrets', 'serviceaccounts', 'selfsubjectaccessreviews'];

/** Done only where Helm installs, or with kubernetes-rbac-self-managed.yaml. */
const ELSEWHERE_TOO = [
  'create /pods/eviction',
  'delete /secrets',
  'patch apiextensions.k8s.io/customresourcedefinitions',
  'patch /serviceaccounts',
];

/** Done only where GitOps delivers Istio (kubernetes-rbac-istio-gitops.yaml). */
const WITH_GITOPS = ['argoproj.io/applications', 'helm.toolkit.fluxcd.io/helmreleases', 'source.toolkit.fluxcd.io/ocirepositories'].flatMap(
  (resource) => [`create ${resource}`, `delete ${resource}`],
);
/** Done only where Karpenter is older than 1.0 (kubernetes-rbac-karpenter-migration.yaml). */
const MIGRATION = z
  .tuple([z.object({ kind: z.literal('ClusterRole'), rules: z.array(resourceRule) }), z.object({ kind: z.literal('ClusterRoleBinding') })])
  .parse(yamlOf('deploy/kubernetes-rbac-karpenter-migration.yaml'))[0].rules;
const MIGRATING: Record<string, readonly string[]> = {
  'admissionregistration.k8s.io/validatingwebhookconfigurations': ['delete'],
  'apiextensions.k8s.io/customresourcedefinitions/status': ['patch'],
  'karpenter.k8s.aws/awsnodetemplates': ['delete'],
  'karpenter.k8s.aws/ec2nodeclasses': ['create'],
  'karpenter.sh/nodeclaims': ['patch'],
  'karpenter.sh/nodepools': ['create'],
  'karpenter.sh/provisioners': ['delete', 'get', 'patch'],
};

/** Done only for karpenter.canaryNode (kubernetes-rbac-canary-node.yaml). */
const CANARY = ['create karpenter.sh/nodeclaims', 'delete karpenter.sh/nodeclaims'];

/** Which files change something in a cluster, and what. */
const CHANGES: Record<string, readonly string[]> = {
  'activities/delivery/argo-cd.ts': ['patch argoproj.io/applications'],
  'activities/delivery/flux.ts': ['patch helm.toolkit.fluxcd.io/helmreleases', 'patch source.toolkit.fluxcd.io/ocirepositories'],
  // Marks of Helm on what a chart brings.
  'activities/kubernetes/helm-ownership.ts': ['patch apiextensions.k8s.io/customresourcedefinitions', 'patch /serviceaccounts'],
  'activities/kubernetes/istio/gateways.ts': [
    'patch gateway.networking.k8s.io/gateways',
    'patch apps/deployments',
    'patch apps/daemonsets',
  ],
  'activities/kubernetes/istio/gitops-retire.ts': WITH_GITOPS.filter((change) => change.startsWith('delete')),
  'activities/kubernetes/istio/gitops-revision.ts': WITH_GITOPS.filter((change) => change.startsWith('create')),
  'activities/kubernetes/istio/lone-istiod.ts': ['patch autoscaling/horizontalpodautoscalers', 'patch apps/deployments'],
  'activities/kubernetes/istio/namespace-labels.ts': ['patch /namespaces'],
  'activities/kubernetes/istio/restart.ts': ['patch argoproj.io/rollouts'],
  'activities/kubernetes/istio/revision-tags.ts': [
    'patch admissionregistration.k8s.io/mutatingwebhookconfigurations',
    'patch admissionregistration.k8s.io/validatingwebhookconfigurations',
    'patch /services',
  ],
  'activities/kubernetes/istio/roll-by-hand.ts': ['delete /pods'],
  // Validating ones with Helm only: what may not be deleted is named.
  'activities/kubernetes/istio/stray-webhooks.ts': ['delete admissionregistration.k8s.io/mutatingwebhookconfigurations'],
  'activities/kubernetes/karpenter/ami-moves.ts': ['patch karpenter.k8s.aws/ec2nodeclasses'],
  'activities/kubernetes/karpenter/canary-node.ts': CANARY,
  'activities/kubernetes/karpenter/freeze.ts': ['patch karpenter.sh/nodepools'],
  'activities/kubernetes/karpenter/hold-amis.ts': ['patch karpenter.k8s.aws/ec2nodeclasses'],
  'activities/kubernetes/karpenter/hold-node.ts': ['patch /nodes'],
  'activities/kubernetes/karpenter/switch-node-class.ts': ['patch karpenter.sh/nodepools'],
  'activities/kubernetes/other-nodes/autoscaler.ts': ['patch apps/deployments'],
  'activities/kubernetes/other-nodes/fargate-stop.ts': ['patch apps/deployments', 'patch apps/statefulsets'],
  'activities/kubernetes/rollout-restart.ts': ['patch apps/deployments', 'patch apps/statefulsets', 'patch apps/daemonsets'],
  // With Helm only.
  'activities/kubernetes/settled-release.ts': ['delete /secrets'],
  'activities/kubernetes/workloads.ts': ['patch apps/deployments', 'patch apps/statefulsets', 'delete /pods'],
  'activities/migrations/hold.ts': ['patch karpenter.sh/nodepools'],
  'activities/migrations/kubelets.ts': ['patch karpenter.sh/nodepools', 'patch karpenter.k8s.aws/ec2nodeclasses'],
  'activities/migrations/legacy.ts': [
    'patch karpenter.sh/provisioners',
    'delete karpenter.sh/provisioners',
    'delete karpenter.k8s.aws/awsnodetemplates',
  ],
  'activities/migrations/old-webhooks.ts': [
    'delete admissionregistration.k8s.io/mutatingwebhookconfigurations',
    'delete admissionregistration.k8s.io/validatingwebhookconfigurations',
  ],
  'activities/migrations/store-as-v1.ts': [
    'patch karpenter.sh/nodepools',
    'patch karpenter.sh/nodeclaims',
    'patch karpenter.k8s.aws/ec2nodeclasses',
    'patch apiextensions.k8s.io/customresourcedefinitions/status',
  ],
  'activities/migrations/successors.ts': ['create karpenter.sh/nodepools', 'create karpenter.k8s.aws/ec2nodeclasses'],
  'activities/self-managed/drain.ts': ['patch /nodes', 'create /pods/eviction'],
};

const resourceRules = role.rules.filter((rule): rule is z.infer<typeof resourceRule> => 'resources' in rule);
const plurals = Object.keys(USED).map((resource) => resource.slice(resource.indexOf('/') + 1));
const sources = sourcesIn('activities', 'worker');

describe('deploy/kubernetes-rbac.yaml', () => {
  test('grants what is used, and nothing else', () => {
    expect(verbsIn(resourceRules)).toEqual(USED);
  });

  test('reads no Secret, executes nothing, evicts nothing, gives no rights away', () => {
    const resources = resourceRules.flatMap((rule) => rule.resources);
    expect(resources.filter((resource) => resource === '*' || /secrets|\/|tokenreviews/.test(resource))).toEqual([]);
    const accounts = resourceRules.filter((rule) => rule.resources.includes('serviceaccounts'));
    expect(accounts.flatMap(({ verbs }) => verbs)).toEqual(['get']);
    const rights = resourceRules.filter((rule) => rule.resources.some((resource) => /roles|rolebindings/.test(resource)));
    expect(rights.flatMap(({ verbs }) => verbs).filter((verb) => verb !== 'list')).toEqual([]);
  });

  test('the default validator is the only validating webhook that may be changed', () => {
    const changing = resourceRules.filter(
      ({ resources, verbs }) => resources.includes('validatingwebhookconfigurations') && verbs.includes('patch'),
    );
    expect(changing.map(({ resourceNames }) => resourceNames)).toEqual([['istiod-default-validator']]);
  });

  test('lets paths be read that are no resources, those that readiness asks for', () => {
    const paths = role.rules.flatMap((rule) => ('nonResourceURLs' in rule ? rule.nonResourceURLs : []));
    expect(paths).toEqual([...new Set(['/version', '/readyz', ...readiness.flatMap(({ nonResourceURLs = [] }) => nonResourceURLs)])]);
  });

  test('of ConfigMaps only kube-proxy’s are read', () => {
    const named = resourceRules.filter(({ resources }) => resources.includes('configmaps'));
    expect(named.map(({ resourceNames }) => resourceNames)).toEqual([['kube-proxy-config', 'kube-proxy']]);
  });

  test('is bound to the group that the access entry maps to', () => {
    expect(binding.subjects[0].name).toBe('belay');
  });
});

test('Helm’s releases are an optional role of their own, which belay.yaml has to name', () => {
  const [optional] = yamlOf('deploy/kubernetes-rbac-helm-releases.yaml');
  const { rbac } = permissionsOf(SOURCE_IDS.filter(isOptional), true);
  expect(optional).toMatchObject({ kind: 'ClusterRole', rules: rbac });
});

test('a migration of Karpenter has a role of its own, with no more than it does', () => {
  expect(verbsIn(MIGRATION)).toEqual(MIGRATING);
});

test('a canary node is a role of its own: NodeClaims made and deleted, and nothing else', () => {
  const [optional, bound] = yamlOf('deploy/kubernetes-rbac-canary-node.yaml');
  expect(optional).toMatchObject({
    kind: 'ClusterRole',
    rules: [{ apiGroups: ['karpenter.sh'], resources: ['nodeclaims'], verbs: ['get', 'create', 'delete'] }],
  });
  expect(bound).toMatchObject({ subjects: [{ kind: 'Group', name: 'belay' }] });
});

test('eviction is a role of its own, for groups that Belay refreshes', () => {
  const [role, binding] = yamlOf('deploy/kubernetes-rbac-self-managed.yaml');
  expect(role).toMatchObject({ kind: 'ClusterRole', rules: [{ apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] }] });
  expect(binding).toMatchObject({ subjects: [{ kind: 'Group', name: 'belay' }] });
});

test('making and deleting what delivers Istio is a role of its own', () => {
  const [optional, bound] = yamlOf('deploy/kubernetes-rbac-istio-gitops.yaml');
  expect(verbsIn(z.object({ rules: z.array(resourceRule) }).parse(optional).rules)).toEqual(
    Object.fromEntries(WITH_GITOPS.map((change) => [change.split(' ')[1], ['create', 'delete']])),
  );
  expect(bound).toMatchObject({ subjects: [{ name: 'belay' }] });
});

test('asking istiod is a role of its own, for one namespace', () => {
  const [role, bound] = yamlOf('deploy/kubernetes-rbac-mesh-debug.yaml');
  expect(role).toMatchObject({
    kind: 'Role',
    metadata: { namespace: 'istio-system' },
    rules: [{ apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] }],
  });
  expect(bound).toMatchObject({
    kind: 'RoleBinding',
    metadata: { namespace: 'istio-system' },
    subjects: [{ kind: 'Group', name: 'belay' }],
  });
});

describe('the sources', () => {
  test('name no resource that is missing above', () => {
    const named = sources.flatMap(({ text }) =>
      [
        ...text.matchAll(/plural(?:\s*[:=]\s*|: string = )'([a-z0-9]+)'|Deployment: '(\w+)', StatefulSet: '(\w+)', DaemonSet: '(\w+)'/g),
      ].flatMap((match) => match.slice(1)),
    );
    const known = named.filter((plural) => plural !== undefined);
    expect(known).toContain('nodepools');
    expect([...new Set(known)].filter((plural) => !plurals.includes(plural) && !ELSEWHERE.includes(plural))).toEqual([]);
  });

  test('change clusters in no other files than those above', () => {
    const mutation = /\b(?:port|kubernetes)\.(?:patch|delete|create)\b|\blookThenPatch[<(]/;
    // The doctor only asks what it may do; the others define how objects are changed, or pass it on.
    const means = [
      'worker/doctor/access.ts',
      'activities/readiness/sharing.ts',
      'activities/kubernetes/look-then-patch.ts',
      'activities/clients/kubernetes.ts',
    ];
    const changing = sources.filter(({ path, text }) => mutation.test(text) && !means.includes(path)).map(({ path }) => path);
    expect(changing).toEqual(Object.keys(CHANGES));
    for (const change of Object.values(CHANGES).flat()) {
      const [verb = '', resource = ''] = change.split(' ');
      const granted = [USED, MIGRATING].some((rights) => rights[resource]?.includes(verb) === true);
      const elsewhere = [...ELSEWHERE_TOO, ...WITH_GITOPS, ...CANARY].includes(change);
      expect({ change, granted: elsewhere || granted }).toEqual({ change, granted: true });
    }
  });
});
