/** EC2's shapes of instances and of their root volumes. */
import type { World } from '../world/world.ts';
import type { DataVolume } from './network.ts';
import { idOf, type Instance, instancesOf } from './instances.ts';
import type { XmlValue } from './xml.ts';

const ROOT_VOLUME_GIB = 20;

interface Tag {
  [name: string]: string;
  key: string;
  value: string;
}

function tagsOf(world: World, instance: Instance): Tag[] {
  const { name } = world.eks.cluster;
  const of = (key: string, value: string | undefined): Tag[] => (value === undefined ? [] : [{ key, value }]);
  return [
    { key: `kubernetes.io/cluster/${name}`, value: 'owned' },
    { key: 'eks:cluster-name', value: name },
    ...of('eks:nodegroup-name', instance.nodeGroup),
    ...of('karpenter.sh/nodepool', instance.nodePool),
  ];
}

/** In a reservation of its own. Two threads a core. */
export function renderInstance(world: World, instance: Instance): { tags: Tag[]; reservation: XmlValue } {
  const { account } = world.eks.cluster;
  const { network } = world.eks;
  const tags = tagsOf(world, instance);
  const groups = network.securityGroups.slice(-1).map(({ id, name }) => ({ groupId: id, groupName: name }));
  const described = {
    instanceId: instance.id,
    imageId: instance.imageId,
    instanceState: { code: 16, name: 'running' },
    privateDnsName: instance.node,
    instanceType: instance.type,
    launchTime: instance.launched,
    placement: { availabilityZone: instance.zone, groupName: '', tenancy: 'default' },
    monitoring: { state: 'disabled' },
    subnetId: instance.subnetId,
    vpcId: network.vpcId,
    privateIpAddress: instance.address,
    architecture: instance.architecture,
    rootDeviceType: 'ebs',
    rootDeviceName: '/dev/xvda',
    virtualizationType: 'hvm',
    hypervisor: 'xen',
    ...(instance.spot ? { instanceLifecycle: 'spot' } : {}),
    cpuOptions: { coreCount: Math.max(1, instance.vcpus / 2), threadsPerCore: 2 },
    groupSet: groups,
    tagSet: tags,
  };
  return { tags, reservation: { reservationId: idOf('r', instance.id), ownerId: account, instancesSet: [described] } };
}

export interface Volume extends DataVolume {
  /** Whose root volume it is. */
  instance?: string;
  created: Date;
}

/** Root volumes of all instances, and what the account has beside them. */
export function volumesOf(world: World): Volume[] {
  const created = new Date(world.eks.cluster.createdAtMs);
  return [
    ...instancesOf(world).map(
      ({ id, zone, launched }): Volume => ({
        // A hash, which most of those that a filter looks at never need.
        get id() {
          return idOf('vol', id);
        },
        type: 'gp3',
        sizeGib: ROOT_VOLUME_GIB,
        zone,
        instance: id,
        created: launched,
      }),
    ),
    ...world.eks.network.volumes.map((volume) => ({ ...volume, created })),
  ];
}

export const statusOf = ({ instance }: Volume): string => (instance === undefined ? 'available' : 'in-use');

function attachmentsOf({ id, instance, created }: Volume): XmlValue[] {
  if (instance === undefined) return [];
  return [{ volumeId: id, instanceId: instance, device: '/dev/xvda', status: 'attached', attachTime: created, deleteOnTermination: true }];
}

export function renderVolume(volume: Volume): XmlValue {
  return {
    volumeId: volume.id,
    size: volume.sizeGib,
    availabilityZone: volume.zone,
    status: statusOf(volume),
    createTime: volume.created,
    attachmentSet: attachmentsOf(volume),
    volumeType: volume.type,
    ...(volume.type === 'gp3' ? { iops: 3000, throughput: 125 } : { iops: Math.min(16_000, Math.max(100, 3 * volume.sizeGib)) }),
    encrypted: true,
    multiAttachEnabled: false,
  };
}
