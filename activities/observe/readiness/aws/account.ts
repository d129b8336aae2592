/** What lies around a cluster in its account: subnets, security groups, templates, role, key. */
import type { Subnet as Ec2Subnet } from '@aws-sdk/client-ec2';
import type { Cluster, Nodegroup } from '@aws-sdk/client-eks';
import type { LaunchTemplateUse, Shape, Subnet } from '../../../../domain/readiness/model/evidence.ts';
import { field } from '../../../../domain/core/unknown.ts';
import type { AccountClients } from '../../../clients/aws/account-clients.ts';
import { byNextToken } from '../../../clients/aws/pages.ts';
import { readAutoScalingGroups } from '../../../eks/auto-scaling/list-groups.ts';
import { signalled } from '../../../clients/aws/account/pages.ts';
import { failureOf } from '../../../runtime/translate-errors.ts';

/** Subnets by who uses them: EKS itself, nodes, pods with addresses of their own (custom networking). */
export interface SubnetUses {
  cluster: readonly string[];
  nodes: readonly string[];
  pods: readonly string[];
}

/** Those that are gone as well: EC2 leaves them out. */
export async function readSubnets(clients: AccountClients, uses: SubnetUses): Promise<Subnet[]> {
  const ids = [...new Set([...uses.cluster, ...uses.nodes, ...uses.pods])];
  if (ids.length === 0) return [];
  const ec2 = await clients.ec2();
  const query = { Filters: [{ Name: 'subnet-id', Values: ids }] };
  const found: Ec2Subnet[] = [];
  for await (const { Subnets = [] } of byNextToken((page) => ec2.describeSubnets({ ...query, ...page }, signalled())))
    found.push(...Subnets);
  return ids.map((id): Subnet => {
    const subnet = found.find(({ SubnetId }) => SubnetId === id);
    const usedFor = (['cluster', 'nodes', 'pods'] as const).filter((use) => uses[use].includes(id));
    if (subnet === undefined) return { id, zone: '', freeIps: 0, gone: true, uses: usedFor };
    return { id, zone: subnet.AvailabilityZone ?? '', freeIps: subnet.AvailableIpAddressCount ?? 0, uses: usedFor };
  });
}

export async function readSecurityGroups(clients: AccountClients, { resourcesVpcConfig }: Cluster): Promise<Shape<'securityGroups'>> {
  const own = resourcesVpcConfig?.clusterSecurityGroupId;
  const ids = [...(resourcesVpcConfig?.securityGroupIds ?? []), ...(own === undefined ? [] : [own])];
  if (ids.length === 0) return [];
  const ec2 = await clients.ec2();
  const query = { Filters: [{ Name: 'group-id', Values: ids }] };
  const present = new Set<string | undefined>();
  for await (const { SecurityGroups = [] } of byNextToken((page) => ec2.describeSecurityGroups({ ...query, ...page }, signalled())))
    for (const { GroupId } of SecurityGroups) present.add(GroupId);
  return ids.map((id) => ({ id, present: present.has(id) }));
}

/** Launch templates that node groups and Auto Scaling groups name, with their newest version. */
export async function readLaunchTemplates(
  clients: AccountClients,
  eksName: string,
  nodeGroups: readonly Nodegroup[],
): Promise<LaunchTemplateUse[]> {
  const own = (await readAutoScalingGroups(clients, eksName)).filter(({ managed }) => !managed);
  const uses = [
    ...nodeGroups.map(({ nodegroupName = '', launchTemplate }) => ({
      kind: 'NodeGroup' as const,
      name: nodegroupName,
      id: launchTemplate?.id,
      version: launchTemplate?.version,
    })),
    ...own.map(({ name, template }) => ({ kind: 'AutoScalingGroup' as const, name, id: template?.id, version: template?.version })),
  ].flatMap(({ id, version, ...usedBy }) => (id === undefined || version === undefined ? [] : [{ id, version, usedBy }]));
  if (uses.length === 0) return [];
  const known = new Map<string, { latest: string; byDefault: string }>();
  const ids = [...new Set(uses.map(({ id }) => id))];
  const ec2 = await clients.ec2();
  const query = { LaunchTemplateIds: ids };
  for await (const { LaunchTemplates = [] } of byNextToken((page) => ec2.describeLaunchTemplates({ ...query, ...page }, signalled()))) {
    for (const { LaunchTemplateId = '', LatestVersionNumber, DefaultVersionNumber } of LaunchTemplates)
      known.set(LaunchTemplateId, { latest: String(LatestVersionNumber), byDefault: String(DefaultVersionNumber) });
  }
  return uses.map(({ id, version, usedBy }): LaunchTemplateUse => {
    const template = known.get(id);
    // EC2 answers an error where one is gone; left out all the same, it would read as if no change waited.
    if (template === undefined) throw failureOf('NotFound', `reading launch template ${id} of ${usedBy.name}: EC2 does not have it`);
    const inUse = version === '$Latest' ? template.latest : version === '$Default' ? template.byDefault : version;
    return { usedBy, template: id, version: inUse, latest: template.latest };
  });
}

export async function readClusterRole(clients: AccountClients, { roleArn = '' }: Cluster): Promise<Shape<'clusterRole'>> {
  const name = roleArn.split('/').at(-1) ?? roleArn;
  const iam = await clients.iam();
  try {
    await iam.getRole({ RoleName: name }, signalled());
    return { name, present: true };
  } catch (error) {
    if (field(error, 'name') === 'NoSuchEntityException') return { name, present: false };
    throw error;
  }
}

export async function readEncryptionKey(clients: AccountClients, { encryptionConfig = [] }: Cluster): Promise<Shape<'encryptionKey'>> {
  const id = encryptionConfig[0]?.provider?.keyArn;
  if (id === undefined) return 'none';
  const kms = await clients.kms();
  try {
    const { KeyMetadata } = await kms.describeKey({ KeyId: id }, signalled());
    return { id, state: KeyMetadata?.KeyState ?? 'unknown' };
  } catch (error) {
    if (field(error, 'name') === 'NotFoundException') return { id, state: 'not there' };
    throw error;
  }
}
