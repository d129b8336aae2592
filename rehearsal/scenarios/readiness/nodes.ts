/** Nodes that no step of an upgrade moves: self-managed, Fargate's, hybrid ones. */
import { HYBRID_LABELS } from '../../controllers/insights.ts';
import { setReady } from '../../controllers/nodes.ts';
import { kubeletVersion } from '../../eks/catalogue.ts';
import type { World } from '../../world/world.ts';

/** Names tell what they are. */
export const FOREIGN_NODES = {
  selfManaged: 'ip-10-0-99-31.eu-west-1.compute.internal',
  fargate: 'fargate-ip-10-0-99-32.eu-west-1.compute.internal',
  hybrid: 'mi-0a1b2c3d4e5f60718',
} as const;

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
  const { version } = world.eks.cluster;
  // One minor behind: four when the control plane has arrived.
  addForeignNode(world, FOREIGN_NODES.selfManaged, '1.31', {}, `aws:///${world.eks.cluster.region}a/i-0f0f0f0f0f0f0f0f1`);
  addForeignNode(world, FOREIGN_NODES.fargate, version, { 'eks.amazonaws.com/compute-type': 'fargate' });
  addForeignNode(world, FOREIGN_NODES.hybrid, version, HYBRID_LABELS);
}

/** Takes no pods but those of DaemonSets. */
function addForeignNode(world: World, name: string, minor: string, labels: Record<string, string>, providerID?: string): void {
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
        containerRuntimeVersion: 'containerd://1.7.27',
        kubeletVersion: kubeletVersion(minor),
        operatingSystem: 'linux',
        osImage: 'Amazon Linux 2023',
      },
    },
  });
  setReady(world, name, true);
}
