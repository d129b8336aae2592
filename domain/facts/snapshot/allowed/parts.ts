/** Parts that several types have. */
import { type AllowedGroup, under } from './types.ts';

export const selector = (path: string): string[] =>
  under(path, ['matchLabels.*', 'matchExpressions[].key', 'matchExpressions[].operator', 'matchExpressions[].values[]']);

/** Of metav1.Condition. Messages are free text. */
export const conditions = (path = 'status.conditions[]'): string[] =>
  under(path, ['type', 'status', 'reason', 'lastTransitionTime', 'observedGeneration']);

export const taints = (path: string): string[] => under(path, ['key', 'value', 'effect', 'timeAdded']);

export const reference = (path: string): string[] => under(path, ['apiVersion', 'group', 'kind', 'namespace', 'name', 'uid']);

export const nodeTerms = (path: string): string[] =>
  ['matchExpressions[]', 'matchFields[]'].flatMap((list) => under(`${path}.${list}`, ['key', 'operator', 'values[]']));

/** Of nodes: what may be scheduled on them. */
export const requirements = (path: string): string[] => under(path, ['key', 'operator', 'values[]', 'minValues']);

const podTerm = (path: string): string[] => [
  ...under(path, ['topologyKey', 'namespaces[]', 'matchLabelKeys[]', 'mismatchLabelKeys[]']),
  ...selector(`${path}.labelSelector`),
  ...selector(`${path}.namespaceSelector`),
];

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const AFFINITY = [
  ...nodeTerms(`nodeAffinity.${REQUIRED}.nodeSelectorTerms[]`),
  `nodeAffinity.${PREFERRED}[].weight`,
  ...nodeTerms(`nodeAffinity.${PREFERRED}[].preference`),
  ...['podAffinity', 'podAntiAffinity'].flatMap((kind) => [
    ...podTerm(`${kind}.${REQUIRED}[]`),
    `${kind}.${PREFERRED}[].weight`,
    ...podTerm(`${kind}.${PREFERRED}[].podAffinityTerm`),
  ]),
];

const PROBE = [
  'initialDelaySeconds',
  'periodSeconds',
  'timeoutSeconds',
  'failureThreshold',
  'successThreshold',
  'terminationGracePeriodSeconds',
  'httpGet=present',
  'tcpSocket=present',
  'exec=present',
  'grpc=present',
];

const CONTAINER = [
  'name',
  'image',
  'imagePullPolicy',
  'restartPolicy',
  'args=router',
  'resources.requests.*',
  'resources.limits.*',
  ...under('ports[]', ['name', 'containerPort', 'hostPort', 'protocol']),
  ...['readinessProbe', 'livenessProbe', 'startupProbe'].flatMap((probe) => under(probe, PROBE)),
  'lifecycle.preStop.exec=present',
  'lifecycle.preStop.httpGet=present',
  'lifecycle.preStop.sleep.seconds',
];

const SE_LINUX = under('securityContext.seLinuxOptions', ['user', 'role', 'type', 'level']);

const VOLUME = [
  'name',
  'persistentVolumeClaim.claimName',
  'ephemeral.volumeClaimTemplate.spec.storageClassName',
  'ephemeral.volumeClaimTemplate.spec.accessModes[]',
  'ephemeral.volumeClaimTemplate.spec.resources.requests.storage',
  'emptyDir.medium',
  'emptyDir.sizeLimit',
  'hostPath.path=socket',
  'csi.driver',
  ...['configMap', 'secret', 'projected', 'downwardAPI', 'nfs', 'gitRepo', 'awsElasticBlockStore', 'image', 'iscsi', 'fc'].map(
    (kind) => `${kind}=present`,
  ),
];

/** `path`: "spec" of a pod, "spec.template.spec" of a workload. */
export const podSpec = (path: string): AllowedGroup[] => podGroups(path).map((group) => ({ ...group, podSpec: path }));

const podGroups = (path: string): AllowedGroup[] => [
  {
    why: 'where a pod may run, and which pods go first',
    paths: under(path, [
      'nodeSelector.*',
      ...under('affinity', AFFINITY),
      ...under('topologySpreadConstraints[]', [
        'maxSkew',
        'minDomains',
        'topologyKey',
        'whenUnsatisfiable',
        'nodeAffinityPolicy',
        'nodeTaintsPolicy',
        'matchLabelKeys[]',
        ...selector('labelSelector'),
      ]),
      ...under('tolerations[]', ['key', 'operator', 'value', 'effect', 'tolerationSeconds']),
      'priorityClassName',
      'priority',
      'preemptionPolicy',
      'schedulerName',
      'runtimeClassName',
      'os.name',
      'hostNetwork',
      'schedulingGates[].name',
      'overhead.*',
    ]),
  },
  {
    why: 'what it takes, when it is ready, how long it may take to end',
    paths: under(path, [
      ...under('containers[]', CONTAINER),
      ...under('initContainers[]', CONTAINER),
      'restartPolicy',
      'terminationGracePeriodSeconds',
      'activeDeadlineSeconds',
      'serviceAccountName',
      'readinessGates[].conditionType',
    ]),
  },
  {
    why: 'addresses of pods that API servers of 1.36 reject',
    paths: under(path, ['hostAliases[].ip=address', 'dnsConfig.nameservers[]=address']),
  },
  {
    why: 'with which SELinux label its volumes are mounted',
    paths: under(path, [
      'securityContext.seLinuxChangePolicy',
      ...SE_LINUX,
      ...['containers[]', 'initContainers[]'].flatMap((list) => under(list, ['securityContext.privileged', ...SE_LINUX])),
    ]),
  },
  { why: 'volumes, which hold it to a zone or to its node: their types and claims', paths: under(path, under('volumes[]', VOLUME)) },
];

/** Names of pods are of their workload's template. */
export const template = (path: string): AllowedGroup[] => [
  {
    why: 'what Karpenter, Istio and the autoscaler read of a pod',
    paths: [`${path}.metadata.labels=labels`, `${path}.metadata.annotations=annotations`],
  },
  ...podSpec(`${path}.spec`),
];
