/** The resource types that the stand-in serves: built-in ones, and those of Karpenter, Istio and GitOps controllers once their CRDs exist. */
import type { KubeObject, ResourceType } from './store.ts';

type Subresources = NonNullable<ResourceType['subresources']>;

function typesOf(
  group: string,
  version: string,
  rows: [plural: string, kind: string, scope: 'namespaced' | 'cluster', ...rest: Row][],
): ResourceType[] {
  return rows.map(([plural, kind, scope, shortNames, subresources]) => ({
    group,
    version,
    plural,
    kind,
    namespaced: scope === 'namespaced',
    ...(shortNames && shortNames.length > 0 ? { shortNames } : {}),
    ...(subresources ? { subresources } : {}),
  }));
}
type Row = [shortNames?: string[], subresources?: Subresources];

/** Types that every API server has. */
export const BUILT_IN_TYPES: readonly ResourceType[] = [
  ...typesOf('', 'v1', [
    ['namespaces', 'Namespace', 'cluster', ['ns'], ['status']],
    ['nodes', 'Node', 'cluster', ['no'], ['status']],
    ['pods', 'Pod', 'namespaced', ['po'], ['status', 'eviction']],
    ['services', 'Service', 'namespaced', ['svc'], ['status']],
    ['endpoints', 'Endpoints', 'namespaced', ['ep']],
    ['configmaps', 'ConfigMap', 'namespaced', ['cm']],
    ['secrets', 'Secret', 'namespaced'],
    ['events', 'Event', 'namespaced', ['ev']],
    ['serviceaccounts', 'ServiceAccount', 'namespaced', ['sa']],
    ['persistentvolumes', 'PersistentVolume', 'cluster', ['pv'], ['status']],
    ['persistentvolumeclaims', 'PersistentVolumeClaim', 'namespaced', ['pvc'], ['status']],
    ['replicationcontrollers', 'ReplicationController', 'namespaced', ['rc'], ['status', 'scale']],
    ['resourcequotas', 'ResourceQuota', 'namespaced', ['quota'], ['status']],
    ['limitranges', 'LimitRange', 'namespaced', ['limits']],
  ]),
  ...typesOf('apps', 'v1', [
    ['deployments', 'Deployment', 'namespaced', ['deploy'], ['status', 'scale']],
    ['replicasets', 'ReplicaSet', 'namespaced', ['rs'], ['status', 'scale']],
    ['statefulsets', 'StatefulSet', 'namespaced', ['sts'], ['status', 'scale']],
    ['daemonsets', 'DaemonSet', 'namespaced', ['ds'], ['status']],
    ['controllerrevisions', 'ControllerRevision', 'namespaced'],
  ]),
  ...typesOf('batch', 'v1', [
    ['jobs', 'Job', 'namespaced', [], ['status']],
    ['cronjobs', 'CronJob', 'namespaced', ['cj'], ['status']],
  ]),
  ...typesOf('policy', 'v1', [['poddisruptionbudgets', 'PodDisruptionBudget', 'namespaced', ['pdb'], ['status']]]),
  ...typesOf('autoscaling', 'v2', [['horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'namespaced', ['hpa'], ['status']]]),
  ...typesOf('admissionregistration.k8s.io', 'v1', [
    ['mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', 'cluster'],
    ['validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', 'cluster'],
  ]),
  ...typesOf('apiextensions.k8s.io', 'v1', [
    ['customresourcedefinitions', 'CustomResourceDefinition', 'cluster', ['crd', 'crds'], ['status']],
  ]),
  ...typesOf('apiregistration.k8s.io', 'v1', [['apiservices', 'APIService', 'cluster', [], ['status']]]),
  ...typesOf('coordination.k8s.io', 'v1', [['leases', 'Lease', 'namespaced']]),
  ...typesOf('networking.k8s.io', 'v1', [
    ['ingresses', 'Ingress', 'namespaced', ['ing'], ['status']],
    ['networkpolicies', 'NetworkPolicy', 'namespaced', ['netpol']],
  ]),
  ...typesOf('rbac.authorization.k8s.io', 'v1', [
    ['clusterroles', 'ClusterRole', 'cluster'],
    ['clusterrolebindings', 'ClusterRoleBinding', 'cluster'],
    ['roles', 'Role', 'namespaced'],
    ['rolebindings', 'RoleBinding', 'namespaced'],
  ]),
  ...typesOf('scheduling.k8s.io', 'v1', [['priorityclasses', 'PriorityClass', 'cluster', ['pc']]]),
  ...typesOf('storage.k8s.io', 'v1', [
    ['storageclasses', 'StorageClass', 'cluster', ['sc']],
    ['volumeattachments', 'VolumeAttachment', 'cluster', [], ['status']],
    ['csinodes', 'CSINode', 'cluster'],
    ['csidrivers', 'CSIDriver', 'cluster'],
  ]),
  ...typesOf('discovery.k8s.io', 'v1', [['endpointslices', 'EndpointSlice', 'namespaced']]),
  ...typesOf('flowcontrol.apiserver.k8s.io', 'v1', [
    ['flowschemas', 'FlowSchema', 'cluster', [], ['status']],
    ['prioritylevelconfigurations', 'PriorityLevelConfiguration', 'cluster', [], ['status']],
  ]),
];

/** Custom types that controllers of the twin know in process; over HTTP they exist only with their CRD or with an object of theirs. */
export const CUSTOM_TYPES: readonly ResourceType[] = [
  ...typesOf('karpenter.sh', 'v1', [
    ['nodepools', 'NodePool', 'cluster', [], ['status', 'scale']],
    ['nodeclaims', 'NodeClaim', 'cluster', [], ['status']],
  ]),
  ...typesOf('karpenter.k8s.aws', 'v1', [['ec2nodeclasses', 'EC2NodeClass', 'cluster', ['ec2nc', 'ec2ncs'], ['status']]]),
  ...typesOf('networking.istio.io', 'v1', [
    ['gateways', 'Gateway', 'namespaced', ['gw'], ['status']],
    ['virtualservices', 'VirtualService', 'namespaced', ['vs'], ['status']],
    ['destinationrules', 'DestinationRule', 'namespaced', ['dr'], ['status']],
  ]),
  ...typesOf('networking.istio.io', 'v1alpha3', [['envoyfilters', 'EnvoyFilter', 'namespaced', [], ['status']]]),
  ...typesOf('gateway.networking.k8s.io', 'v1', [
    ['gatewayclasses', 'GatewayClass', 'cluster', ['gc'], ['status']],
    ['gateways', 'Gateway', 'namespaced', ['gtw'], ['status']],
    ['httproutes', 'HTTPRoute', 'namespaced', [], ['status']],
  ]),
  ...typesOf('helm.toolkit.fluxcd.io', 'v2', [['helmreleases', 'HelmRelease', 'namespaced', ['hr'], ['status']]]),
  ...typesOf('kustomize.toolkit.fluxcd.io', 'v1', [['kustomizations', 'Kustomization', 'namespaced', ['ks'], ['status']]]),
  ...typesOf('source.toolkit.fluxcd.io', 'v1', [
    ['gitrepositories', 'GitRepository', 'namespaced', ['gitrepo'], ['status']],
    ['helmrepositories', 'HelmRepository', 'namespaced', ['helmrepo'], ['status']],
    ['ocirepositories', 'OCIRepository', 'namespaced', ['ocirepo'], ['status']],
  ]),
  ...typesOf('argoproj.io', 'v1alpha1', [
    ['applications', 'Application', 'namespaced', ['app', 'apps']],
    ['rollouts', 'Rollout', 'namespaced', ['ro'], ['status', 'scale']],
  ]),
];

/** "nodepools.karpenter.sh", "pods": how the API server names a type in messages. */
export function qualifiedName(type: Pick<ResourceType, 'group' | 'plural'>): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/** "nodepools.karpenter.sh", "pods.": unique over groups, and understood by the store. */
export function typeKey(type: Pick<ResourceType, 'group' | 'plural'>): string {
  return `${type.plural}.${type.group}`;
}

/** "v1", "karpenter.sh/v1" */
export function apiVersionOf(type: Pick<ResourceType, 'group' | 'version'>): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** "karpenter.sh" of "karpenter.sh/v1", "" of "v1". */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

/** The type that a CustomResourceDefinition declares, by its storage version; undefined when the definition is incomplete. */
export function typeFromDefinition(definition: KubeObject): ResourceType | undefined {
  const names = definition.spec?.names;
  const versions: { name: string; storage?: boolean; served?: boolean; subresources?: Record<string, unknown> }[] =
    definition.spec?.versions ?? [];
  const version = versions.find((candidate) => candidate.storage) ?? versions.find((candidate) => candidate.served) ?? versions[0];
  if (!names?.plural || !names.kind || !definition.spec.group || !version) return undefined;
  const declared = version.subresources ?? {};
  const subresources: Subresources = [];
  if ('status' in declared) subresources.push('status');
  if ('scale' in declared) subresources.push('scale');
  return {
    group: definition.spec.group,
    version: version.name,
    plural: names.plural,
    kind: names.kind,
    namespaced: definition.spec.scope !== 'Cluster',
    ...(names.shortNames ? { shortNames: names.shortNames } : {}),
    ...(names.categories ? { categories: names.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
