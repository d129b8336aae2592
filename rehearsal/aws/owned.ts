/** What a cluster has in its account, and the ids that tell it from other clusters of the same account and region. */
import { autoScalingGroupOf } from './eks/render.ts';
import type { World } from '../world/world.ts';
import { idOf, instancesOf } from './instances.ts';
import { rolesOf } from './query-services.ts';
import { managedPoliciesOf } from './role-policies.ts';

/** Instances that one cluster may have had before the numbers of the next one begin. */
const INSTANCES = 65_536;

/** Ids, names and ARNs that requests may name this cluster's resources by, and the tags that stand for it. */
export function ownedBy(world: World): Set<string> {
  const { cluster, network } = world.eks;
  const instances = instancesOf(world).map(({ id }) => id);
  const managed = world.eks.nodeGroups.map((group) => autoScalingGroupOf(world.eks, group));
  const roles = rolesOf(world);
  return new Set([
    cluster.name,
    `kubernetes.io/cluster/${cluster.name}`,
    `k8s.io/cluster-autoscaler/${cluster.name}`,
    cluster.keyArn,
    lastPart(cluster.keyArn),
    ...roles.flatMap(({ arn }) => [arn, lastPart(arn)]),
    ...roles.flatMap(({ own }) => (own === undefined ? [] : managedPoliciesOf(own).map(({ PolicyArn }) => PolicyArn))),
    ...managed.flatMap((name) => [name, idOf('lt', name)]),
    network.vpcId,
    ...[...network.subnets, ...network.securityGroups, ...network.launchTemplates, ...network.volumes].map(({ id }) => id),
    ...[...network.launchTemplates, ...network.autoScalingGroups].map(({ name }) => name),
    ...instances.flatMap((id) => [id, idOf('vol', id)]),
  ]);
}

const lastPart = (arn: string): string => arn.split('/').at(-1) ?? '';

/** Before a scenario fills the world. `index`: another one for each cluster of the account and region. */
export function giveOwnIds({ eks: { cluster, network } }: World, index: number): void {
  const own = (prefix: string, what: string): string => idOf(prefix, `${cluster.account}/${cluster.region}/${cluster.name}/${what}`);
  network.vpcId = own('vpc', 'vpc');
  for (const subnet of network.subnets) subnet.id = own('subnet', subnet.zone);
  for (const group of network.securityGroups) group.id = own('sg', group.name);
  network.instancesFrom = index * INSTANCES;
  cluster.subnetIds = network.subnets.map(({ id }) => id);
  cluster.securityGroupIds = network.securityGroups.slice(0, 1).map(({ id }) => id);
  cluster.clusterSecurityGroupId = network.securityGroups.at(-1)?.id ?? '';
  cluster.keyArn = `arn:aws:kms:${cluster.region}:${cluster.account}:key/7c1f3b52-0000-4000-8000-${own('key', 'secrets').slice(-12)}`;
}
