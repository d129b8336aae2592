/** Auto Scaling groups: those of managed node groups, and those of one's own. */
import { randomUUID } from 'node:crypto';
import { autoScalingGroupOf } from './eks/render.ts';
import { parameterValue } from './eks/ssm.ts';
import type { World } from '../world/world.ts';
import { idOf, type Instance, instancesOf } from './instances.ts';
import { cut, filtersOf, numbered, passing } from './query.ts';
import type { XmlValue } from './xml.ts';

interface Group {
  name: string;
  launchTemplate: { LaunchTemplateId: string; LaunchTemplateName: string; Version: string };
  minSize: number;
  maxSize: number;
  desiredSize: number;
  subnetIds: string[];
  createdAtMs: number;
  instances: Instance[];
  tags: Record<string, string>;
  /** Nodes of instances that a lifecycle hook holds. */
  leaving?: string[];
}

function groupsOf(world: World): Group[] {
  const { cluster, nodeGroups, network } = world.eks;
  const owned = {
    'k8s.io/cluster-autoscaler/enabled': 'true',
    [`k8s.io/cluster-autoscaler/${cluster.name}`]: 'owned',
    [`kubernetes.io/cluster/${cluster.name}`]: 'owned',
  };
  const instances = instancesOf(world);
  const managed = nodeGroups.map((group): Group => {
    const name = autoScalingGroupOf(world.eks, group);
    return {
      name,
      launchTemplate: { LaunchTemplateId: idOf('lt', name), LaunchTemplateName: name, Version: '1' },
      minSize: group.minSize,
      maxSize: group.maxSize,
      desiredSize: group.desiredSize,
      subnetIds: group.subnetIds ?? cluster.subnetIds,
      createdAtMs: group.createdAtMs,
      instances: instances.filter(({ nodeGroup }) => nodeGroup === group.name),
      tags: { 'eks:cluster-name': cluster.name, 'eks:nodegroup-name': group.name, ...owned },
    };
  });
  const own = network.autoScalingGroups.map(({ name, size, launchTemplate: { id, version }, tags = {}, leaving = [] }): Group => {
    const template = network.launchTemplates.find((each) => each.id === id);
    return {
      name,
      launchTemplate: { LaunchTemplateId: id, LaunchTemplateName: template?.name ?? id, Version: version },
      minSize: size,
      maxSize: size,
      desiredSize: size,
      subnetIds: cluster.subnetIds,
      createdAtMs: cluster.createdAtMs,
      instances: instances.filter(({ autoScalingGroup }) => autoScalingGroup === name),
      tags: { Name: name, ...owned, ...tags },
      leaving: leaving.map(({ node }) => node),
    };
  });
  return [...managed, ...own];
}

/** Answers DescribeAutoScalingGroups: by names, by tags, in pages. */
export function describeAutoScalingGroups(world: World, form: URLSearchParams): Record<string, XmlValue> {
  const named = numbered(form, 'AutoScalingGroupNames.member');
  const all = groupsOf(world);
  const wanted = all.filter(({ name }) => named.length === 0 || named.includes(name));
  const filters = filtersOf(form, 'Filters.member', 'Values.member');
  const readers = {
    'tag-key': ({ tags }: Group) => Object.keys(tags),
    'tag-value': ({ tags }: Group) => Object.values(tags),
    ...Object.fromEntries(
      filters
        .filter(({ name }) => name.startsWith('tag:'))
        .map(({ name }) => [name, ({ tags }: Group) => tags[name.slice('tag:'.length)] ?? []]),
    ),
  };
  const found = passing(wanted, filters, readers);
  const { items, token } = cut(found, form, { size: 'MaxRecords', token: 'NextToken' });
  return { AutoScalingGroups: items.map((group) => render(world, group)), NextToken: token };
}

/** An instance keeps the version that it was launched by, as a number: here the newest one with its image. */
function versionOf(world: World, { LaunchTemplateId, Version }: Group['launchTemplate'], imageId: string): string {
  const template = world.eks.network.launchTemplates.find(({ id }) => id === LaunchTemplateId);
  const launched = template?.versions.findLast((version) => resolved(world, version.imageId) === imageId);
  return launched === undefined ? Version : String(launched.number);
}

/** The image behind a parameter, as it is now. */
const resolved = (world: World, imageId = ''): string | undefined =>
  imageId.startsWith('resolve:ssm:') ? parameterValue(world, imageId.slice('resolve:ssm:'.length)) : imageId;

function render(world: World, group: Group): Record<string, XmlValue> {
  const { cluster, network } = world.eks;
  const { name, launchTemplate, subnetIds } = group;
  return {
    AutoScalingGroupName: name,
    AutoScalingGroupARN: `arn:aws:autoscaling:${cluster.region}:${cluster.account}:autoScalingGroup:${randomUUID()}:autoScalingGroupName/${name}`,
    LaunchTemplate: launchTemplate,
    MinSize: group.minSize,
    MaxSize: group.maxSize,
    DesiredCapacity: group.desiredSize,
    DefaultCooldown: 300,
    AvailabilityZones: network.subnets.filter(({ id }) => subnetIds.includes(id)).map(({ zone }) => zone),
    LoadBalancerNames: [],
    TargetGroupARNs: [],
    HealthCheckType: 'EC2',
    HealthCheckGracePeriod: 15,
    Instances: group.instances.map(({ id, type, zone, node, imageId }) => ({
      InstanceId: id,
      InstanceType: type,
      AvailabilityZone: zone,
      LifecycleState: group.leaving?.includes(node) === true ? 'Terminating:Wait' : 'InService',
      HealthStatus: 'Healthy',
      LaunchTemplate: { ...launchTemplate, Version: versionOf(world, launchTemplate, imageId) },
      ProtectedFromScaleIn: false,
    })),
    CreatedTime: new Date(group.createdAtMs),
    SuspendedProcesses: [],
    VPCZoneIdentifier: subnetIds.join(','),
    EnabledMetrics: [],
    Tags: Object.entries(group.tags).map(([Key, Value]) => ({
      ResourceId: name,
      ResourceType: 'auto-scaling-group',
      Key,
      Value,
      PropagateAtLaunch: true,
    })),
    TerminationPolicies: ['AllocationStrategy', 'OldestLaunchTemplate', 'OldestInstance'],
    NewInstancesProtectedFromScaleIn: false,
    ServiceLinkedRoleARN: `arn:aws:iam::${cluster.account}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`,
    CapacityRebalance: true,
  };
}
