/** Nodes of a snapshot, with what DaemonSets and static pods leave of each. */
import { parseDurationMs } from '../../../core/parse-duration.ts';
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import { listIn } from './at.ts';
import type { ClusterNode, NodeOwner } from './cluster.ts';
import { type ClaimObject, controllerOf, type CsiNodeObject, isTrue, nameOf, type NodeObject, type PodObject, read } from './objects.ts';
import { add, CPU, quantity, type Resources, VOLUMES } from './resources.ts';
import { HOSTNAME, type Labels, type NodeKinds, ZONE } from './selectors.ts';

export const POOL = 'karpenter.sh/nodepool';
const OLD_POOL = 'karpenter.sh/provisioner-name';
export const GROUP = 'eks.amazonaws.com/nodegroup';
const COMPUTE = 'eks.amazonaws.com/compute-type';
export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
const EBS = 'ebs.csi.aws.com';

/** Finished pods hold nothing. */
export const isLive = ({ status, metadata }: PodObject): boolean =>
  status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp === undefined;

/** Pods that no drain moves: of DaemonSets, and static ones. */
export const staysWithNode = (pod: PodObject): boolean => ['DaemonSet', 'Node'].includes(controllerOf(pod)?.kind ?? '');

/** The annotation as Karpenter reads it: "true", or a duration since the pod's start (karpenter.sh/docs/concepts/disruption, "Pod-Level Controls"). */
export function forbidsDisruption({ metadata, status }: PodObject, takenAt: string): boolean {
  const mark = metadata.annotations?.[DO_NOT_DISRUPT];
  const lastsMs = mark === undefined ? undefined : parseDurationMs(mark);
  if (lastsMs === undefined || /^\d+$/.test(mark ?? '')) return mark === 'true';
  return Date.parse(takenAt) - Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '') < lastsMs;
}

export function ownerOf(labels: Labels): NodeOwner {
  if (labels[COMPUTE] === 'fargate') return 'fargate';
  if (labels[COMPUTE] === 'auto') return 'auto-mode';
  if (labels[POOL] !== undefined || labels[OLD_POOL] !== undefined) return 'karpenter';
  return labels[GROUP] === undefined ? 'self-managed' : 'node-group';
}

interface Reading {
  resources: Resources;
  kinds: NodeKinds;
  pods: readonly PodObject[];
  zones: string[];
  /** Index of a NodePool, of a node group. */
  poolOf: (name: string) => number;
  groupOf: (name: string, owner: NodeOwner) => number;
}

/** In the order of their names, as Karpenter looks for room. Nodes of Fargate are left out: each is one pod. */
export function readNodes(snapshot: Snapshot, { resources, kinds, pods, zones, poolOf, groupOf }: Reading): ClusterNode[] {
  const nodes = (read<NodeObject>(snapshot, 'v1', 'nodes') ?? []).filter(({ metadata }) => ownerOf(metadata.labels ?? {}) !== 'fargate');
  const staying = new Map<string, PodObject[]>();
  for (const pod of pods) if (staysWithNode(pod)) listIn(staying, pod.spec?.nodeName ?? '').push(pod);
  const attachable = volumeLimits(snapshot);
  const zoneOf = (name: string): number => {
    const known = zones.indexOf(name);
    return known >= 0 ? known : zones.push(name) - 1;
  };
  return nodes
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((node) => {
      const { name, labels = {}, annotations } = node.metadata;
      const own = staying.get(name) ?? [];
      const room = resources.vector(node.status?.allocatable);
      if (room[CPU] === 0 && node.status?.allocatable === undefined) room.set(resources.vector(node.status?.capacity));
      room[VOLUMES] = attachable.get(name) ?? Number.POSITIVE_INFINITY;
      for (const { spec } of own) add(room, resources.ofPod(spec ?? {}, 0), -1);
      // What Karpenter and the API server put there for a time says nothing about the next node of the kind.
      const taints = (node.spec?.taints ?? []).filter(
        ({ key }) => !key.startsWith('node.kubernetes.io/') && key !== 'karpenter.sh/disrupted',
      );
      const owner = ownerOf(labels);
      const shared = Object.fromEntries(Object.entries(labels).filter(([key]) => key !== HOSTNAME && key !== ZONE));
      const holder = own.find((pod) => forbidsDisruption(pod, snapshot.header.takenAt));
      return {
        name,
        owner,
        pool: poolOf(labels[POOL] ?? labels[OLD_POOL] ?? ''),
        group: groupOf(groupName(labels), owner),
        zone: zoneOf(labels[ZONE] ?? ''),
        kind: kinds.kindOf({ ...labels, [HOSTNAME]: labels[HOSTNAME] ?? name }, taints),
        minor: minorOf(node.status?.nodeInfo?.kubeletVersion),
        ready: isTrue(node, 'Ready'),
        cordoned: node.spec?.unschedulable === true,
        held: annotations?.[DO_NOT_DISRUPT] === 'true',
        heldBy: holder === undefined ? undefined : nameOf(holder),
        type: labels['node.kubernetes.io/instance-type'] ?? 'unknown',
        vcpus: Math.round(quantity(node.status?.capacity?.['cpu'] ?? node.status?.allocatable?.['cpu'])),
        room,
        labels: shared,
        taints,
        addresses: own.filter(({ spec }) => spec?.hostNetwork !== true).length,
      };
    });
}

/** Of a node group, or of a group of one's own as eksctl and Auto Scaling name it. */
export const groupName = (labels: Labels): string =>
  labels[GROUP] ?? labels['alpha.eksctl.io/nodegroup-name'] ?? labels['node.kubernetes.io/nodegroup'] ?? 'self-managed';

/** 33 of "v1.33.1-eks-b9364f6". */
export function minorOf(version: string | undefined): number | undefined {
  const minor = /^v?1\.(\d+)/.exec(version ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function volumeLimits(snapshot: Snapshot): Map<string, number> {
  const limits = new Map<string, number>();
  for (const { metadata, spec } of read<CsiNodeObject>(snapshot, 'storage.k8s.io/v1', 'csinodes') ?? []) {
    const count = spec?.drivers?.find(({ name }) => name === EBS)?.allocatable?.count;
    if (count !== undefined) limits.set(metadata.name, count);
  }
  return limits;
}

/** Time to Ready of nodes by their names: of NodeClaims from their creation to Initialized, of others from the Node's own creation. */
export function claimStarts(snapshot: Snapshot, claims: readonly ClaimObject[]): Map<string, number[]> {
  const starts = new Map<string, number[]>();
  for (const claim of claims) {
    const ready = ['Initialized', 'Ready', 'Registered']
      .map((type) => claim.status?.conditions?.find((each) => each.type === type && each.status === 'True'))
      .find((each) => each !== undefined);
    const ms = Date.parse(ready?.lastTransitionTime ?? '') - Date.parse(claim.metadata.creationTimestamp ?? '');
    if (isPlausible(ms, 30)) listIn(starts, claim.metadata.labels?.[POOL] ?? '').push(ms);
  }
  return starts;
}

/** Nothing is ready in the second in which it is made; what took longer than so many minutes was another event. */
export const isPlausible = (ms: number, mostMinutes: number): boolean => ms > 0 && ms <= mostMinutes * 60_000;
