/** EC2's shapes of instances and of their root volumes. */
import type { World } from '../world/world.ts';
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
    cpuOptions: { coreCount: Math.max(1, instance.vcpus / 2), threadsPerCore: 2 },
    groupSet: groups,
    tagSet: tags,
  };
  return { tags, reservation: { reservationId: idOf('r', instance.id), ownerId: account, instancesSet: [described] } };
}

export interface Volume {
  id: string;
  instance: string;
  zone: string;
  created: Date;
}

export const volumesOf = (world: World): Volume[] =>
  instancesOf(world).map(({ id, zone, launched }) => ({ id: idOf('vol', id), instance: id, zone, created: launched }));

export function renderVolume(_world: World, volume: Volume): XmlValue {
  return {
    volumeId: volume.id,
    size: ROOT_VOLUME_GIB,
    availabilityZone: volume.zone,
    status: 'in-use',
    createTime: volume.created,
    attachmentSet: [
      {
        volumeId: volume.id,
        instanceId: volume.instance,
        device: '/dev/xvda',
        status: 'attached',
        attachTime: volume.created,
        deleteOnTermination: true,
      },
    ],
    volumeType: 'gp3',
    iops: 3000,
    throughput: 125,
    encrypted: true,
    multiAttachEnabled: false,
  };
}
