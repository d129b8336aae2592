/** What is wrong with the account around the cluster of the scenario `readiness`: addresses, security group, role, key, quotas. */
import type { DataVolume, Subnet } from '../../aws/network.ts';
import type { World } from '../../world/world.ts';
import { addDefinition } from '../parts/definition-parts.ts';

const TIB_GIB = 1024;
/** Subnets of nodes, which the control plane does not share. */
const NODES = ['subnet-0node0node0node01', 'subnet-0node0node0node02'] as const;

export function plantAccount(world: World): void {
  const { cluster, network } = world.eks;
  const [first, second, third] = network.subnets;
  if (first === undefined || second === undefined || third === undefined) throw new Error('a cluster has three subnets');
  // One zone with room is not enough for a control plane.
  first.freeAddresses = 3;
  second.freeAddresses = 2;
  const like = (subnet: Subnet, id: string, freeAddresses: number): Subnet => ({ ...subnet, id, freeAddresses });
  network.subnets.push(like(first, NODES[0], 20), like(second, NODES[1], 25), like(first, 'subnet-0pods0pods0pods01', 10));
  for (const nodes of [...world.eks.nodeGroups, ...world.eks.fargateProfiles]) nodes.subnetIds = [...NODES];
  plantEniConfig(world, first.zone, 'subnet-0pods0pods0pods01');
  cluster.securityGroupIds.push('sg-0deleted0deleted1');
  cluster.roleGone = true;
  cluster.keyState = 'PendingDeletion';
  plantVolumes(world, third.zone);
}

/** Custom networking of the VPC CNI: pods have subnets of their own. */
function plantEniConfig(world: World, zone: string, subnet: string): void {
  addDefinition(world, {
    group: 'crd.k8s.amazonaws.com',
    plural: 'eniconfigs',
    kind: 'ENIConfig',
    scope: 'Cluster',
    versions: ['v1alpha1'],
  });
  world.store.create('eniconfigs', {
    apiVersion: 'crd.k8s.amazonaws.com/v1alpha1',
    kind: 'ENIConfig',
    metadata: { name: zone },
    spec: { subnet, securityGroups: [] },
  });
}

/** On-demand vCPUs for eleven nodes of four and one with a GPU, and volumes that nearly fill their quotas. */
function plantVolumes(world: World, zone: string): void {
  const { network } = world.eks;
  network.quotas['L-1216C47A'] = 44;
  network.quotas['L-DB2E81BA'] = 4;
  const volume = (id: string, type: DataVolume['type'], tib: number): DataVolume => ({ id, type, sizeGib: tib * TIB_GIB, zone });
  network.volumes.push(
    volume('vol-0aaaaaaaaaaaaaa21', 'gp2', 16),
    volume('vol-0aaaaaaaaaaaaaa22', 'gp2', 16),
    volume('vol-0aaaaaaaaaaaaaa23', 'gp2', 10),
    volume('vol-0aaaaaaaaaaaaaa31', 'gp3', 16),
    volume('vol-0aaaaaaaaaaaaaa32', 'gp3', 16),
    volume('vol-0aaaaaaaaaaaaaa33', 'gp3', 14),
  );
}
