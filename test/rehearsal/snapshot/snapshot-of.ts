/** A snapshot of a twin's world, taken in process: what `belay snapshot` would write of it, by a plain projection. */
import { listKey, type Snapshot, type SnapshotCall, type SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import { describeAddonVersions } from '../../../rehearsal/aws/eks/add-ons/add-on-versions.ts';
import { renderInsight } from '../../../rehearsal/aws/eks/cluster/render-insight.ts';
import {
  renderAddOn,
  renderCluster,
  renderFargateProfile,
  renderNodeGroup,
  renderUpdate,
  renderVersion,
} from '../../../rehearsal/aws/eks/render.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { apiVersionOf } from '../../../rehearsal/kubernetes/types.ts';
import type { World } from '../../../rehearsal/world/world.ts';

/** Types of which no snapshot has anything. */
const NEVER = new Set(['secrets', 'configmaps', 'events', 'serviceaccounts', 'endpoints', 'endpointslices']);
/** Fields of containers that no snapshot has. */
const PRIVATE = ['env', 'envFrom', 'args', 'command'];

export function snapshotOf(world: World): Snapshot {
  const { eks, store, clock } = world;
  const takenAt = clock.now().toISOString();
  const { name, account, region, version } = eks.cluster;
  const objects: Snapshot['objects'] = new Map();
  const lists: Snapshot['lists'] = [];
  for (const type of store.types()) {
    const found = store.list(`${type.plural}.${type.group}`);
    if (NEVER.has(type.plural) || found.length === 0) continue;
    const apiVersion = apiVersionOf(type);
    objects.set(listKey(apiVersion, type.plural), found.map(projected));
    lists.push({ kind: 'list', apiVersion, plural: type.plural, outcome: 'read', count: found.length });
  }
  return {
    header: {
      kind: 'header',
      format: 'belay-snapshot',
      version: 1,
      takenAt,
      belay: 'test',
      cluster: { name, account, region },
      kubernetes: { minor: version, gitVersion: `v${version}.0` },
      anonymized: false,
    },
    endedAt: takenAt,
    calls: callsOf(world),
    lists,
    objects,
    metrics: [],
    gaps: [],
  };
}

/** As it is in a file: what servers keep for themselves and what containers are told is left out. */
export function projected(object: KubeObject): SnapshotKubeObject {
  const copy = JSON.parse(JSON.stringify(object), (key, value: unknown) => (PRIVATE.includes(key) ? undefined : value));
  for (const field of ['resourceVersion', 'managedFields', 'selfLink']) delete copy.metadata[field];
  return copy;
}

function callsOf(world: World): SnapshotCall[] {
  const { eks } = world;
  const call = (service: SnapshotCall['service'], operation: string, input: object, output: object): SnapshotCall => ({
    kind: 'aws',
    service,
    operation,
    input: { ...input },
    output: dated(output),
  });
  const { name } = eks.cluster;
  return [
    call('eks', 'DescribeCluster', { name }, { cluster: renderCluster(eks) }),
    call(
      'eks',
      'DescribeClusterVersions',
      {},
      { clusterVersions: eks.versions.map((each, index) => renderVersion(each, world.clock.now(), index === 1)) },
    ),
    ...eks.nodeGroups.map((group) =>
      call('eks', 'DescribeNodegroup', { clusterName: name, nodegroupName: group.name }, { nodegroup: renderNodeGroup(eks, group) }),
    ),
    ...eks.addOns.map((addOn) =>
      call('eks', 'DescribeAddon', { clusterName: name, addonName: addOn.name }, { addon: renderAddOn(eks, addOn) }),
    ),
    ...eks.fargateProfiles.map((profile) =>
      call(
        'eks',
        'DescribeFargateProfile',
        { clusterName: name, fargateProfileName: profile.name },
        { fargateProfile: renderFargateProfile(eks, profile) },
      ),
    ),
    ...eks.insights.map((insight) =>
      call('eks', 'DescribeInsight', { clusterName: name, id: insight.id }, { insight: renderInsight(insight) }),
    ),
    ...eks.updates.map((update) => call('eks', 'DescribeUpdate', { name, updateId: update.id }, { update: renderUpdate(update) })),
    ...eks.versions.map(({ version }) =>
      call(
        'eks',
        'DescribeAddonVersions',
        { kubernetesVersion: version },
        describeAddonVersions(world, { path: [], query: new URLSearchParams({ kubernetesVersion: version }), body: {} }),
      ),
    ),
    call(
      'ec2',
      'DescribeSubnets',
      { SubnetIds: eks.cluster.subnetIds },
      {
        Subnets: eks.network.subnets.map(({ id, zone, zoneId, cidr, freeAddresses }) => ({
          SubnetId: id,
          AvailabilityZone: zone,
          AvailabilityZoneId: zoneId,
          CidrBlock: cidr,
          AvailableIpAddressCount: freeAddresses,
          VpcId: eks.network.vpcId,
        })),
      },
    ),
    call(
      'ec2',
      'DescribeSecurityGroups',
      {},
      {
        SecurityGroups: eks.network.securityGroups.map(({ id, name: group, description }) => ({
          GroupId: id,
          GroupName: group,
          Description: description,
        })),
      },
    ),
  ];
}

/** The wire has seconds where the SDK gives dates. */
function dated(output: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(output), (key, value: unknown) =>
    typeof value === 'number' && /(At|Date|Time)$/.test(key) ? new Date(value * 1000).toISOString() : value,
  );
}
