/** What the API server fills in on create, as far as clients and controllers read it. */
import type { KubeObject } from './store.ts';

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
export function applyDefaults(plural: string, object: KubeObject): void {
  const fill = DEFAULTS[plural];
  if (fill) fill(object);
}

const DEFAULTS: Record<string, (object: KubeObject) => void> = {
  namespaces: (object) => {
    object.spec ??= { finalizers: ['kubernetes'] };
    object.status ??= { phase: 'Active' };
    object.metadata.labels = { 'kubernetes.io/metadata.name': object.metadata.name, ...object.metadata.labels };
  },
  nodes: (object) => {
    object.spec ??= {};
    object.status ??= {};
    object.metadata.labels = { 'kubernetes.io/hostname': object.metadata.name, ...object.metadata.labels };
  },
  pods: (object) => {
    object.spec ??= { containers: [] };
    podSpecDefaults(object.spec);
    object.spec.tolerations ??= [];
    for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
      if (object.spec.tolerations.some((toleration: { key?: string; operator?: string }) => !toleration.key || toleration.key === key))
        continue;
      object.spec.tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
    }
    object.status = { phase: 'Pending', qosClass: 'Burstable', ...object.status };
  },
  deployments: (object) => {
    workloadDefaults(object);
    object.spec.strategy ??= {};
    object.spec.strategy.type ??= 'RollingUpdate';
    if (object.spec.strategy.type === 'RollingUpdate') {
      object.spec.strategy.rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', ...object.spec.strategy.rollingUpdate };
    }
    object.spec.progressDeadlineSeconds ??= 600;
  },
  replicasets: (object) => workloadDefaults(object),
  statefulsets: (object) => {
    workloadDefaults(object);
    object.spec.podManagementPolicy ??= 'OrderedReady';
    object.spec.updateStrategy ??= {};
    object.spec.updateStrategy.type ??= 'RollingUpdate';
    if (object.spec.updateStrategy.type === 'RollingUpdate') {
      object.spec.updateStrategy.rollingUpdate = { partition: 0, ...object.spec.updateStrategy.rollingUpdate };
    }
  },
  daemonsets: (object) => {
    object.spec ??= {};
    templateDefaults(object);
    object.spec.revisionHistoryLimit ??= 10;
    object.spec.updateStrategy ??= {};
    object.spec.updateStrategy.type ??= 'RollingUpdate';
    if (object.spec.updateStrategy.type === 'RollingUpdate') {
      object.spec.updateStrategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...object.spec.updateStrategy.rollingUpdate };
    }
    object.status ??= {};
  },
  customresourcedefinitions: (object) => {
    object.status ??= {
      acceptedNames: object.spec?.names,
      storedVersions: (object.spec?.versions ?? [])
        .filter((version: { storage?: boolean }) => version.storage)
        .map((version: { name: string }) => version.name),
      conditions: [
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
        { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' },
      ],
    };
  },
  secrets: (object) => {
    object.type ??= 'Opaque';
  },
};

function workloadDefaults(object: KubeObject): void {
  object.spec ??= {};
  object.spec.replicas ??= 1;
  templateDefaults(object);
  if (object.kind !== 'ReplicaSet') object.spec.revisionHistoryLimit ??= 10;
  object.status ??= {};
}

function templateDefaults(object: KubeObject): void {
  object.spec.template ??= {};
  object.spec.template.metadata ??= {};
  object.spec.template.spec ??= { containers: [] };
  podSpecDefaults(object.spec.template.spec);
}

function podSpecDefaults(spec: KubeObject['spec']): void {
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.schedulerName ??= 'default-scheduler';
  spec.containers ??= [];
}
