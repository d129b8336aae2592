/** Nodes of managed node groups: which there are, how they are launched, how groups grow, shrink, come and go. */
import type { Ami } from '../aws/eks/nodes/amis.ts';
import { amiOfGroup } from '../aws/eks/nodes/group-ami.ts';
import type { EksNodeGroup } from '../aws/eks/state.ts';
import { isReady, isTerminating } from '../kubernetes/pods/pods.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { World } from '../world/world.ts';
import { drain } from './drain.ts';
import { CAPACITY_TYPE, labelsOf, machineBeside } from './machines.ts';
import { cordon, createNode, setReady } from './nodes.ts';

/** A deleted group's nodes are terminated after this long, whatever still runs on them. */
const DELETE_LIMIT_MS = 15 * 60_000;

export const nodesOfGroup = (world: World, group: string): KubeObject[] =>
  world.store.list('nodes', { labels: { 'eks.amazonaws.com/nodegroup': group } });

const TAINT_EFFECTS: Record<string, string> = {
  NO_SCHEDULE: 'NoSchedule',
  NO_EXECUTE: 'NoExecute',
  PREFER_NO_SCHEDULE: 'PreferNoSchedule',
};

/** A node of the group, not Ready unless asked. */
export function launchGroupNode(world: World, group: EksNodeGroup, ami: Ami, ready = false): string {
  const machine = machineBeside(world, nodesOfGroup(world, group.name), world.machines?.groups[group.name]?.[0]);
  const { [CAPACITY_TYPE]: _type, ...own } = machine === undefined ? {} : labelsOf(machine);
  return createNode(world, {
    ...(machine === undefined ? {} : { size: machine.kind }),
    ami,
    ready,
    taints: group.taints.map(({ key, value, effect }) => ({ key, value, effect: TAINT_EFFECTS[effect] ?? effect })),
    labels: {
      ...own,
      'eks.amazonaws.com/nodegroup': group.name,
      'eks.amazonaws.com/nodegroup-image': ami.id,
      'eks.amazonaws.com/capacityType': group.capacityType ?? 'ON_DEMAND',
      ...group.labels,
    },
  }).metadata.name;
}

export function removeNode(world: World, name: string): void {
  const node = world.store.get('nodes', name);
  if (node !== undefined && !isTerminating(node)) world.store.delete('nodes', name);
}

const launchedMs = (node: KubeObject): number => Date.parse(node.metadata.creationTimestamp ?? '');

/** Brings a group to its desired size. True when all its nodes are Ready. */
export function resize(world: World, group: EksNodeGroup): boolean {
  const nodes = nodesOfGroup(world, group.name).filter((n) => !isTerminating(n));
  const ami = amiOfGroup(world, group, group.version);
  if (ami === undefined) return false;
  for (let missing = group.desiredSize - nodes.length; missing > 0; missing -= 1) launchGroupNode(world, group, ami);
  // Auto Scaling asks no PodDisruptionBudget.
  for (const node of nodes.slice(group.desiredSize)) removeNode(world, node.metadata.name);
  for (const node of nodes) {
    if (!isReady(node) && world.clock.nowMs() - launchedMs(node) >= world.tempo.nodeLaunchMs) setReady(world, node.metadata.name, true);
  }
  return nodes.length === group.desiredSize && nodes.every(isReady);
}

/** Groups that are being created or deleted. */
export function createOrDelete(world: World, group: EksNodeGroup, deletedSinceMs: number): void {
  if (group.status === 'CREATING' && resize(world, group)) {
    group.status = 'ACTIVE';
    world.journal.tell(`node group ${group.name} is ready at ${group.version}`);
  }
  if (group.status !== 'DELETING') return;
  const overdue = world.clock.nowMs() - deletedSinceMs > DELETE_LIMIT_MS;
  for (const node of nodesOfGroup(world, group.name)) {
    if (node.spec?.unschedulable !== true) cordon(world, node.metadata.name, true);
    if (drain(world, node.metadata.name).left === 0 || overdue) removeNode(world, node.metadata.name);
  }
  if (nodesOfGroup(world, group.name).length > 0) return;
  world.eks.nodeGroups = world.eks.nodeGroups.filter((g) => g !== group);
  world.journal.tell(`node group ${group.name} is gone`);
}
