/** The fields that these activities read, by kind of object; everything is optional because a server or a human may leave it out. */
import type { LabelSelector } from '../../../domain/core/label-selectors.ts';
import type { Toleration } from '../../../domain/facts/disruption/tolerations.ts';
import type { KubeObject } from '../../contract/ports.ts';

export interface Condition {
  /** metadata.generation of the object that was judged; older controllers leave it out. */
  observedGeneration?: number;
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

/** Of a NodePool, a NodeClaim, or an image of a node class. */
export interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

export type NodePool = KubeObject<
  {
    /** Of a static pool: so many nodes, whatever pods there are (Karpenter 1.8 and later). */
    replicas?: number;
    limits?: Record<string, string | number>;
    template?: {
      metadata?: { labels?: Record<string, string> };
      spec?: {
        nodeClassRef?: { group?: string; kind?: string; name?: string };
        expireAfter?: string;
        requirements?: Requirement[];
        startupTaints?: unknown[];
      };
    };
    disruption?: { budgets?: unknown[] | null; [field: string]: unknown };
  },
  { conditions?: Condition[] }
>;

export type NodeClaim = KubeObject<
  { nodeClassRef?: { group?: string; name?: string }; expireAfter?: string; terminationGracePeriod?: string },
  { nodeName?: string; imageID?: string; conditions?: Condition[] }
>;

export type NodeClass = KubeObject<
  {
    amiFamily?: string;
    amiSelectorTerms?: Record<string, unknown>[];
    userData?: string;
    metadataOptions?: { httpPutResponseHopLimit?: number };
  },
  { amis?: { id?: string; name?: string; requirements?: Requirement[] }[]; conditions?: Condition[] }
>;

export type ClusterNode = KubeObject<
  { taints?: { key: string }[] },
  {
    nodeInfo?: { kubeletVersion?: string; containerRuntimeVersion?: string; osImage?: string };
    capacity?: { cpu?: string };
    conditions?: Condition[];
  }
>;

export interface Container {
  ports?: { name?: string; containerPort: number }[];
  name: string;
  image?: string;
  env?: { name: string; value?: string }[];
  args?: string[];
}

export type Pod = KubeObject<
  {
    nodeName?: string;
    hostNetwork?: boolean;
    containers?: Container[];
    initContainers?: Container[];
    tolerations?: Toleration[];
    volumes?: { name?: string; persistentVolumeClaim?: { claimName?: string }; ephemeral?: unknown }[];
  },
  { phase?: string; startTime?: string; conditions?: Condition[] }
>;

export type DisruptionBudget = KubeObject<
  {
    selector?: LabelSelector | null;
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    unhealthyPodEvictionPolicy?: string;
  },
  { disruptionsAllowed?: number; expectedPods?: number; currentHealthy?: number; desiredHealthy?: number; conditions?: Condition[] }
>;

export type Autoscaler = KubeObject<{ scaleTargetRef?: { kind?: string; name?: string }; minReplicas?: number; maxReplicas?: number }>;

export type PersistentVolume = KubeObject<{ claimRef?: { namespace?: string; name?: string } }>;

export type KubeEvent = KubeObject & {
  reason?: string;
  message?: string;
  lastTimestamp?: string | null;
  involvedObject?: { kind?: string; name?: string; namespace?: string };
};

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: { hostNetwork?: boolean; serviceAccountName?: string; containers?: Container[] };
}

/** Deployment, StatefulSet and DaemonSet alike. */
export type Workload = KubeObject<
  {
    replicas?: number;
    paused?: boolean;
    /** Of a Deployment. */
    strategy?: { type?: string };
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } | null };
    /** Of a StatefulSet. */
    persistentVolumeClaimRetentionPolicy?: { whenScaled?: string };
    selector?: LabelSelector;
    template?: PodTemplate;
  },
  {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    desiredNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    conditions?: Condition[];
  }
>;

export type CronJob = KubeObject<{ suspend?: boolean; jobTemplate?: { spec?: { template?: PodTemplate } } }>;

/** Of Argo Rollouts. Without a template it refers to a Deployment's. */
export type Rollout = KubeObject<{ restartAt?: string; template?: PodTemplate }>;

export type Namespace = KubeObject<unknown, { phase?: string }>;

export interface WebhookClientConfig {
  url?: string;
  service?: { name: string; namespace: string; path?: string; port?: number };
  caBundle?: string;
}

export type WebhookConfiguration = KubeObject & {
  webhooks?: {
    name: string;
    clientConfig?: WebhookClientConfig;
    failurePolicy?: string;
    rules?: { apiGroups?: string[]; operations?: string[]; resources?: string[] }[];
  }[];
};

export type VolumeAttachment = KubeObject<{ nodeName?: string; source?: { persistentVolumeName?: string } }>;

export type Service = KubeObject<
  { type?: string; selector?: Record<string, string> },
  { loadBalancer?: { ingress?: { hostname?: string; ip?: string }[] } }
>;

/** Of the Gateway API. */
export type Gateway = KubeObject<
  { gatewayClassName?: string; addresses?: { type?: string; value?: string }[] },
  { conditions?: Condition[] }
>;

export type GatewayClass = KubeObject<{ controllerName?: string }>;

export type EndpointSlice = KubeObject & { endpoints?: { conditions?: { ready?: boolean } }[] | null };

/** The status of a condition, or undefined where the object does not have it. */
export function conditionOf(object: { status?: { conditions?: Condition[] } }, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

export function isTrue(object: { status?: { conditions?: Condition[] } }, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}

export function isFalse(object: { status?: { conditions?: Condition[] } }, type: string): boolean {
  return conditionOf(object, type)?.status === 'False';
}

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export function nameOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Not finished and not on its way out: finished pods hold no connection and take no traffic. */
export function isLive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined;
}

/** The owner that controls the object; owners of old objects may not say `controller`. */
export function controllerOf(object: KubeObject): { kind: string; name: string } | undefined {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.find((owner) => owner.controller === true) ?? owners[0];
}

/**
 * What has made the ReplicaSet of a pod: it has added a hash to its own name, which the pod has as a label. undefined: the pod is of no ReplicaSet, or of
 * one that nobody has made.
 */
export function makerOfSet(pod: Pod, hashLabel = 'pod-template-hash'): string | undefined {
  const owner = controllerOf(pod);
  const ending = `-${pod.metadata.labels?.[hashLabel] ?? ''}`;
  return owner?.kind === 'ReplicaSet' && ending !== '-' && owner.name.endsWith(ending) ? owner.name.slice(0, -ending.length) : undefined;
}

/** Pods that a drain has to evict: not finished, not leaving already, not of a DaemonSet, not static. */
export function needsEviction(pod: Pod): boolean {
  const owner = controllerOf(pod)?.kind;
  return isLive(pod) && owner !== 'DaemonSet' && owner !== 'Node';
}
