/** Runs managed node group updates as EKS does: scale up, cordon and drain old nodes, scale the surplus down. */
import { isReady, isTerminating } from '../kubernetes/pods/pods.ts';
import { type Ami, releaseVersionOf } from '../aws/eks/nodes/amis.ts';
import { amiOfGroup } from '../aws/eks/nodes/group-ami.ts';
import type { EksNodeGroup, EksUpdate } from '../aws/eks/state.ts';
import { paramOf } from '../world/api-server.ts';
import type { Controller, World } from '../world/world.ts';
import { drain, reschedulable } from './drain.ts';
import { createOrDelete, launchGroupNode, nodesOfGroup, removeNode, resize } from './group-nodes.ts';
import { cordon, setReady, zonesOf } from './nodes.ts';
import { fail, succeed } from './updates.ts';

/** EKS gives up on a node whose pods cannot be evicted for this long, unless forced. */
const DRAIN_LIMIT_MS = 15 * 60_000;
/** EKS gives up when new nodes do not join. */
const JOIN_LIMIT_MS = 15 * 60_000;

type Stage = 'scale-up' | 'replace' | 'scale-down';

interface Roll {
  stage: Stage;
  ami: Ami;
  /** MINIMAL: an old node goes before the new one that takes its place comes. */
  minimal: boolean;
  oldNodes: string[];
  newNodes: { name: string; launchedAtMs: number }[];
  draining: Map<string, { sinceMs: number; emptyAtMs?: number }>;
  /** New nodes never become Ready. */
  broken: boolean;
  lastScaleDownMs: number;
}

export function createNodeGroups(): Controller {
  const rolls = new Map<string, Roll>();
  const deletedMs = new WeakMap<EksNodeGroup, number>();
  return {
    name: 'node-groups',
    everyMs: 5_000,
    tick(world) {
      for (const group of world.eks.nodeGroups) {
        if (group.status === 'DELETING' && !deletedMs.has(group)) deletedMs.set(group, world.clock.nowMs());
        createOrDelete(world, group, deletedMs.get(group) ?? 0);
      }
      for (const update of world.eks.updates) {
        if (update.status !== 'InProgress' || update.resource.kind !== 'node-group') continue;
        const name = update.resource.name;
        const group = world.eks.nodeGroups.find((g) => g.name === name);
        if (group === undefined) fail(world, update);
        else if (update.type !== 'VersionUpdate') tickConfigUpdate(world, update, group);
        else {
          const roll = rolls.get(update.id) ?? begin(world, update, group);
          rolls.set(update.id, roll);
          advance(world, update, group, roll);
          if (update.status !== 'InProgress') rolls.delete(update.id);
        }
      }
    },
  };
}

function tickConfigUpdate(world: World, update: EksUpdate, group: EksNodeGroup): void {
  if (paramOf(update, 'DesiredSize') === undefined || resize(world, group)) succeed(world, update);
}

function begin(world: World, update: EksUpdate, group: EksNodeGroup): Roll {
  const minor = paramOf(update, 'Version') ?? world.eks.cluster.version;
  const ami = amiOfGroup(world, group, minor, paramOf(update, 'LaunchTemplateVersion'));
  if (ami === undefined) throw new Error(`the twin has no image for node group ${group.name} at ${minor}`);
  group.status = 'UPDATING';
  group.health = [];
  const image = ami.id;
  const nodes = nodesOfGroup(world, group.name);
  const oldNodes = nodes.filter((n) => n.metadata.labels?.['eks.amazonaws.com/nodegroup-image'] !== image).map((n) => n.metadata.name);
  const minimal = group.updateStrategy === 'MINIMAL';
  const surge = oldNodes.length === 0 || minimal ? 0 : Math.max(2 * zonesOf(world).length, maxUnavailable(group));
  world.journal.tell(`node group ${group.name}: ${surge} new nodes at ${minor} come first, then ${oldNodes.length} old ones go`);
  const broken = world.faults.takes('node:never-ready') !== undefined;
  const newNodes = Array.from({ length: surge }, () => launch(world, group, ami));
  return { stage: 'scale-up', ami, minimal, oldNodes, newNodes, draining: new Map(), broken, lastScaleDownMs: 0 };
}

const launch = (world: World, group: EksNodeGroup, ami: Ami): Roll['newNodes'][number] => ({
  name: launchGroupNode(world, group, ami),
  launchedAtMs: world.clock.nowMs(),
});

function maxUnavailable(group: EksNodeGroup): number {
  if (group.maxUnavailablePercentage !== undefined)
    return Math.max(1, Math.ceil((group.desiredSize * group.maxUnavailablePercentage) / 100));
  return group.maxUnavailable ?? 1;
}

function advance(world: World, update: EksUpdate, group: EksNodeGroup, roll: Roll): void {
  if (!join(world, update, group, roll)) return;
  if (roll.stage === 'scale-up') roll.stage = 'replace';
  else if (roll.stage === 'replace') replace(world, update, group, roll);
  else scaleDown(world, update, group, roll);
}

/** True once all new nodes are Ready; what does not join in time ends the update. MINIMAL goes on with the old nodes that may be away. */
function join(world: World, update: EksUpdate, group: EksNodeGroup, roll: Roll): boolean {
  const nowMs = world.clock.nowMs();
  for (const { name, launchedAtMs } of roll.newNodes) {
    if (!roll.broken && nowMs - launchedAtMs >= world.tempo.nodeLaunchMs && !readyNode(world, name)) setReady(world, name, true);
  }
  const awaited = roll.newNodes.filter(({ name }) => !readyNode(world, name));
  if (awaited.length === 0 || (!roll.minimal && roll.stage !== 'scale-up')) return true;
  if (nowMs - Math.min(...awaited.map((n) => n.launchedAtMs)) <= JOIN_LIMIT_MS) return roll.minimal && roll.stage === 'replace';
  for (const { name } of awaited) removeNode(world, name);
  const message = `Couldn't proceed with upgrade process as new nodes are not joining node group ${group.name}`;
  const names = awaited.map((n) => n.name);
  stop(world, update, group, { errorCode: 'NodeCreationFailure', errorMessage: message, resourceIds: names });
  return false;
}

function readyNode(world: World, name: string): boolean {
  const node = world.store.get('nodes', name);
  return node === undefined || isReady(node);
}

function replace(world: World, update: EksUpdate, group: EksNodeGroup, roll: Roll): void {
  const nowMs = world.clock.nowMs();
  const joining = roll.newNodes.filter(({ name }) => !readyNode(world, name)).length;
  for (const name of roll.oldNodes) {
    if (roll.draining.size + joining >= maxUnavailable(group)) break;
    if (roll.draining.has(name) || world.store.get('nodes', name) === undefined) continue;
    cordon(world, name, true);
    roll.draining.set(name, { sinceMs: nowMs });
    world.journal.tell(`node group ${group.name} drains ${name}`);
  }
  for (const [name, state] of roll.draining) {
    const { left, blocked } = drain(world, name, { force: update.force === true && nowMs - state.sinceMs > DRAIN_LIMIT_MS / 3 });
    if (left === 0) state.emptyAtMs ??= nowMs;
    if (state.emptyAtMs !== undefined && nowMs - state.emptyAtMs >= 2 * world.tempo.nodeDrainMs) {
      removeNode(world, name);
      roll.draining.delete(name);
      if (roll.minimal) roll.newNodes.push(launch(world, group, roll.ami));
    } else if (nowMs - state.sinceMs > DRAIN_LIMIT_MS && update.force !== true) {
      const pod = blocked[0]?.pod.metadata;
      const named =
        pod === undefined ? '' : ` Pod ${pod.namespace}/${pod.name} is protected by PodDisruptionBudget ${blocked[0]?.budgets.join(', ')}.`;
      return giveUp(world, update, group, roll, name, named);
    }
  }
  if (roll.oldNodes.every((name) => world.store.get('nodes', name) === undefined)) roll.stage = 'scale-down';
}

/** The nodes that were replaced stay new; the rest of the group goes on as it was. */
function giveUp(world: World, update: EksUpdate, group: EksNodeGroup, roll: Roll, node: string, named: string): void {
  for (const name of roll.draining.keys()) cordon(world, name, false);
  const keep = group.desiredSize - roll.oldNodes.filter((name) => world.store.get('nodes', name) !== undefined).length;
  for (const { name } of roll.newNodes.slice(Math.max(0, keep))) removeNode(world, name);
  const errorMessage = `Reached max retries while trying to evict pods from nodes in node group ${group.name}.${named}`;
  stop(world, update, group, { errorCode: 'PodEvictionFailure', errorMessage, resourceIds: [node] });
}

function stop(world: World, update: EksUpdate, group: EksNodeGroup, error: EksUpdate['errors'][number]): void {
  group.status = 'ACTIVE';
  fail(world, update, error);
  world.journal.tell(`node group ${group.name}: the update failed, ${error.errorCode}`);
}

/** One surplus node after the other, the emptiest first. */
function scaleDown(world: World, update: EksUpdate, group: EksNodeGroup, roll: Roll): void {
  const nowMs = world.clock.nowMs();
  for (const [name, state] of roll.draining) {
    if (drain(world, name).left > 0 && nowMs - state.sinceMs < DRAIN_LIMIT_MS) continue;
    removeNode(world, name);
    roll.draining.delete(name);
  }
  const nodes = nodesOfGroup(world, group.name).filter((n) => !roll.draining.has(n.metadata.name) && !isTerminating(n));
  if (nodes.length > group.desiredSize) {
    if (nowMs - roll.lastScaleDownMs < world.tempo.nodeLaunchMs) return;
    const [emptiest] = nodes.toSorted(
      (a, b) => reschedulable(world, a.metadata.name).length - reschedulable(world, b.metadata.name).length,
    );
    if (emptiest === undefined) return;
    roll.lastScaleDownMs = nowMs;
    cordon(world, emptiest.metadata.name, true);
    roll.draining.set(emptiest.metadata.name, { sinceMs: nowMs });
    return;
  }
  if (roll.draining.size > 0) return;
  complete(world, update, group, roll);
}

function complete(world: World, update: EksUpdate, group: EksNodeGroup, roll: Roll): void {
  group.version = roll.ami.minor;
  group.releaseVersion = group.amiType === 'CUSTOM' ? roll.ami.id : releaseVersionOf(roll.ami);
  group.modifiedAtMs = world.clock.nowMs();
  const template = paramOf(update, 'LaunchTemplateVersion');
  if (template !== undefined && group.launchTemplate !== undefined) group.launchTemplate = { ...group.launchTemplate, version: template };
  group.status = 'ACTIVE';
  succeed(world, update);
  world.journal.tell(`node group ${group.name} is at ${group.version}`);
}
