/** From a snapshot to the cluster that a forecast plays. */
import { isRecord } from '../../../core/unknown.ts';
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import { at } from './at.ts';
import type { Cluster } from './cluster.ts';
import { karpenterVersion } from './karpenter-version.ts';
import { limitsOf } from './limits.ts';
import { type ClaimObject, type NodeObject, type PodObject, read } from './objects.ts';
import { differences, readBudgetObjects, readBudgets } from './read-budgets.ts';
import { claimStarts, isLive, ownerOf, readNodes, staysWithNode } from './read-nodes.ts';
import { readPods } from './read-pods.ts';
import { completeGroups, poolObjects, readGroups, readPools } from './read-pools.ts';
import { Workloads } from './read-workloads.ts';
import { Resources } from './resources.ts';
import { keysOf, NodeKinds } from './selectors.ts';
import { Terms } from './terms.ts';
import { readVolumes } from './volumes.ts';

/** `ownerKeys`: labels that name the people behind a workload, the best first. */
export function readCluster(snapshot: Snapshot, ownerKeys: readonly string[]): Cluster {
  const live = (read<PodObject>(snapshot, 'v1', 'pods') ?? []).filter(isLive);
  const onFargate = fargateNodes(snapshot);
  const isOnFargate = ({ spec }: PodObject): boolean => onFargate.has(spec?.nodeName ?? '');
  const podObjects = live.filter((pod) => !staysWithNode(pod) && !isOnFargate(pod));
  const specs = podObjects.map(({ spec }) => spec ?? {});
  const resources = new Resources(specs);
  const kinds = new NodeKinds(keysOf(specs));
  const zones: string[] = [];
  const pools = poolObjects(snapshot);
  const poolIndex = new Map(pools.map(({ metadata }, index) => [metadata.name, index]));
  const { groups, indexOf } = readGroups(snapshot);
  const nodes = readNodes(snapshot, {
    resources,
    kinds,
    zones,
    pods: live,
    poolOf: (name) => poolIndex.get(name) ?? -1,
    groupOf: (name, owner) => indexOf.get(`${owner} ${name}`) ?? -1,
  });
  completeGroups(groups, nodes);
  const claims = read<ClaimObject>(snapshot, 'karpenter.sh/v1', 'nodeclaims') ?? read(snapshot, 'karpenter.sh/v1beta1', 'nodeclaims');
  const workloads = new Workloads(snapshot, ownerKeys);
  const terms = new Terms();
  const volumesOf = readVolumes(snapshot);
  const nodeIndex = new Map(nodes.map(({ name }, index) => [name, index]));
  const { pods, classes } = readPods(podObjects, { snapshot, resources, volumesOf, workloads, terms, zones, nodeIndex });
  workloads.complete();
  const budgetObjects = readBudgetObjects(snapshot) ?? [];
  const budgets = readBudgets(budgetObjects, { pods, podObjects, workloads: workloads.workloads });
  const read_ = { resources, zones, kinds, nodes, pods, classes, terms: terms.terms, workloads: workloads.workloads, budgets };
  const cluster: Cluster = {
    ...read_,
    pools: readPools(pools, nodes, zones, claimStarts(snapshot, claims ?? [])),
    groups,
    fargatePods: live.filter(isOnFargate).length,
    freeAddresses: freeAddresses(snapshot, zones),
    limits: [],
    karpenter: karpenterVersion(snapshot),
  };
  cluster.limits = limitsOf(snapshot, cluster, { terms, differences: differences(budgetObjects, budgets, pods) });
  return cluster;
}

function fargateNodes(snapshot: Snapshot): Set<string> {
  const nodes = read<NodeObject>(snapshot, 'v1', 'nodes') ?? [];
  return new Set(nodes.filter(({ metadata }) => ownerOf(metadata.labels ?? {}) === 'fargate').map(({ metadata }) => metadata.name));
}

/** AvailableIpAddressCount of all subnets that were described, by zone. */
function freeAddresses(snapshot: Snapshot, zones: readonly string[]): number[] | undefined {
  const free = zones.map(() => 0);
  const seen = new Set<unknown>();
  for (const { service, operation, output } of snapshot.calls) {
    if (service !== 'ec2' || operation !== 'DescribeSubnets' || !Array.isArray(output?.['Subnets'])) continue;
    for (const subnet of output['Subnets'] as unknown[]) {
      if (!isRecord(subnet) || seen.has(subnet['SubnetId'])) continue;
      seen.add(subnet['SubnetId']);
      const zone = zones.indexOf(String(subnet['AvailabilityZone']));
      if (zone >= 0) free[zone] = at(free, zone) + Number(subnet['AvailableIpAddressCount'] ?? 0);
    }
  }
  return seen.size === 0 ? undefined : free;
}
