/** Answers of the services around EKS. */
import { type AllowedCall, allowed as call, keep, under } from './types.ts';

const TEMPLATE_USE = ['LaunchTemplateId', 'LaunchTemplateName', 'Version'];

export const ACCOUNT: readonly AllowedCall[] = [
  call(
    'ec2',
    'DescribeSubnets',
    keep(
      'how many addresses are free in which zone',
      'NextToken',
      ...under('Subnets[]', ['SubnetId', 'AvailabilityZone', 'AvailabilityZoneId', 'AvailableIpAddressCount', 'State', 'VpcId']),
    ),
  ),
  call(
    'ec2',
    'DescribeSecurityGroups',
    keep('that they are there', 'NextToken', ...under('SecurityGroups[]', ['GroupId', 'GroupName', 'VpcId'])),
  ),
  call(
    'ec2',
    'DescribeInstances',
    keep(
      'how many vCPUs run, for the quota; of the whole region, without ids',
      'NextToken',
      ...under('Reservations[].Instances[]', ['InstanceType', 'InstanceLifecycle', 'CpuOptions.CoreCount', 'CpuOptions.ThreadsPerCore']),
    ),
  ),
  call(
    'ec2',
    'DescribeVolumes',
    keep('how much storage there is, for the quota; of the whole region, without ids', 'NextToken', 'Volumes[].Size'),
  ),
  call(
    'ec2',
    'DescribeLaunchTemplates',
    keep(
      'which version is the newest',
      'NextToken',
      ...under('LaunchTemplates[]', [
        'LaunchTemplateId',
        'LaunchTemplateName',
        'DefaultVersionNumber',
        'LatestVersionNumber',
        'CreateTime',
      ]),
    ),
  ),
  call(
    'autoscaling',
    'DescribeAutoScalingGroups',
    keep(
      'which nodes neither EKS nor Karpenter replaces',
      'NextToken',
      ...under('AutoScalingGroups[]', [
        'AutoScalingGroupName',
        'MinSize',
        'MaxSize',
        'DesiredCapacity',
        'AvailabilityZones[]',
        'VPCZoneIdentifier',
      ]),
      ...under('AutoScalingGroups[].LaunchTemplate', TEMPLATE_USE),
      ...under('AutoScalingGroups[].MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification', TEMPLATE_USE),
      ...under('AutoScalingGroups[].Instances[]', ['InstanceId', 'InstanceType', 'AvailabilityZone', 'LifecycleState']),
      'AutoScalingGroups[].Tags=ownerTags',
    ),
  ),
  call('iam', 'GetRole', keep('that it is there', ...under('Role', ['RoleName', 'Arn', 'Path']))),
  call('kms', 'DescribeKey', keep('whether it can be used', ...under('KeyMetadata', ['KeyId', 'Arn', 'KeyState', 'Enabled']))),
  call(
    'service-quotas',
    'GetServiceQuota',
    keep('the limit', ...under('Quota', ['ServiceCode', 'QuotaCode', 'QuotaName', 'Value', 'Unit', 'Adjustable', 'GlobalQuota'])),
  ),
  call(
    'ssm',
    'GetParameter',
    keep(
      'which image Amazon publishes under a public name',
      ...under('Parameter', ['Name', 'Type', 'Value', 'Version', 'LastModifiedDate']),
    ),
  ),
];
