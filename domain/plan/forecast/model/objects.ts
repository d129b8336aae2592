/** The fields of Kubernetes objects that a forecast reads; everything is optional, as a server may leave it out. */
import type { RunsContainers } from '../../../core/component-version.ts';
import type { LabelSelector } from '../../../core/label-selectors.ts';
import type { Taint, Toleration } from '../../../facts/disruption/tolerations.ts';
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../facts/snapshot/format.ts';

interface Kube<S, T = unknown> {
  apiVersion: string;
  kind: string;
  metadata: SnapshotKubeObject['metadata'];
  spec?: S;
  status?: T;
}

export interface Condition {
  type: string;
  status: string;
  lastTransitionTime?: string;
}

export interface NodeTerm {
  key: string;
  operator: string;
  values?: string[];
}

export interface PodTerm {
  labelSelector?: LabelSelector | null;
  topologyKey: string;
  namespaces?: string[];
  namespaceSelector?: LabelSelector | null;
}

interface Container {
  restartPolicy?: string;
  resources?: { requests?: Record<string, string | number> };
  ports?: { hostPort?: number }[];
}

export interface PodSpec {
  nodeName?: string;
  hostNetwork?: boolean;
  priorityClassName?: string;
  priority?: number;
  terminationGracePeriodSeconds?: number;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  affinity?: {
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: {
        nodeSelectorTerms?: { matchExpressions?: NodeTerm[]; matchFields?: NodeTerm[] }[];
      };
    };
    podAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[] };
    podAntiAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[] };
  };
  topologySpreadConstraints?: { topologyKey: string; maxSkew?: number; whenUnsatisfiable?: string; labelSelector?: LabelSelector | null }[];
  containers?: Container[];
  initContainers?: Container[];
  overhead?: Record<string, string | number>;
  volumes?: { persistentVolumeClaim?: { claimName?: string }; ephemeral?: unknown; name?: string }[];
}

export type PodObject = Kube<
  PodSpec,
  { phase?: string; conditions?: Condition[]; containerStatuses?: { restartCount?: number }[]; startTime?: string }
>;

export type NodeObject = Kube<
  { taints?: Taint[]; unschedulable?: boolean },
  {
    allocatable?: Record<string, string | number>;
    capacity?: Record<string, string | number>;
    conditions?: Condition[];
    nodeInfo?: { kubeletVersion?: string };
  }
>;

export type ClaimObject = Kube<{ terminationGracePeriod?: string }, { nodeName?: string; conditions?: Condition[] }>;

export interface PoolBudget {
  nodes?: string;
  reasons?: string[];
  schedule?: string;
  duration?: string;
}

export type PoolObject = Kube<{
  weight?: number;
  replicas?: number;
  limits?: Record<string, string | number>;
  disruption?: { budgets?: PoolBudget[] | null };
  template?: {
    metadata?: { labels?: Record<string, string> };
    spec?: {
      taints?: Taint[];
      requirements?: { key: string; operator: string; values?: string[] }[];
      terminationGracePeriod?: string;
    };
  };
}>;

export type BudgetObject = Kube<
  {
    selector?: LabelSelector | null;
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    unhealthyPodEvictionPolicy?: string;
  },
  { disruptionsAllowed?: number; currentHealthy?: number; desiredHealthy?: number; expectedPods?: number; conditions?: Condition[] }
>;

export type WorkloadObject = Kube<{ replicas?: number; podManagementPolicy?: string; scaleTargetRef?: { kind?: string; name?: string } }>;

export type ControllerObject = Kube<RunsContainers['spec'] & { replicas?: number }>;

export type ClaimedVolume = Kube<{ volumeName?: string }>;

export type VolumeObject = Kube<{
  csi?: { driver?: string };
  local?: unknown;
  hostPath?: unknown;
  nodeAffinity?: { required?: { nodeSelectorTerms?: { matchExpressions?: NodeTerm[] }[] } };
}>;

export type CsiNodeObject = Kube<{ drivers?: { name: string; allocatable?: { count?: number } }[] }>;

/** Objects as they are read here; undefined: they were not read, or are not served. */
export function read<T>(snapshot: Snapshot, apiVersion: string, plural: string): T[] | undefined {
  // As the API server gave them: the types above name what is looked at, and nothing in them is required.
  return objectsOf(snapshot, apiVersion, plural) as unknown as T[] | undefined;
}

export const conditionOf = (object: { status?: { conditions?: Condition[] } }, type: string): Condition | undefined =>
  object.status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (object: { status?: { conditions?: Condition[] } }, type: string): boolean =>
  conditionOf(object, type)?.status === 'True';

/** The owner that controls the object. */
export function controllerOf({ metadata }: Kube<unknown>): { kind: string; name: string; uid: string } | undefined {
  const owners = metadata.ownerReferences ?? [];
  return owners.find((owner) => owner.controller === true) ?? owners[0];
}

export const nameOf = ({ metadata: { namespace, name } }: Kube<unknown>): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** Milliseconds from one time to another; undefined where one is missing or they run backwards. */
export function between(from: string | undefined, to: string | undefined): number | undefined {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '');
  return ms >= 0 ? ms : undefined;
}
