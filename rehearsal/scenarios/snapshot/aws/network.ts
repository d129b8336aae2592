/** What lay around a recorded cluster in its account. */
import type { Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { EksState } from '../../../aws/eks/state.ts';
import { all, each, record, records, text, texts } from './calls.ts';

export function fillNetwork(eks: EksState, snapshot: Snapshot): void {
  const { network } = eks;
  const subnets = new Map(
    all(snapshot, 'DescribeSubnets', 'Subnets').map((found, index) => [
      text(found['SubnetId']) ?? '',
      {
        id: text(found['SubnetId']) ?? '',
        zone: text(found['AvailabilityZone']) ?? '',
        zoneId: text(found['AvailabilityZoneId']) ?? '',
        cidr: text(found['CidrBlock']) ?? `10.0.${16 * (index + 1)}.0/20`,
        freeAddresses: typeof found['AvailableIpAddressCount'] === 'number' ? found['AvailableIpAddressCount'] : 0,
      },
    ]),
  );
  if (subnets.size > 0) network.subnets = [...subnets.values()];
  const vpc = text(all(snapshot, 'DescribeSubnets', 'Subnets')[0]?.['VpcId']);
  if (vpc !== undefined) network.vpcId = vpc;
  const groups = all(snapshot, 'DescribeSecurityGroups', 'SecurityGroups').map((found) => ({
    id: text(found['GroupId']) ?? '',
    name: text(found['GroupName']) ?? '',
    description: text(found['Description']) ?? 'not in the snapshot',
  }));
  if (groups.length > 0) network.securityGroups = groups;
  network.launchTemplates = templatesOf(snapshot);
  fillOwnGroups(eks, snapshot);
  for (const quota of each(snapshot, 'GetServiceQuota', 'Quota'))
    if (typeof quota['Value'] === 'number') network.quotas[text(quota['QuotaCode']) ?? ''] = quota['Value'];
}

/** Each with its versions as far as they were read; one at least, for groups name it. */
function templatesOf(snapshot: Snapshot): EksState['network']['launchTemplates'] {
  const versions = all(snapshot, 'DescribeLaunchTemplateVersions', 'LaunchTemplateVersions');
  return all(snapshot, 'DescribeLaunchTemplates', 'LaunchTemplates').map((found) => {
    const id = text(found['LaunchTemplateId']) ?? '';
    const own = versions.filter((version) => version['LaunchTemplateId'] === id);
    const latest = numberOr(found['LatestVersionNumber'], 1);
    const known = own.map((version) => ({
      number: numberOr(version['VersionNumber'], 1),
      ...(text(record(version['LaunchTemplateData'])['ImageId']) === undefined
        ? {}
        : { imageId: text(record(version['LaunchTemplateData'])['ImageId']) }),
    }));
    return {
      id,
      name: text(found['LaunchTemplateName']) ?? id,
      defaultVersion: numberOr(found['DefaultVersionNumber'], 1),
      versions: known.length > 0 ? known : Array.from({ length: latest }, (_, index) => ({ number: index + 1 })),
    };
  });
}

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Auto Scaling groups that neither EKS nor Karpenter has made. */
function fillOwnGroups(eks: EksState, snapshot: Snapshot): void {
  const managed = new Set(eks.nodeGroups.flatMap(({ autoScalingGroup }) => autoScalingGroup ?? []));
  const mark = `kubernetes.io/cluster/${eks.cluster.name}`;
  for (const found of all(snapshot, 'DescribeAutoScalingGroups', 'AutoScalingGroups')) {
    const name = text(found['AutoScalingGroupName']) ?? '';
    const tags = Object.fromEntries(records(found['Tags']).map(({ Key, Value }) => [text(Key) ?? '', text(Value) ?? '']));
    if (managed.has(name) || tags['eks:nodegroup-name'] !== undefined || tags[mark] === undefined) continue;
    const mixed = record(record(record(found['MixedInstancesPolicy'])['LaunchTemplate'])['LaunchTemplateSpecification']);
    const template = { ...mixed, ...record(found['LaunchTemplate']) };
    eks.network.autoScalingGroups.push({
      name,
      size: numberOr(found['DesiredCapacity'], 0),
      launchTemplate: { id: text(template['LaunchTemplateId']) ?? '', version: text(template['Version']) ?? '$Default' },
      tags,
      instances: records(found['Instances']).flatMap(({ InstanceId }) => texts([InstanceId])),
    });
  }
}
