/** Workloads as readiness sees them. */
import type { LabelSelector } from '../../core/label-selectors.ts';

/** Whoever controls the pod or object, and who delivers it: for reports by owner. */
export interface OwnedBy {
  kind: string;
  name: string;
}

export interface PodSeen {
  namespace: string;
  name: string;
  phase: string;
  node?: string;
  labels: Record<string, string>;
  controller?: OwnedBy;
  /** The taint under which Karpenter drains a node: it stays there to the end. */
  toleratesDrain?: true;
  /** karpenter.sh/do-not-disrupt, cluster-autoscaler's safe-to-evict=false: as written. */
  doNotDisrupt?: string;
  /** Reason of a container that waits: CrashLoopBackOff, ImagePullBackOff … */
  waiting?: string;
  createdAt: string;
  /** Istio's proxy: revision and version. */
  proxy?: { revision: string; version: string };
  claims: string[];
}

export interface ContainerSeen {
  name: string;
  image: string;
  readinessProbe: boolean;
}

export interface WorkloadSeen {
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet' | 'ReplicationController' | 'Job' | 'CronJob';
  namespace: string;
  name: string;
  controller?: OwnedBy;
  replicas?: number;
  /** Of a Deployment: RollingUpdate or Recreate. */
  strategy?: string;
  minReadySeconds?: number;
  podLabels: Record<string, string>;
  /** Pod anti-affinity or topology spread constraints, and whether one of them is over zones. */
  spread: 'no' | 'yes' | 'over-zones';
  containers: ContainerSeen[];
  terminationGracePeriodSeconds?: number;
  hostPaths: string[];
  gitRepo: boolean;
  /** Addresses of pods that API servers of 1.36 reject: "hostAliases: leading zeros". */
  addressFaults?: string[];
  appArmorAnnotations: boolean;
  doNotDisrupt?: string;
  claims: string[];
  /** The label that kubelets mount its volumes with, as far as the template says it. Absent: none, so that the runtime labels file by file. */
  seLinux?: string;
  /** Of Jobs that run. */
  active?: { since?: string; deadlineSeconds?: number };
}

export interface BudgetSeen {
  namespace: string;
  name: string;
  /** undefined: no selector, which matches nothing. {} matches every pod. */
  selector?: LabelSelector;
  minAvailable?: number | string;
  maxUnavailable?: number | string;
  expectedPods?: number;
  disruptionsAllowed?: number;
  /** Why Kubernetes cannot count its pods, so that it never allows a disruption, whatever `expectedPods` says. */
  uncounted?: string;
  unhealthyPodEvictionPolicy?: string;
}

export interface ServiceSeen {
  namespace: string;
  name: string;
  externalIps: boolean;
  /** As of workloads: "externalIPs: leading zeros". */
  addressFaults?: string[];
  /** Somebody writes its Endpoints by hand: Kubernetes mirrors them into slices. */
  handWritten: boolean;
  /** type ExternalName: another name, which has no endpoints. */
  external: boolean;
  /** Ready endpoints over all slices. */
  ready: number;
}

export interface NetworkPolicySeen {
  namespace: string;
  name: string;
  /** As of workloads: "ipBlock.cidr: bits beyond the prefix length". */
  addressFaults?: string[];
}
