/** What the API server fills in on create. */
import { shortHash } from '../names.ts';
import { kubeTime } from '../pods/pods.ts';
import type { KubeObject } from '../store.ts';
import { fillPod, fillPodSpec } from './pod-spec.ts';

const WITHOUT_GENERATION = new Set([
  'namespaces',
  'nodes',
  'services',
  'endpoints',
  'configmaps',
  'secrets',
  'events',
  'serviceaccounts',
  'persistentvolumes',
  'persistentvolumeclaims',
  'leases',
  'endpointslices',
  'controllerrevisions',
  'clusterroles',
  'clusterrolebindings',
  'roles',
  'rolebindings',
  'csinodes',
]);

/** Does `metadata.generation` count the spec's changes for this type? */
export function hasGeneration(plural: string): boolean {
  return !WITHOUT_GENERATION.has(plural);
}

/** Fills the gaps in a copy that is about to be stored. */
export function applyDefaults(plural: string, object: KubeObject, nowMs: number): void {
  DEFAULTS[plural]?.(object, nowMs);
}

const NODE_INFO = [
  'architecture',
  'bootID',
  'containerRuntimeVersion',
  'kernelVersion',
  'kubeProxyVersion',
  'kubeletVersion',
  'machineID',
  'operatingSystem',
  'osImage',
  'systemUUID',
];

const DEFAULTS: Record<string, (object: KubeObject, nowMs: number) => void> = {
  namespaces: (object) => {
    object.spec ??= {};
    object.spec.finalizers ??= ['kubernetes'];
    object.status ??= { phase: 'Active' };
    object.metadata.labels = { 'kubernetes.io/metadata.name': object.metadata.name, ...object.metadata.labels };
  },
  nodes: (object) => {
    object.spec ??= {};
    object.status ??= {};
    object.status.daemonEndpoints ??= { kubeletEndpoint: { Port: 0 } };
    object.status.nodeInfo = { ...Object.fromEntries(NODE_INFO.map((field) => [field, ''])), ...object.status.nodeInfo };
  },
  pods: (object) => fillPod(object),
  services: (object) => fillService(object),
  events: (object) => {
    object.reportingComponent ??= '';
    object.reportingInstance ??= '';
  },
  deployments: (object) => {
    workload(object);
    object.spec.strategy ??= {};
    object.spec.strategy.type ??= 'RollingUpdate';
    if (object.spec.strategy.type === 'RollingUpdate') {
      object.spec.strategy.rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', ...object.spec.strategy.rollingUpdate };
    }
    object.spec.progressDeadlineSeconds ??= 600;
    object.status ??= {};
  },
  replicasets: (object) => {
    workload(object);
    object.status = { replicas: 0, ...object.status };
  },
  statefulsets: (object) => {
    workload(object);
    object.spec.podManagementPolicy ??= 'OrderedReady';
    object.spec.persistentVolumeClaimRetentionPolicy ??= { whenDeleted: 'Retain', whenScaled: 'Retain' };
    object.spec.updateStrategy ??= {};
    object.spec.updateStrategy.type ??= 'RollingUpdate';
    if (object.spec.updateStrategy.type === 'RollingUpdate') {
      object.spec.updateStrategy.rollingUpdate = { partition: 0, ...object.spec.updateStrategy.rollingUpdate };
    }
    object.status = { replicas: 0, availableReplicas: 0, ...object.status };
  },
  daemonsets: (object) => {
    object.spec ??= {};
    template(object);
    object.spec.revisionHistoryLimit ??= 10;
    object.spec.updateStrategy ??= {};
    object.spec.updateStrategy.type ??= 'RollingUpdate';
    if (object.spec.updateStrategy.type === 'RollingUpdate') {
      object.spec.updateStrategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...object.spec.updateStrategy.rollingUpdate };
    }
    object.metadata.annotations = { 'deprecated.daemonset.template.generation': '1', ...object.metadata.annotations };
    object.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0, ...object.status };
  },
  poddisruptionbudgets: (object) => {
    object.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...object.status };
  },
  jobs: (object) => fillJob(object),
  cronjobs: (object) => {
    object.spec ??= {};
    object.spec.concurrencyPolicy ??= 'Allow';
    object.spec.suspend ??= false;
    object.spec.successfulJobsHistoryLimit ??= 3;
    object.spec.failedJobsHistoryLimit ??= 1;
    const { jobTemplate } = object.spec;
    if (jobTemplate?.spec?.template) {
      jobTemplate.metadata ??= {};
      jobTemplate.spec.template.metadata ??= {};
      fillPodSpec((jobTemplate.spec.template.spec ??= {}));
    }
    object.status ??= {};
  },
  customresourcedefinitions: (object, nowMs) => fillDefinition(object, nowMs),
  secrets: (object) => {
    object.type ??= 'Opaque';
  },
};

function workload(object: KubeObject): void {
  object.spec ??= {};
  object.spec.replicas ??= 1;
  template(object);
  if (object.kind !== 'ReplicaSet') object.spec.revisionHistoryLimit ??= 10;
}

function template(object: KubeObject): void {
  object.spec.template ??= {};
  object.spec.template.metadata ??= {};
  object.spec.template.spec ??= { containers: [] };
  fillPodSpec(object.spec.template.spec);
}

function fillJob(object: KubeObject): void {
  object.spec ??= {};
  const { uid = '', name } = object.metadata;
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  object.spec = {
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    completions: 1,
    manualSelector: false,
    parallelism: 1,
    podReplacementPolicy: 'TerminatingOrFailed',
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    suspend: false,
    ...object.spec,
  };
  template(object);
  object.spec.template.metadata.labels = { ...object.spec.template.metadata.labels, ...labels };
  // The job takes its template's labels where it has none.
  object.metadata.labels ??= { ...object.spec.template.metadata.labels };
  object.status ??= {};
}

function fillService(object: KubeObject): void {
  object.spec ??= {};
  const { spec } = object;
  spec.type ??= 'ClusterIP';
  spec.sessionAffinity ??= 'None';
  for (const port of spec.ports ?? []) {
    port.protocol ??= 'TCP';
    port.targetPort ??= port.port;
  }
  object.status ??= { loadBalancer: {} };
  if (spec.type === 'ExternalName') return;
  spec.clusterIP ??= clusterIp(`${object.metadata.namespace}/${object.metadata.name}`);
  spec.clusterIPs ??= [spec.clusterIP];
  spec.ipFamilies ??= ['IPv4'];
  spec.ipFamilyPolicy ??= 'SingleStack';
  spec.internalTrafficPolicy ??= 'Cluster';
}

/** In EKS's own range, the same for the same service. */
function clusterIp(key: string): string {
  const number = shortHash(key)
    .split('')
    .reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_000, 7);
  return `10.100.${Math.floor(number / 254)}.${1 + (number % 254)}`;
}

function fillDefinition(object: KubeObject, nowMs: number): void {
  object.spec ??= {};
  object.spec.conversion ??= { strategy: 'None' };
  const { names } = object.spec;
  if (names?.kind) {
    names.singular ??= String(names.kind).toLowerCase();
    names.listKind ??= `${names.kind}List`;
  }
  const lastTransitionTime = kubeTime(nowMs);
  const condition = (type: string, reason: string, message: string) => ({ type, status: 'True', lastTransitionTime, reason, message });
  object.status ??= {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: names,
    storedVersions: (object.spec.versions ?? [])
      .filter((version: { storage?: boolean }) => version.storage)
      .map((version: { name: string }) => version.name),
  };
}
