/** boto3 loads every answer of the twin, and each is held to botocore's own service models as it came over the wire. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOwnNode } from '../../../rehearsal/controllers/instance-refresh.ts';
import { latestAmi } from '../../../rehearsal/aws/eks/nodes/amis.ts';
import { amiOfGroup } from '../../../rehearsal/aws/eks/nodes/group-ami.ts';
import { noteDeprecatedCall } from '../../../rehearsal/aws/eks/cluster/removed-apis.ts';
import { type BotoAnswer, type BotoCall, type RunningTwin, startTwin } from './twin.ts';

const cluster = 'staging';
let twin: RunningTwin;

beforeAll(async () => {
  twin = await startTwin('seed-000', 60);
  const { world } = twin.stage.built;
  const { eks } = world;
  noteDeprecatedCall(world, { path: '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas', userAgent: 'kubectl/v1.25.0' });
  const createdAtMs = eks.cluster.createdAtMs;
  eks.fargateProfiles.push({
    name: 'batch',
    status: 'ACTIVE',
    podExecutionRoleArn: `arn:aws:iam::${eks.cluster.account}:role/fargate`,
    subnetIds: eks.cluster.subnetIds,
    selectors: [{ namespace: 'batch', labels: { size: 'small' } }],
    createdAtMs,
  });
  eks.capabilities.push({
    name: 'argocd',
    type: 'ARGOCD',
    status: 'ACTIVE',
    version: '3.1.8-eks-1',
    roleArn: eks.cluster.roleArn,
    createdAtMs,
  });
  const [group] = eks.nodeGroups;
  const image = group && amiOfGroup(world, group, '1.31');
  eks.network.launchTemplates.push({
    id: 'lt-0123456789abcdef0',
    name: 'custom',
    defaultVersion: 1,
    versions: [
      { number: 1, imageId: image?.id },
      { number: 2, imageId: image?.id },
    ],
  });
});
afterAll(() => twin.close());

async function ask(...calls: BotoCall[]): Promise<BotoAnswer[]> {
  const answers = await twin.boto(calls);
  expect(answers.map(({ call }) => call)).toEqual(calls.map(({ call }) => call));
  return answers;
}

const summary = ({ call, error, problems }: BotoAnswer): unknown =>
  error === null && problems.length === 0 ? call : { call, error, problems };

const c = { clusterName: cluster };

test('every read is as the model has it', async () => {
  const arn = 'arn:aws:eks:ap-northeast-1:111122223333:cluster/staging';
  const calls: BotoCall[] = [
    { call: 'eks.list_clusters' },
    { call: 'eks.describe_cluster', with: { name: cluster } },
    { call: 'eks.describe_cluster_versions', with: { includeAll: true, maxResults: 2 } },
    { call: 'eks.describe_cluster_versions', with: { clusterVersions: ['1.31', '1.32'] } },
    { call: 'eks.list_nodegroups', with: c },
    { call: 'eks.describe_nodegroup', with: { ...c, nodegroupName: 'default' } },
    { call: 'eks.list_addons', with: { ...c, maxResults: 1 } },
    { call: 'eks.describe_addon', with: { ...c, addonName: 'coredns' } },
    { call: 'eks.describe_addon_versions', with: { kubernetesVersion: '1.32' } },
    { call: 'eks.describe_addon_versions', with: { addonName: 'vpc-cni' } },
    { call: 'eks.describe_addon_configuration', with: { addonName: 'coredns', addonVersion: 'v1.11.3-eksbuild.1' } },
    { call: 'eks.list_fargate_profiles', with: c },
    { call: 'eks.describe_fargate_profile', with: { ...c, fargateProfileName: 'batch' } },
    { call: 'eks.list_capabilities', with: c },
    { call: 'eks.describe_capability', with: { ...c, capabilityName: 'argocd' } },
    { call: 'eks.list_tags_for_resource', with: { resourceArn: arn } },
    { call: 'eks.tag_resource', with: { resourceArn: arn, tags: { team: 'platform' } } },
    { call: 'eks.untag_resource', with: { resourceArn: arn, tagKeys: ['team'] } },
    { call: 'eks.start_insights_refresh', with: c },
    { call: 'eks.describe_insights_refresh', with: c },
    { call: 'eks.list_updates', with: { name: cluster } },
    { call: 'sts.get_caller_identity' },
    { call: 'sts.assume_role', with: { RoleArn: 'arn:aws:iam::111122223333:role/upgrader', RoleSessionName: 'upgrade' } },
    { call: 'ec2.describe_subnets', with: { SubnetIds: ['subnet-0a11aa11aa11aa11a'] } },
    { call: 'ec2.describe_subnets', with: { Filters: [{ Name: 'vpc-id', Values: ['vpc-0f66ff66ff66ff66f'] }] } },
    { call: 'ec2.describe_security_groups' },
    { call: 'ec2.describe_vpcs' },
    { call: 'ec2.describe_availability_zones' },
    { call: 'ec2.describe_images', with: { Filters: [{ Name: 'name', Values: ['amazon-eks-node-al2023-x86_64-standard-1.31-*'] }] } },
    { call: 'ec2.describe_instances', with: { Filters: [{ Name: 'instance-state-name', Values: ['running'] }] } },
    { call: 'ec2.describe_volumes', with: { Filters: [{ Name: 'volume-type', Values: ['gp3'] }] } },
    { call: 'ec2.describe_launch_templates' },
    { call: 'ec2.describe_launch_template_versions', with: { LaunchTemplateId: 'lt-0123456789abcdef0', Versions: ['$Latest'] } },
    { call: 'autoscaling.describe_auto_scaling_groups' },
    { call: 'service-quotas.list_service_quotas', with: { ServiceCode: 'ec2' } },
    { call: 'service-quotas.get_service_quota', with: { ServiceCode: 'ec2', QuotaCode: 'L-1216C47A' } },
    { call: 'service-quotas.get_aws_default_service_quota', with: { ServiceCode: 'eks', QuotaCode: 'L-6D54EA21' } },
    { call: 'iam.get_role', with: { RoleName: 'eks-staging' } },
    { call: 'iam.list_attached_role_policies', with: { RoleName: 'eks-staging' } },
    { call: 'kms.describe_key', with: { KeyId: '7c1f3b52-0000-4000-8000-00000000e4c5' } },
    {
      call: 'ssm.get_parameter',
      with: { Name: '/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id' },
    },
    { call: 'ssm.get_parameters_by_path', with: { Path: '/aws/service/eks/optimized-ami/1.32/amazon-linux-2023', Recursive: true } },
  ];
  expect((await ask(...calls)).map(summary)).toEqual(calls.map(({ call }) => call));
});

test('insights with what they found are as the model has them', async () => {
  await ask({ call: 'eks.start_insights_refresh', with: c });
  const { world } = twin.stage.built;
  for (let tenths = 0; world.eks.insights.length === 0 && tenths < 100; tenths += 1) await new Promise((done) => setTimeout(done, 100));
  const [list] = await ask({ call: 'eks.list_insights', with: { ...c, filter: { statuses: ['ERROR', 'WARNING'] } } });
  const found = (list?.answer as { insights: { id: string; name: string }[] } | undefined)?.insights ?? [];
  expect(found.map(({ name }) => name)).toEqual(['Deprecated APIs removed in Kubernetes v1.32', 'EKS add-on version compatibility']);
  const described = await ask(...found.map(({ id }) => ({ call: 'eks.describe_insight', with: { ...c, id } })));
  expect([list, ...described].map((each) => each && summary(each))).toEqual([
    'eks.list_insights',
    'eks.describe_insight',
    'eks.describe_insight',
  ]);
});

test('every change and its update is as the model has it', async () => {
  const group = { ...c, nodegroupName: 'default' };
  const answers = await ask(
    {
      call: 'eks.update_nodegroup_config',
      with: { ...group, updateConfig: { maxUnavailable: 2, updateStrategy: 'MINIMAL' }, labels: { addOrUpdateLabels: { tier: 'system' } } },
    },
    {
      call: 'eks.update_addon',
      with: {
        ...c,
        addonName: 'coredns',
        addonVersion: 'v1.11.4-eksbuild.2',
        resolveConflicts: 'PRESERVE',
        configurationValues: '{"replicaCount":3}',
      },
    },
    {
      call: 'eks.create_nodegroup',
      with: {
        ...c,
        nodegroupName: 'green',
        subnets: ['subnet-0a11aa11aa11aa11a'],
        nodeRole: 'arn:aws:iam::111122223333:role/node',
        tags: { team: 'platform' },
      },
    },
    { call: 'eks.update_cluster_version', with: { name: cluster, version: '1.32', force: true } },
    { call: 'eks.delete_nodegroup', with: { ...c, nodegroupName: 'green' } },
  );
  expect(answers.map(summary)).toEqual(answers.map(({ call }) => call));
  const ids = answers.slice(0, 2).map(({ answer }) => (answer as { update: { id: string } }).update.id);
  const described = await ask(
    { call: 'eks.describe_update', with: { name: cluster, nodegroupName: 'default', updateId: ids[0] } },
    { call: 'eks.describe_update', with: { name: cluster, addonName: 'coredns', updateId: ids[1] } },
    { call: 'eks.list_updates', with: { name: cluster, addonName: 'coredns' } },
  );
  expect(described.map(summary)).toEqual(described.map(({ call }) => call));
});

test('every refusal is one that the operation declares, with its status', async () => {
  // An update runs, of this test or of the one before.
  await ask({ call: 'eks.update_cluster_version', with: { name: cluster, version: '1.32', force: true } });
  const answers = await ask(
    { call: 'eks.describe_cluster', with: { name: 'nobody' } },
    { call: 'eks.list_addons', with: { ...c, maxResults: 1000 } },
    { call: 'eks.update_cluster_version', with: { name: cluster, version: '1.32' } },
    { call: 'eks.update_cluster_version', with: { name: 'nobody', version: '1.32' } },
    { call: 'eks.update_cluster_config', with: { name: cluster, logging: {}, deletionProtection: true } },
    { call: 'eks.update_addon', with: { ...c, addonName: 'nothing' } },
    { call: 'eks.update_nodegroup_version', with: { ...c, nodegroupName: 'nothing' } },
    {
      call: 'eks.create_nodegroup',
      with: { ...c, nodegroupName: 'default', subnets: ['subnet-1'], nodeRole: 'arn:aws:iam::111122223333:role/node' },
    },
    { call: 'eks.describe_insight', with: { ...c, id: 'x' } },
    { call: 'eks.describe_update', with: { name: cluster, updateId: 'x' } },
    { call: 'eks.list_tags_for_resource', with: { resourceArn: 'arn:aws:eks:ap-northeast-1:111122223333:cluster/nobody' } },
    { call: 'eks.tag_resource', with: { resourceArn: 'nonsense', tags: { a: 'b' } } },
    { call: 'ec2.describe_subnets', with: { SubnetIds: ['subnet-1'] } },
    { call: 'ec2.describe_instances', with: { Filters: [{ Name: 'colour', Values: ['red'] }] } },
    { call: 'iam.get_role', with: { RoleName: 'nobody' } },
    { call: 'kms.describe_key', with: { KeyId: 'nothing' } },
    { call: 'service-quotas.get_service_quota', with: { ServiceCode: 'ec2', QuotaCode: 'L-00000000' } },
    { call: 'ssm.get_parameter', with: { Name: '/nothing' } },
  );
  expect(answers.map(({ call, error, answer, problems }) => [call, error, answer, ...problems])).toEqual([
    ['eks.describe_cluster', 'ResourceNotFoundException', 'No cluster found for name: nobody.'],
    ['eks.list_addons', 'InvalidParameterException', 'maxResults must be between 1 and 100.'],
    [
      'eks.update_cluster_version',
      'ResourceInUseException',
      expect.stringMatching(/^Cannot VersionUpdate because cluster staging currently has update .* in progress$/),
    ],
    ['eks.update_cluster_version', 'ResourceNotFoundException', 'No cluster found for name: nobody.'],
    ['eks.update_cluster_config', 'ResourceInUseException', expect.stringMatching(/^Cannot ConfigUpdate because cluster staging/)],
    ['eks.update_addon', 'ResourceNotFoundException', 'No addon: nothing found in cluster: staging'],
    ['eks.update_nodegroup_version', 'ResourceNotFoundException', 'No node group found for name: nothing.'],
    ['eks.create_nodegroup', 'ResourceInUseException', 'NodeGroup already exists with name default and cluster name staging'],
    ['eks.describe_insight', 'InvalidParameterException', 'Insight id x is not a UUID.'],
    ['eks.describe_update', 'ResourceNotFoundException', 'No update found for ID: x'],
    [
      'eks.list_tags_for_resource',
      'NotFoundException',
      'Resource not found for ARN: arn:aws:eks:ap-northeast-1:111122223333:cluster/nobody',
    ],
    ['eks.tag_resource', 'BadRequestException', 'Invalid ARN: nonsense'],
    ['ec2.describe_subnets', 'InvalidSubnetID.NotFound', "The subnet ID 'subnet-1' does not exist"],
    ['ec2.describe_instances', 'InvalidParameterValue', "The filter 'colour' is invalid"],
    ['iam.get_role', 'NoSuchEntity', 'The role with name nobody cannot be found.'],
    ['kms.describe_key', 'NotFoundException', "Key 'nothing' does not exist"],
    ['service-quotas.get_service_quota', 'NoSuchResourceException', 'The request failed because the specified quota does not exist.'],
    ['ssm.get_parameter', 'ParameterNotFound', ''],
  ]);
});

test('groups of one’s own: refreshed, held and rolled back as the model has it', async () => {
  const g = { AutoScalingGroupName: 'batch' };
  const hook = { ...g, LifecycleHookName: 'drain' };
  const template = { LaunchTemplateId: 'lt-0123456789abcdef0', Version: '3' };
  const { world } = twin.stage.built;
  const group = { name: 'batch', size: 2, launchTemplate: { id: template.LaunchTemplateId, version: '1' } };
  world.eks.network.autoScalingGroups.push(group);
  for (let index = 0; index < group.size; index += 1) launchOwnNode(world, group, group.launchTemplate, true);
  const image = latestAmi('al2023', '1.32', world.clock.now())?.id;
  const preferences = {
    MinHealthyPercentage: 100,
    MaxHealthyPercentage: 110,
    SkipMatching: true,
    CheckpointPercentages: [50, 100],
    CheckpointDelay: 60,
  };
  const answers = await ask(
    {
      call: 'ec2.create_launch_template_version',
      with: {
        LaunchTemplateId: template.LaunchTemplateId,
        SourceVersion: '1',
        LaunchTemplateData: { ImageId: image },
        ClientToken: 'once',
      },
    },
    {
      call: 'autoscaling.put_lifecycle_hook',
      with: { ...hook, LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING', HeartbeatTimeout: 7200, DefaultResult: 'CONTINUE' },
    },
    { call: 'autoscaling.describe_lifecycle_hooks', with: g },
    {
      call: 'autoscaling.start_instance_refresh',
      with: { ...g, Strategy: 'Rolling', DesiredConfiguration: { LaunchTemplate: template }, Preferences: preferences },
    },
    { call: 'autoscaling.describe_instance_refreshes', with: g },
    { call: 'autoscaling.describe_auto_scaling_groups', with: { AutoScalingGroupNames: ['batch'] } },
    { call: 'autoscaling.start_instance_refresh', with: g },
    { call: 'autoscaling.start_instance_refresh', with: { AutoScalingGroupName: 'nobody' } },
    { call: 'autoscaling.complete_lifecycle_action', with: { ...hook, InstanceId: 'i-1', LifecycleActionResult: 'CONTINUE' } },
    { call: 'autoscaling.rollback_instance_refresh', with: g },
    { call: 'autoscaling.describe_instance_refreshes', with: g },
    { call: 'autoscaling.delete_lifecycle_hook', with: hook },
  );
  // In one breath: world time runs sixty times faster than ours.
  const refusals = answers.filter(({ error }) => error !== null).map(({ call, error, problems }) => [call, error, ...problems]);
  expect(answers.flatMap(({ problems }) => problems)).toEqual([]);
  expect(refusals).toEqual([
    ['autoscaling.start_instance_refresh', 'InstanceRefreshInProgress'],
    ['autoscaling.start_instance_refresh', 'ValidationError'],
    ['autoscaling.complete_lifecycle_action', 'ValidationError'],
  ]);
});
