/** The ClusterRole grants what the code asks of a cluster, nothing less and nothing more. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { newerApis } from '../../domain/facts/newer-apis.ts';
import { API_INTRODUCTIONS } from '../../domain/tables/api-introductions.ts';
import { parseKubernetesVersion } from '../../domain/core/version.ts';
import { mendOf, rightsOf } from '../../domain/policy/permissions/granting.ts';
import { ADMISSION_OPTIONS, ROLE_OPTIONS, roleFile } from '../../domain/policy/permissions/options.ts';
import { SNAPSHOT_RULES } from '../../domain/readiness/model/snapshot-rights.ts';
import { isOptional, permissionsOf, type RbacRule, SOURCE_IDS } from '../../domain/readiness/model/sources.ts';
import { root, sourcesIn, textOf, yamlOf } from './files.ts';

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
  '/pods': ['get', 'list'],
  '/namespaces': ['get', 'list'],
  '/events': ['list'],
  '/services': ['get', 'list'],
  'apps/deployments': ['get', 'list', 'patch'],
  'apps/statefulsets': ['get', 'list', 'patch'],
  'apps/daemonsets': ['get', 'list'],
  'apps/replicasets': ['get'],
  'autoscaling/horizontalpodautoscalers': ['get', 'list'],
  'policy/poddisruptionbudgets': ['list'],
  'discovery.k8s.io/endpointslices': ['list'],
  'storage.k8s.io/volumeattachments': ['list'],
  'karpenter.sh/nodepools': ['get', 'list', 'patch'],
  'karpenter.sh/nodeclaims': ['list'],
  'karpenter.k8s.aws/ec2nodeclasses': ['get', 'list'],
  'eks.amazonaws.com/nodeclasses': ['list'],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': ['get', 'list'],
  'admissionregistration.k8s.io/validatingwebhookconfigurations': ['get', 'list'],
  'gateway.networking.k8s.io/gateways': ['get', 'list'],
  'gateway.networking.k8s.io/gatewayclasses': ['list'],
  'argoproj.io/rollouts': ['get', 'list'],
  'argoproj.io/applications': ['get', 'list'],
  'helm.toolkit.fluxcd.io/helmreleases': ['get', 'list'],
  'source.toolkit.fluxcd.io/ocirepositories': ['get', 'list'],
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
const USED = verbsIn([...upgrades, ...newer, ...readiness, ...SNAPSHOT_RULES]);

/** Asked for only where Helm installs (kubernetes-rbac-istio-helm.yaml, kubernetes-rbac-karpenter-helm.yaml), or open to everybody who is signed in. */
const ELSEWHERE = ['secrets', 'serviceaccounts', 'selfsubjectaccessreviews'];

/** Done only where Helm installs. */
const BY_HELM = ['delete /secrets', 'patch apiextensions.k8s.io/customresourcedefinitions', 'patch /serviceaccounts'];

/** What each optional role lets Belay change: its file says whom it is for. */
const OPTIONAL: Record<string, readonly string[]> = {
  'canary-node': ['create karpenter.sh/nodeclaims', 'delete karpenter.sh/nodeclaims'],
  'delete-pods': ['delete /pods'],
  gitops: ['patch argoproj.io/applications', 'patch helm.toolkit.fluxcd.io/helmreleases', 'patch source.toolkit.fluxcd.io/ocirepositories'],
  istio: [
    'delete admissionregistration.k8s.io/mutatingwebhookconfigurations',
    'patch /namespaces',
    'patch /services',
    'patch admissionregistration.k8s.io/mutatingwebhookconfigurations',
    'patch admissionregistration.k8s.io/validatingwebhookconfigurations istiod-default-validator',
    'patch apps/daemonsets',
    'patch argoproj.io/rollouts',
    'patch autoscaling/horizontalpodautoscalers',
    'patch gateway.networking.k8s.io/gateways',
  ],
  'istio-gitops': ['argoproj.io/applications', 'helm.toolkit.fluxcd.io/helmreleases', 'source.toolkit.fluxcd.io/ocirepositories']
    .flatMap((resource) => ['create', 'delete', 'patch'].map((verb) => `${verb} ${resource}`))
    .sort(),
  'karpenter-migration': [
    'create karpenter.k8s.aws/ec2nodeclasses',
    'create karpenter.sh/nodepools',
    'delete admissionregistration.k8s.io/mutatingwebhookconfigurations defaulting.webhook.karpenter.k8s.aws',
    'delete admissionregistration.k8s.io/validatingwebhookconfigurations validation.webhook.config.karpenter.sh',
    'delete admissionregistration.k8s.io/validatingwebhookconfigurations validation.webhook.karpenter.k8s.aws',
    'delete admissionregistration.k8s.io/validatingwebhookconfigurations validation.webhook.karpenter.sh',
    'delete karpenter.k8s.aws/awsnodetemplates',
    'delete karpenter.sh/provisioners',
    'patch apiextensions.k8s.io/customresourcedefinitions/status ec2nodeclasses.karpenter.k8s.aws',
    'patch apiextensions.k8s.io/customresourcedefinitions/status nodeclaims.karpenter.sh',
    'patch apiextensions.k8s.io/customresourcedefinitions/status nodepools.karpenter.sh',
    'patch karpenter.k8s.aws/ec2nodeclasses',
    'patch karpenter.sh/nodeclaims',
    'patch karpenter.sh/provisioners',
  ],
  'node-classes': ['patch karpenter.k8s.aws/ec2nodeclasses'],
  'self-managed': ['create /pods/eviction'],
};

/** "delete /pods", with the object where the role names it. */
function writesIn(path: string): string[] {
  const found = yamlOf(path).flatMap((document) => z.object({ rules: z.array(z.unknown()) }).safeParse(document).data?.rules ?? []);
  return found
    .flatMap((rule) => resourceRule.safeParse(rule).data ?? [])
    .flatMap(({ apiGroups: [group = ''], resources, resourceNames = [''], verbs }) =>
      verbs
        .filter((verb) => verb !== 'get' && verb !== 'list')
        .flatMap((verb) => resources.flatMap((resource) => resourceNames.map((name) => `${verb} ${group}/${resource} ${name}`.trimEnd()))),
    )
    .sort();
}

/** Which files change something in a cluster, and what. */
const CHANGES: Record<string, readonly string[]> = {
  'activities/kubernetes/gitops/argo-cd.ts': ['patch argoproj.io/applications'],
  'activities/kubernetes/gitops/flux.ts': ['patch helm.toolkit.fluxcd.io/helmreleases', 'patch source.toolkit.fluxcd.io/ocirepositories'],
  // Deliverer of Helm on what a chart brings.
  'activities/kubernetes/helm/ownership.ts': ['patch apiextensions.k8s.io/customresourcedefinitions', 'patch /serviceaccounts'],
  'activities/istio/waves/gateways.ts': ['patch gateway.networking.k8s.io/gateways', 'patch apps/deployments', 'patch apps/daemonsets'],
  'activities/istio/retirement/gitops-retire.ts': [
    'delete argoproj.io/applications',
    'delete helm.toolkit.fluxcd.io/helmreleases',
    'delete source.toolkit.fluxcd.io/ocirepositories',
  ],
  'activities/istio/revision/gitops-revision.ts': [
    'create argoproj.io/applications',
    'create helm.toolkit.fluxcd.io/helmreleases',
    'create source.toolkit.fluxcd.io/ocirepositories',
  ],
  'activities/istio/mesh/lone-istiod.ts': ['patch autoscaling/horizontalpodautoscalers', 'patch apps/deployments'],
  'activities/istio/mesh/namespace-labels.ts': ['patch /namespaces'],
  'activities/istio/waves/restart.ts': ['patch argoproj.io/rollouts'],
  'activities/istio/revision/revision-tags.ts': [
    'patch admissionregistration.k8s.io/mutatingwebhookconfigurations',
    'patch admissionregistration.k8s.io/validatingwebhookconfigurations',
    'patch /services',
  ],
  'activities/istio/waves/restart-by-hand.ts': ['delete /pods'],
  // Validating ones with Helm only: what may not be deleted is named.
  'activities/istio/mesh/stray-webhooks.ts': ['delete admissionregistration.k8s.io/mutatingwebhookconfigurations'],
  'activities/karpenter/amis/change-amis.ts': ['patch karpenter.k8s.aws/ec2nodeclasses'],
  'activities/karpenter/controller/canary-node.ts': ['create karpenter.sh/nodeclaims', 'delete karpenter.sh/nodeclaims'],
  'activities/karpenter/freeze/freeze.ts': ['patch karpenter.sh/nodepools'],
  'activities/karpenter/amis/hold-amis.ts': ['patch karpenter.k8s.aws/ec2nodeclasses'],
  'activities/karpenter/objects/node-annotations.ts': ['patch /nodes'],
  'activities/karpenter/amis/switch-node-class.ts': ['patch karpenter.sh/nodepools'],
  'activities/eks/auto-scaling/cluster-autoscaler.ts': ['patch apps/deployments'],
  'activities/eks/fargate/stop-fargate.ts': ['patch apps/deployments', 'patch apps/statefulsets'],
  'activities/kubernetes/objects/restart-rollout.ts': ['patch apps/deployments', 'patch apps/statefulsets', 'patch apps/daemonsets'],
  // With Helm only.
  'activities/kubernetes/helm/settled-release.ts': ['delete /secrets'],
  'activities/kubernetes/objects/cordon-node.ts': ['patch /nodes'],
  'activities/kubernetes/objects/scale-workloads.ts': ['patch apps/deployments', 'patch apps/statefulsets', 'delete /pods'],
  'activities/karpenter/migration/freeze.ts': ['patch karpenter.sh/nodepools'],
  'activities/karpenter/migration/kubelet-settings.ts': ['patch karpenter.sh/nodepools', 'patch karpenter.k8s.aws/ec2nodeclasses'],
  'activities/karpenter/migration/old-objects.ts': [
    'patch karpenter.sh/provisioners',
    'delete karpenter.sh/provisioners',
    'delete karpenter.k8s.aws/awsnodetemplates',
  ],
  'activities/karpenter/migration/old-webhooks.ts': [
    'delete admissionregistration.k8s.io/mutatingwebhookconfigurations',
    'delete admissionregistration.k8s.io/validatingwebhookconfigurations',
  ],
  'activities/karpenter/migration/store-as-v1.ts': [
    'patch karpenter.sh/nodepools',
    'patch karpenter.sh/nodeclaims',
    'patch karpenter.k8s.aws/ec2nodeclasses',
    'patch apiextensions.k8s.io/customresourcedefinitions/status',
  ],
  'activities/karpenter/migration/new-objects.ts': ['create karpenter.sh/nodepools', 'create karpenter.k8s.aws/ec2nodeclasses'],
  'activities/eks/auto-scaling/drain-instances.ts': ['patch /nodes', 'create /pods/eviction'],
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

  test('RS6: changes four kinds of objects, by patch; all else is for those who apply more', () => {
    expect(writesIn('deploy/kubernetes-rbac.yaml')).toEqual([
      'patch /nodes',
      'patch apps/deployments',
      'patch apps/statefulsets',
      'patch karpenter.sh/nodepools',
    ]);
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

describe('roles of their own', () => {
  test.each(Object.entries(OPTIONAL))('RS6: kubernetes-rbac-%s.yaml lets Belay do what only some need, and says who', (option, changes) => {
    const path = `deploy/kubernetes-rbac-${option}.yaml`;
    expect(writesIn(path)).toEqual(changes);
    expect(textOf(path).slice(0, 400).replaceAll('\n# ', ' ')).toMatch(/^# (Only (where|for|while) |Optional, ).*in addition to/);
    expect(yamlOf(path).at(-1)).toMatchObject({
      roleRef: { name: `belay-${option}` },
      subjects: [{ kind: 'Group', name: 'belay' }],
    });
  });

  test('RS6: no other file lets Belay change anything, but in a namespace or as an administrator', () => {
    const others = ROLE_OPTIONS.filter((option) => OPTIONAL[option] === undefined);
    expect(others).toEqual(['helm-releases', 'istio-helm', 'karpenter-helm', 'mesh-debug', 'mesh-scrapes', 'scrapes']);
    expect(others.flatMap((option) => writesIn(roleFile(option)))).toEqual(['create /pods/portforward']);
    const files = readdirSync(join(root, 'deploy')).filter((name) => /^kubernetes-rbac-.*\.yaml$/.test(name));
    expect(files.map((name) => `deploy/${name}`)).toEqual(ROLE_OPTIONS.map(roleFile).sort());
  });

  test('RS6: a refusal and the doctor name the file that grants what is missing', () => {
    for (const option of ADMISSION_OPTIONS) {
      for (const { verb, group, resource, subresource, name } of rightsOf(option)) {
        const full = subresource === undefined ? resource : `${resource}/${subresource}`;
        expect(writesIn(roleFile(option))).toContain([`${verb} ${group}/${full}`, name].filter((part) => part !== undefined).join(' '));
        expect(
          mendOf(`x is forbidden: User "belay" cannot ${verb} resource "${full}" in API group "${group}" at the cluster scope`),
        ).toContain(roleFile(option));
      }
    }
    expect(rightsOf().map(({ verb, group, resource }) => `${verb} ${group}/${resource}`)).toEqual(writesIn(roleFile()));
    expect(mendOf('nodes is forbidden: User "belay" cannot patch resource "nodes" in API group "" at the cluster scope')).toBeUndefined();
  });
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
      'activities/kubernetes/objects/shared-lists.ts',
      'activities/kubernetes/objects/patch-object.ts',
      'activities/clients/kubernetes/client.ts',
    ];
    const changing = sources.filter(({ path, text }) => mutation.test(text) && !means.includes(path)).map(({ path }) => path);
    expect(changing).toEqual(Object.keys(CHANGES).toSorted());
    for (const change of Object.values(CHANGES).flat()) {
      const granted = [...writesIn('deploy/kubernetes-rbac.yaml'), ...Object.values(OPTIONAL).flat()].some((right) =>
        `${right} `.startsWith(`${change} `),
      );
      expect({ change, granted: granted || BY_HELM.includes(change) }).toEqual({ change, granted: true });
    }
  });
});
