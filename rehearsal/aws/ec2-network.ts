/** What a cluster's network looks like to EC2: VPC, zones, subnets with their free addresses, security groups. */
import { AwsError } from './eks/errors.ts';
import type { World } from '../world/world.ts';
import { type Answer, lacking, listed } from './ec2-listing.ts';

/** Kubernetes' own tag on what belongs to a cluster. */
const clusterTags = (world: World, name: string): { key: string; value: string }[] => [
  { key: 'Name', value: name },
  { key: `kubernetes.io/cluster/${world.eks.cluster.name}`, value: 'shared' },
];

export function describeSubnets(world: World, form: URLSearchParams): Answer {
  const { cluster, network } = world.eks;
  return listed(form, network.subnets, {
    element: 'subnetSet',
    ids: { parameter: 'SubnetId', of: (s) => s.id, missing: lacking('InvalidSubnetID.NotFound', 'subnet ID') },
    filters: {
      'subnet-id': (s) => s.id,
      'vpc-id': () => network.vpcId,
      'availability-zone': (s) => s.zone,
      'tag-key': () => clusterTags(world, '').map(({ key }) => key),
    },
    render: (s) => ({
      availabilityZoneId: s.zoneId,
      mapCustomerOwnedIpOnLaunch: false,
      ownerId: cluster.account,
      assignIpv6AddressOnCreation: false,
      tagSet: clusterTags(world, `${cluster.name}-private-${s.zone}`),
      subnetArn: `arn:aws:ec2:${cluster.region}:${cluster.account}:subnet/${s.id}`,
      enableDns64: false,
      ipv6Native: false,
      subnetId: s.id,
      state: 'available',
      vpcId: network.vpcId,
      cidrBlock: s.cidr,
      availableIpAddressCount: s.freeAddresses,
      availabilityZone: s.zone,
      defaultForAz: false,
      mapPublicIpOnLaunch: false,
    }),
  });
}

export function describeSecurityGroups(world: World, form: URLSearchParams): Answer {
  const { cluster, network } = world.eks;
  return listed(form, network.securityGroups, {
    element: 'securityGroupInfo',
    ids: { parameter: 'GroupId', of: (g) => g.id, missing: lacking('InvalidGroup.NotFound', 'security group') },
    filters: { 'group-id': (g) => g.id, 'group-name': (g) => g.name, 'vpc-id': () => network.vpcId },
    render: (g) => ({
      groupId: g.id,
      ipPermissionsEgress: [{ ipProtocol: '-1', ipRanges: [{ cidrIp: '0.0.0.0/0' }] }],
      tagSet: clusterTags(world, g.name),
      vpcId: network.vpcId,
      securityGroupArn: `arn:aws:ec2:${cluster.region}:${cluster.account}:security-group/${g.id}`,
      ownerId: cluster.account,
      groupName: g.name,
      groupDescription: g.description,
      ipPermissions: [{ ipProtocol: '-1', groups: [{ groupId: g.id, userId: cluster.account }] }],
    }),
  });
}

export function describeVpcs(world: World, form: URLSearchParams): Answer {
  const { cluster, network } = world.eks;
  return listed(form, [network], {
    element: 'vpcSet',
    ids: { parameter: 'VpcId', of: (v) => v.vpcId, missing: lacking('InvalidVpcID.NotFound', 'vpc ID') },
    filters: { 'vpc-id': (v) => v.vpcId, cidr: (v) => v.cidr, state: () => 'available' },
    render: (v) => ({
      ownerId: cluster.account,
      instanceTenancy: 'default',
      isDefault: false,
      tagSet: clusterTags(world, cluster.name),
      vpcId: v.vpcId,
      state: 'available',
      cidrBlock: v.cidr,
      dhcpOptionsId: 'dopt-0a77aa77aa77aa77a',
    }),
  });
}

export function describeAvailabilityZones(world: World, form: URLSearchParams): Answer {
  const { region } = world.eks.cluster;
  const { nextToken: _none, ...answer } = listed(form, world.eks.network.subnets, {
    element: 'availabilityZoneInfo',
    ids: {
      parameter: 'ZoneName',
      of: (s) => s.zone,
      missing: (id) => new AwsError(400, 'InvalidParameterValue', `Invalid availability zone: [${id}]`),
    },
    filters: { 'zone-name': (s) => s.zone, 'zone-id': (s) => s.zoneId, 'region-name': () => region, state: () => 'available' },
    render: (s) => ({
      optInStatus: 'opt-in-not-required',
      regionName: region,
      zoneName: s.zone,
      zoneId: s.zoneId,
      groupName: `${region}-zg-1`,
      networkBorderGroup: region,
      zoneType: 'availability-zone',
      zoneState: 'available',
    }),
  });
  return answer;
}
