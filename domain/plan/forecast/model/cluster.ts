/** The cluster of a snapshot as a forecast plays it: lists of plain values that refer to each other by index. None of it changes while it is played. */
import type { NodesReplaced, WorkloadRef } from '../types.ts';
import type { Taint } from '../../../facts/disruption/tolerations.ts';
import type { Labels, NodeKinds } from './selectors.ts';
import type { PodSpec, PoolBudget } from './objects.ts';
import type { Resources } from './resources.ts';

export type NodeOwner = NodesReplaced['owner'];

/** What a node of one instance type offers to pods that move, and what pods may know of it. */
export interface Shape {
  type: string;
  vcpus: number;
  /** Allocatable, less DaemonSets and static pods. */
  room: Float64Array;
  /** Without host name and zone. */
  labels: Labels;
  taints: readonly Taint[];
  /** Of its DaemonSets and static pods, those with an address of their own. */
  addresses: number;
}

export interface ClusterNode extends Shape {
  name: string;
  owner: NodeOwner;
  /** NodePool, node group or Auto Scaling group: index in `pools`, `groups`; -1: none that is known. */
  pool: number;
  group: number;
  /** Index in `zones`. */
  zone: number;
  kind: number;
  /** Of its kubelet: 33 of 1.33; undefined where it says none. */
  minor: number | undefined;
  ready: boolean;
  cordoned: boolean;
  /** karpenter.sh/do-not-disrupt on the node. */
  held: boolean;
  /** Static and DaemonSet pods that forbid a disruption: karpenter.sh/do-not-disrupt, "namespace/name". */
  heldBy: string | undefined;
}

/** Pods that the scheduler cannot tell apart. */
export interface PodClass {
  spec: PodSpec;
  request: Float64Array;
  /** Zones that its volumes are in: index; -1: any; -2: they are in several. */
  zone: number;
  /** Host that a local volume binds it to. */
  hostBound: boolean;
  /** Terms of required anti-affinity and affinity, and spreads that forbid: indices in `terms`. */
  apart: number[];
  together: number[];
  spread: { term: number; maxSkew: number }[];
  /** Terms that its own labels are selected by. */
  counted: number[];
  volumes: number;
  hostNetwork: boolean;
  graceMs: number;
  critical: boolean;
}

/** Pods that are counted by host or by zone. */
export interface Term {
  by: 'host' | 'zone';
}

export interface Workload {
  ref: WorkloadRef;
  replicas: number;
  /** A StatefulSet starts the next pod when the one before is Ready. */
  ordered: boolean;
  /** The successor of a pod begins only when the pod is gone, as its name and volumes are the same. */
  sameName: boolean;
  /** Somebody makes it anew. */
  recreates: boolean;
  /** Downtime says something about it: not of Jobs. */
  serves: boolean;
  scalable: boolean;
  pods: number[];
  /** Scheduled to Ready, in ms: as measured. */
  starts: number[];
}

export interface ClusterPod {
  namespace: string;
  name: string;
  class: number;
  workload: number;
  /** -1: it has none. */
  node: number;
  ready: boolean;
  budgets: number[];
  doNotDisrupt: boolean;
  /** In Karpenter's order: since 1970 by the second, and within a second by UID. */
  bornMs: number;
}

export interface Budget {
  namespace: string;
  name: string;
  minAvailable?: number | string;
  maxUnavailable?: number | string;
  /** unhealthyPodEvictionPolicy: AlwaysAllow. */
  alwaysUnhealthy: boolean;
  pods: number[];
  /** Replicas of the workloads that it covers; `unscalable`: some have no scale, so it allows nothing by percentage. */
  expected: number;
  unscalable: boolean;
}

export interface Pool {
  name: string;
  auto: boolean;
  budgets: readonly PoolBudget[];
  weight: number;
  /** Empty: without limits. */
  limits: { resource: 'cpu' | 'memory' | 'nodes'; most: number }[];
  zones: number[];
  /** The smallest first. */
  shapes: Shape[];
  terminationGraceMs: number | undefined;
  /** From the NodeClaim to Ready, in ms: as measured. */
  starts: number[];
  nodeCount: number;
}

export interface Group {
  name: string;
  owner: 'node-group' | 'self-managed';
  desired: number;
  maxUnavailable: number;
  minimal: boolean;
  zones: number[];
  shape: Shape | undefined;
  starts: number[];
}

export interface Cluster {
  resources: Resources;
  zones: string[];
  kinds: NodeKinds;
  nodes: ClusterNode[];
  pods: ClusterPod[];
  classes: PodClass[];
  terms: Term[];
  workloads: Workload[];
  budgets: Budget[];
  pools: Pool[];
  groups: Group[];
  /** Pods on Fargate. */
  fargatePods: number;
  /** Free addresses by zone; undefined: subnets were not read. */
  freeAddresses: number[] | undefined;
  limits: string[];
  /** Version of Karpenter's controller; undefined: unknown, or there is none. */
  karpenter?: string | undefined;
  /** Of an hour by instance type; absent: nobody has said any. */
  prices?: Readonly<Record<string, number>>;
}
