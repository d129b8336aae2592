/** Auto Scaling and IAM over the query protocol. Shapes as in botocore's data/autoscaling/2011-01-01 and data/iam/2010-05-08. */
import { randomUUID } from 'node:crypto';
import { AwsError } from '../eks/errors.ts';
import { autoScalingGroupOf, nodeRoleOf } from '../eks/render.ts';
import type { EksNodeGroup } from '../eks/state.ts';
import type { World } from '../world/world.ts';
import { idOf, instancesOf } from './instances.ts';
import { cut, filtersOf, numbered, passing } from './query.ts';
import { type XmlValue, xml } from './xml.ts';

type Answer = Record<string, XmlValue>;
type Action = (world: World, form: URLSearchParams) => Answer;

interface QueryService {
  namespace: string;
  actions: Record<string, Action>;
}

interface AutoScalingTag {
  [member: string]: XmlValue;
  Key: string;
  Value: string;
}

function autoScalingTags(world: World, group: EksNodeGroup): AutoScalingTag[] {
  const { name } = world.eks.cluster;
  const tags = [
    ['eks:cluster-name', name],
    ['eks:nodegroup-name', group.name],
    ['k8s.io/cluster-autoscaler/enabled', 'true'],
    [`k8s.io/cluster-autoscaler/${name}`, 'owned'],
    [`kubernetes.io/cluster/${name}`, 'owned'],
  ];
  const ResourceId = autoScalingGroupOf(world.eks, group);
  return tags.map(([Key = '', Value = '']) => ({ ResourceId, ResourceType: 'auto-scaling-group', Key, Value, PropagateAtLaunch: true }));
}

function describeAutoScalingGroups(world: World, form: URLSearchParams): Answer {
  const { eks } = world;
  const named = numbered(form, 'AutoScalingGroupNames.member');
  const wanted = eks.nodeGroups.filter((group) => named.length === 0 || named.includes(autoScalingGroupOf(eks, group)));
  const tagsOf = (group: EksNodeGroup): AutoScalingTag[] => autoScalingTags(world, group);
  const readers = {
    'tag-key': (group: EksNodeGroup) => tagsOf(group).map(({ Key }) => Key),
    'tag-value': (group: EksNodeGroup) => tagsOf(group).map(({ Value }) => Value),
    ...Object.fromEntries(
      eks.nodeGroups
        .flatMap(tagsOf)
        .map(({ Key }) => [`tag:${Key}`, (group: EksNodeGroup) => tagsOf(group).flatMap((tag) => (tag.Key === Key ? [tag.Value] : []))]),
    ),
  };
  const found = passing(wanted, filtersOf(form, 'Filters.member', 'Values.member'), readers);
  const { items, token } = cut(found, form, { size: 'MaxRecords', token: 'NextToken' });
  return { AutoScalingGroups: items.map((group) => renderAutoScalingGroup(world, group)), NextToken: token };
}

function renderAutoScalingGroup(world: World, group: EksNodeGroup): Answer {
  const { cluster, network } = world.eks;
  const name = autoScalingGroupOf(world.eks, group);
  const own = { LaunchTemplateId: idOf('lt', name), LaunchTemplateName: name, Version: '1' };
  const subnets = group.subnetIds ?? cluster.subnetIds;
  return {
    AutoScalingGroupName: name,
    AutoScalingGroupARN: `arn:aws:autoscaling:${cluster.region}:${cluster.account}:autoScalingGroup:${randomUUID()}:autoScalingGroupName/${name}`,
    LaunchTemplate: own,
    MinSize: group.minSize,
    MaxSize: group.maxSize,
    DesiredCapacity: group.desiredSize,
    DefaultCooldown: 300,
    AvailabilityZones: network.subnets.filter(({ id }) => subnets.includes(id)).map(({ zone }) => zone),
    LoadBalancerNames: [],
    TargetGroupARNs: [],
    HealthCheckType: 'EC2',
    HealthCheckGracePeriod: 15,
    Instances: instancesOf(world)
      .filter(({ nodeGroup }) => nodeGroup === group.name)
      .map(({ id, type, zone }) => ({
        InstanceId: id,
        InstanceType: type,
        AvailabilityZone: zone,
        LifecycleState: 'InService',
        HealthStatus: 'Healthy',
        LaunchTemplate: own,
        ProtectedFromScaleIn: false,
      })),
    CreatedTime: new Date(group.createdAtMs),
    SuspendedProcesses: [],
    VPCZoneIdentifier: subnets.join(','),
    EnabledMetrics: [],
    Tags: autoScalingTags(world, group),
    TerminationPolicies: ['AllocationStrategy', 'OldestLaunchTemplate', 'OldestInstance'],
    NewInstancesProtectedFromScaleIn: false,
    ServiceLinkedRoleARN: `arn:aws:iam::${cluster.account}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`,
    CapacityRebalance: true,
  };
}

/** Roles that the cluster and its node groups name, with who may assume them and what is attached. */
function rolesOf(world: World): { arn: string; trusts: string; policies: string[] }[] {
  const { eks } = world;
  const nodeRoles = new Set(eks.nodeGroups.map((group) => nodeRoleOf(eks, group)));
  return [
    { arn: eks.cluster.roleArn, trusts: 'eks.amazonaws.com', policies: ['AmazonEKSClusterPolicy'] },
    ...[...nodeRoles].map((arn) => ({
      arn,
      trusts: 'ec2.amazonaws.com',
      policies: ['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly', 'AmazonEKS_CNI_Policy'],
    })),
  ];
}

function requireRole(world: World, form: URLSearchParams) {
  const name = form.get('RoleName') ?? '';
  const role = rolesOf(world).find(({ arn }) => arn.split('/').at(-1) === name);
  if (role === undefined) throw new AwsError(404, 'NoSuchEntity', `The role with name ${name} cannot be found.`);
  return { ...role, name };
}

function getRole(world: World, form: URLSearchParams): Answer {
  const { name, arn, trusts } = requireRole(world, form);
  const trust = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Principal: { Service: trusts }, Action: 'sts:AssumeRole' }] };
  return {
    Role: {
      Path: '/',
      RoleName: name,
      RoleId: idOf('AROA', arn).replace('-', '').toUpperCase(),
      Arn: arn,
      CreateDate: new Date(world.eks.cluster.createdAtMs),
      AssumeRolePolicyDocument: encodeURIComponent(JSON.stringify(trust)),
      MaxSessionDuration: 3600,
    },
  };
}

function listAttachedRolePolicies(world: World, form: URLSearchParams): Answer {
  const { policies } = requireRole(world, form);
  const AttachedPolicies = policies.map((PolicyName) => ({ PolicyName, PolicyArn: `arn:aws:iam::aws:policy/${PolicyName}` }));
  return { AttachedPolicies, IsTruncated: false };
}

const SERVICES: Record<'autoscaling' | 'iam', QueryService> = {
  autoscaling: {
    namespace: 'http://autoscaling.amazonaws.com/doc/2011-01-01/',
    actions: { DescribeAutoScalingGroups: describeAutoScalingGroups },
  },
  iam: {
    namespace: 'https://iam.amazonaws.com/doc/2010-05-08/',
    actions: { GetRole: getRole, ListAttachedRolePolicies: listAttachedRolePolicies },
  },
};

/** Answers one action with XML. Throws AwsError in the service's words. */
export function queryService(world: World, service: keyof typeof SERVICES, form: URLSearchParams): string {
  const { namespace, actions } = SERVICES[service];
  const action = form.get('Action') ?? '';
  const run = actions[action];
  if (run === undefined) throw new AwsError(400, 'InvalidAction', `Could not find operation ${action} for version ${form.get('Version')}`);
  const body = xml({ [`${action}Result`]: run(world, form), ResponseMetadata: { RequestId: randomUUID() } }, 'member');
  return `<${action}Response xmlns="${namespace}">${body}</${action}Response>`;
}

export function queryError(service: keyof typeof SERVICES, error: AwsError): string {
  const Type = error.status >= 500 ? 'Receiver' : 'Sender';
  const body = xml({ Error: { Type, Code: error.code, Message: error.message }, RequestId: randomUUID() }, 'member');
  return `<ErrorResponse xmlns="${SERVICES[service].namespace}">${body}</ErrorResponse>`;
}
