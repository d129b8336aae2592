/** Nodes that no step of an upgrade moves: self-managed, Fargate's, hybrid ones. */
import { OWN_GROUP } from '../../aws/instances.ts';
import { HYBRID_LABELS } from '../../controllers/insights.ts';
import { setReady } from '../../controllers/nodes.ts';
import { kubeletVersion } from '../../aws/eks/catalogue.ts';
import type { World } from '../../world/world.ts';

export function plantNodes(world: World): void {
  world.eks.network.launchTemplates.push({
    id: 'lt-0aaaaaaaaaaaaaaa2',
    name: 'self-managed-gpu',
    defaultVersion: 1,
    versions: [{ number: 1 }, { number: 2 }],
  });
  world.eks.network.autoScalingGroups.push({
    name: 'self-managed-gpu',
    size: 1,
    launchTemplate: { id: 'lt-0aaaaaaaaaaaaaaa2', version: '1' },
  });
  const { version, region } = world.eks.cluster;
  // One minor behind: four when the control plane has arrived.
  addForeignNode(world, {
    name: `ip-10-0-99-31.${region}.compute.internal`,
    minor: '1.31',
    providerID: `aws:///${region}a/i-0f0f0f0f0f0f0f0f1`,
    labels: { [OWN_GROUP]: 'self-managed-gpu', 'node.kubernetes.io/instance-type': 'g5.xlarge' },
  });
  addForeignNode(world, {
    name: `fargate-ip-10-0-99-32.${region}.compute.internal`,
    minor: version,
    labels: { 'eks.amazonaws.com/compute-type': 'fargate' },
    runtime: 'containerd://2.1.5',
  });
  addForeignNode(world, { name: 'mi-0a1b2c3d4e5f60718', minor: version, labels: HYBRID_LABELS });
}

interface ForeignNode {
  name: string;
  /** Of its kubelet. */
  minor: string;
  labels?: Record<string, string>;
  /** Absent: no instance of EC2. */
  providerID?: string;
  runtime?: string;
}

/** Takes no pods but those of DaemonSets. */
function addForeignNode(world: World, { name, minor, labels, providerID, runtime = 'containerd://1.7.27' }: ForeignNode): void {
  world.store.create('nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'topology.kubernetes.io/zone': `${world.eks.cluster.region}a`,
        ...labels,
      },
    },
    spec: { ...(providerID === undefined ? {} : { providerID }), taints: [{ key: 'example.com/dedicated', effect: 'NoSchedule' }] },
    status: {
      capacity: { cpu: '4', memory: '16Gi', pods: '58' },
      allocatable: { cpu: '3920m', memory: '15Gi', pods: '58' },
      addresses: [{ type: 'InternalIP', address: '10.0.99.31' }],
      nodeInfo: {
        containerRuntimeVersion: runtime,
        kubeletVersion: kubeletVersion(minor),
        operatingSystem: 'linux',
        osImage: 'Amazon Linux 2023',
      },
    },
  });
  setReady(world, name, true);
}
