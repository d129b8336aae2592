/** Node objects as EC2 instances make them when their kubelet registers. */
import { type Ami, kubernetesArch } from '../aws/eks/nodes/amis.ts';
import { kubeletVersion, minorOf } from '../aws/eks/catalogue.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { MachineKind, World } from '../world/world.ts';
import { setCondition } from './conditions.ts';

/** Images of this minor and newer ones have containerd 2. */
const CONTAINERD_2_FROM = 34;

const counters = new WeakMap<World, number>();

/** A number that is unique in a world; names made of it are the same in every run. */
export function nextNumber(world: World): number {
  const next = (counters.get(world) ?? 0) + 1;
  counters.set(world, next);
  return next;
}

/** A loaded cluster may have a node of that name. */
function freeNumber(world: World): number {
  for (;;) {
    const number = nextNumber(world);
    if (world.machines === undefined || world.store.get('nodes', hostOf(world, number)) === undefined) return number;
  }
}

const hostOf = (world: World, number: number): string =>
  `ip-10-0-${Math.floor(number / 200) + 16}-${(number % 200) + 10}.${world.eks.cluster.region}.compute.internal`;

/** Availability zones of the cluster's subnets. */
export const zonesOf = (world: World): string[] =>
  world.machines?.zones ?? ['a', 'b', 'c'].map((letter) => `${world.eks.cluster.region}${letter}`);

interface Wanted {
  ami: Ami;
  /** The owner's, as taints are. */
  labels: Record<string, string>;
  taints?: KubeObject[string];
  ready?: boolean;
  /** It is named as Fargate's are, and is no instance of EC2. */
  fargate?: boolean;
  /** Of a loaded cluster; absent: an m6i.xlarge. */
  size?: Pick<MachineKind, 'capacity' | 'allocatable'>;
}

/** Registers a Node that is not Ready yet. */
export function createNode(world: World, wanted: Wanted): KubeObject {
  const number = freeNumber(world);
  const zones = zonesOf(world);
  const zone = wanted.labels['topology.kubernetes.io/zone'] ?? zones[number % zones.length] ?? 'a';
  const instance = `i-0${((world.eks.network.instancesFrom ?? 0) + number).toString(16).padStart(16, '0')}`;
  const name = `${wanted.fargate === true ? 'fargate-' : ''}${hostOf(world, number)}`;
  const node = world.store.create('nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/arch': kubernetesArch(wanted.ami),
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': 'm6i.xlarge',
        'topology.kubernetes.io/region': world.eks.cluster.region,
        'topology.kubernetes.io/zone': zone,
        ...wanted.labels,
      },
    },
    spec: {
      providerID: wanted.fargate === true ? `aws:///${zone}/${name}` : `aws:///${zone}/${instance}`,
      ...(wanted.taints === undefined ? {} : { taints: wanted.taints }),
    },
    status: {
      capacity: wanted.size?.capacity ?? { cpu: '4', memory: '16Gi', pods: '58' },
      allocatable: wanted.size?.allocatable ?? { cpu: '3920m', memory: '15Gi', pods: '58' },
      addresses: [{ type: 'InternalIP', address: `10.0.${Math.floor(number / 200) + 16}.${(number % 200) + 10}` }],
      nodeInfo: {
        architecture: kubernetesArch(wanted.ami),
        containerRuntimeVersion: minorOf(wanted.ami.minor) < CONTAINERD_2_FROM ? 'containerd://1.7.27' : 'containerd://2.1.5',
        kubeletVersion: wanted.ami.kubelet ?? kubeletVersion(wanted.ami.minor),
        kubeProxyVersion: wanted.ami.kubelet ?? kubeletVersion(wanted.ami.minor),
        operatingSystem: 'linux',
        osImage: wanted.ami.family === 'al2' ? 'Amazon Linux 2' : wanted.ami.family === 'al2023' ? 'Amazon Linux 2023' : 'Bottlerocket OS',
      },
    },
  });
  return setReady(world, node.metadata.name, wanted.ready ?? false) ?? node;
}

/** Sets the kubelet's Ready condition; undefined when the node is gone. The taint follows by the node lifecycle controller. */
export function setReady(world: World, name: string, ready: boolean): KubeObject | undefined {
  if (world.store.get('nodes', name) === undefined) return undefined;
  return world.store.update('nodes', name, undefined, (copy) =>
    setCondition(world, copy, 'Ready', ready ? 'True' : 'False', ready ? 'KubeletReady' : 'KubeletNotReady'),
  );
}

/** Sets or clears spec.unschedulable; the taint follows by itself. */
export function cordon(world: World, name: string, on: boolean): void {
  if (world.store.get('nodes', name) === undefined) return;
  world.store.update('nodes', name, undefined, (copy) => {
    if (on) copy.spec.unschedulable = true;
    else delete copy.spec.unschedulable;
  });
}

/** Adds or removes one taint by its key. */
export function taint(world: World, name: string, key: string, effect: string | undefined): void {
  world.store.update('nodes', name, undefined, (copy) => {
    const others = (copy.spec.taints ?? []).filter((t: { key: string }) => t.key !== key);
    const taints = effect === undefined ? others : [...others, { key, effect }];
    if (taints.length > 0) copy.spec.taints = taints;
    else delete copy.spec.taints;
  });
}

/** "1.32" of "v1.32.3-eks-473151a". */
export function kubeletMinor(node: KubeObject): string {
  return /^v(\d+\.\d+)\./.exec(String(node.status?.nodeInfo?.kubeletVersion ?? ''))?.[1] ?? '';
}
