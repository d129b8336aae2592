/** Types whose objects may have been written in a version that is gone or goes, by the version that every minor on offer serves. */

export interface StoredType {
  group: string;
  version: string;
  plural: string;
  kind: string;
}

const types = (group: string, version: string, kinds: Record<string, string>): StoredType[] =>
  Object.entries(kinds).map(([kind, plural]) => ({ group, version, plural, kind }));

/**
 * Those of the deprecation guide (kubernetes.io/docs/reference/using-api/deprecation-guide) that people write. Left out: what controllers write
 * by the thousand (ReplicaSets, Leases, EndpointSlices, Events).
 */
export const STORED_TYPES: readonly StoredType[] = [
  ...types('apps', 'v1', { Deployment: 'deployments', DaemonSet: 'daemonsets', StatefulSet: 'statefulsets' }),
  ...types('autoscaling', 'v2', { HorizontalPodAutoscaler: 'horizontalpodautoscalers' }),
  ...types('batch', 'v1', { CronJob: 'cronjobs' }),
  ...types('policy', 'v1', { PodDisruptionBudget: 'poddisruptionbudgets' }),
  ...types('networking.k8s.io', 'v1', { Ingress: 'ingresses', IngressClass: 'ingressclasses', NetworkPolicy: 'networkpolicies' }),
  ...types('flowcontrol.apiserver.k8s.io', 'v1', {
    FlowSchema: 'flowschemas',
    PriorityLevelConfiguration: 'prioritylevelconfigurations',
  }),
  ...types('admissionregistration.k8s.io', 'v1', {
    MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
    ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
    ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
    ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  }),
  ...types('apiextensions.k8s.io', 'v1', { CustomResourceDefinition: 'customresourcedefinitions' }),
  ...types('apiregistration.k8s.io', 'v1', { APIService: 'apiservices' }),
  ...types('rbac.authorization.k8s.io', 'v1', {
    ClusterRole: 'clusterroles',
    ClusterRoleBinding: 'clusterrolebindings',
    Role: 'roles',
    RoleBinding: 'rolebindings',
  }),
  ...types('scheduling.k8s.io', 'v1', { PriorityClass: 'priorityclasses' }),
  ...types('node.k8s.io', 'v1', { RuntimeClass: 'runtimeclasses' }),
  ...types('storage.k8s.io', 'v1', { CSIDriver: 'csidrivers', StorageClass: 'storageclasses' }),
];
