/** Auto Scaling groups of one's own: how their nodes are launched, and how an instance refresh replaces them, one after the other. */
import { randomUUID } from 'node:crypto';
import { OWN_GROUP, ownGroupOf } from '../aws/instances.ts';
import type { AutoScalingGroup, InstanceRefresh, LifecycleHook } from '../aws/network.ts';
import { type Ami, amiById } from '../aws/eks/nodes/amis.ts';
import { parameterValue } from '../aws/eks/ssm.ts';
import { isReady } from '../kubernetes/pods/pods.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { Controller, World } from '../world/world.ts';
import { createNode, setReady } from './nodes.ts';

const IMAGE = 'eks.amazonaws.com/nodegroup-image';
const ACTIVE: readonly InstanceRefresh['status'][] = ['Pending', 'InProgress', 'Cancelling', 'RollbackInProgress'];

export const nodesOfOwnGroup = (world: World, name: string): KubeObject[] =>
  world.store.list('nodes').filter((node) => ownGroupOf(world, node) === name);

export const activeRefresh = (group: AutoScalingGroup): InstanceRefresh | undefined =>
  group.refreshes?.find(({ status }) => ACTIVE.includes(status));

export const terminatingHook = ({ hooks = [] }: AutoScalingGroup) =>
  hooks.find(({ transition }) => transition === 'autoscaling:EC2_INSTANCE_TERMINATING');

/** The image that a version of a launch template names. Throws where it names none that the twin knows. */
function imageOf(world: World, { id, version }: { id: string; version: string }): Ami {
  const template = world.eks.network.launchTemplates.find((each) => each.id === id);
  const newest = Math.max(...(template?.versions.map(({ number }) => number) ?? []));
  const number = version === '$Latest' ? newest : version === '$Default' ? template?.defaultVersion : Number(version);
  const named = template?.versions.find((each) => each.number === number)?.imageId ?? '';
  const image = amiById(
    named.startsWith('resolve:ssm:') ? (parameterValue(world, named.slice('resolve:ssm:'.length)) ?? '') : named,
    world.eks.images,
  );
  if (image === undefined) throw new Error(`launch template ${id} version ${version} names no image that the twin knows`);
  return image;
}

export function launchOwnNode(world: World, group: AutoScalingGroup, template: AutoScalingGroup['launchTemplate'], ready = false): void {
  const ami = imageOf(world, template);
  createNode(world, { ami, ready, labels: { [OWN_GROUP]: group.name, [IMAGE]: ami.id } });
}

const PREFERENCES: InstanceRefresh['preferences'] = {
  minHealthyPercent: 90,
  maxHealthyPercent: 100,
  skipMatching: false,
  checkpoints: [],
  checkpointDelaySeconds: 3_600,
};

/** Starts a refresh, as StartInstanceRefresh does. Without a launch template: to the group's own, as it resolves now. */
export function startRefresh(
  world: World,
  group: AutoScalingGroup,
  launchTemplate?: InstanceRefresh['launchTemplate'],
  preferences: Partial<InstanceRefresh['preferences']> = {},
): InstanceRefresh {
  const refresh: InstanceRefresh = {
    id: randomUUID(),
    status: 'Pending',
    launchTemplate: launchTemplate ?? group.launchTemplate,
    desired: launchTemplate !== undefined,
    startedAtMs: world.clock.nowMs(),
    percentComplete: 0,
    preferences: { ...PREFERENCES, ...preferences },
  };
  group.refreshes = [...(group.refreshes ?? []), refresh];
  world.journal.tell(`Auto Scaling refreshes the instances of ${group.name}`);
  return refresh;
}

export function createInstanceRefresh(): Controller {
  return {
    name: 'instance-refresh',
    everyMs: 5_000,
    tick(world) {
      for (const group of world.eks.network.autoScalingGroups) {
        const waiting = awaitHooks(world, group);
        const refresh = activeRefresh(group);
        if (refresh !== undefined && !waiting) advance(world, group, refresh);
      }
    },
  };
}

/** Auto Scaling holds an instance for a hundred heartbeats, and not longer than two days. */
const GLOBAL_AT_MOST_SECONDS = 172_800;

export const globalTimeoutSeconds = ({ heartbeatSeconds }: LifecycleHook): number =>
  Math.min(GLOBAL_AT_MOST_SECONDS, 100 * heartbeatSeconds);

/** True while a hook holds an instance; its time over, the instance goes whatever its default result is, and whatever heartbeats there were. */
function awaitHooks(world: World, group: AutoScalingGroup): boolean {
  const hook = terminatingHook(group);
  const nowMs = world.clock.nowMs();
  for (const { node, heldAtMs, sinceMs } of group.leaving ?? []) {
    const endsAtMs =
      hook === undefined ? nowMs : Math.min(sinceMs + hook.heartbeatSeconds * 1_000, heldAtMs + globalTimeoutSeconds(hook) * 1_000);
    if (nowMs < endsAtMs) continue;
    world.journal.tell(`the lifecycle hook of ${group.name} gave up on ${node}`);
    terminate(world, group, node);
  }
  return (group.leaving ?? []).length > 0;
}

/** The instance is gone, with whatever ran on it. */
export function terminate(world: World, group: AutoScalingGroup, node: string): void {
  group.leaving = (group.leaving ?? []).filter((one) => one.node !== node);
  if (world.store.get('nodes', node) !== undefined) world.store.delete('nodes', node);
}

/** One instance more at a time; no PodDisruptionBudget is asked when an old one is terminated. */
function advance(world: World, group: AutoScalingGroup, refresh: InstanceRefresh): void {
  if (refresh.status === 'Cancelling') return end(world, group, refresh, 'Cancelled');
  if (refresh.status === 'Pending') refresh.status = 'InProgress';
  const back = refresh.status === 'RollbackInProgress';
  const wanted = back ? group.launchTemplate : refresh.launchTemplate;
  const image = imageOf(world, wanted);
  const nodes = nodesOfOwnGroup(world, group.name);
  const starting = nodes.find((node) => !isReady(node));
  if (starting !== undefined) {
    const ageMs = world.clock.nowMs() - Date.parse(starting.metadata.creationTimestamp ?? '');
    if (ageMs >= world.tempo.nodeLaunchMs) setReady(world, starting.metadata.name, true);
    return;
  }
  const old = nodes.filter(({ metadata }) => metadata.labels?.[IMAGE] !== image.id);
  refresh.toUpdateCount ??= old.length;
  const total = Math.max(1, refresh.toUpdateCount);
  if (!back) refresh.percentComplete = Math.floor((100 * Math.max(0, total - old.length)) / total);
  const [first] = old;
  if (first === undefined) {
    if (refresh.desired && !back) group.launchTemplate = refresh.launchTemplate;
    return end(world, group, refresh, back ? 'RollbackSuccessful' : 'Successful');
  }
  if (!back && restsAtCheckpoint(world, refresh)) return;
  if (nodes.length <= group.size) return launchOwnNode(world, group, wanted);
  const { name } = first.metadata;
  if (terminatingHook(group) === undefined) return terminate(world, group, name);
  const nowMs = world.clock.nowMs();
  group.leaving = [...(group.leaving ?? []), { node: name, heldAtMs: nowMs, sinceMs: nowMs }];
}

function restsAtCheckpoint(world: World, refresh: InstanceRefresh): boolean {
  const nowMs = world.clock.nowMs();
  if ((refresh.restsUntilMs ?? 0) > nowMs) return true;
  const { checkpoints, checkpointDelaySeconds } = refresh.preferences;
  const reached = checkpoints.filter((percent) => percent < 100 && refresh.percentComplete >= percent);
  if (reached.length <= (refresh.passed ?? []).length) return false;
  refresh.passed = reached;
  refresh.restsUntilMs = nowMs + checkpointDelaySeconds * 1_000;
  return true;
}

function end(world: World, group: AutoScalingGroup, refresh: InstanceRefresh, status: InstanceRefresh['status']): void {
  refresh.status = status;
  refresh.endedAtMs = world.clock.nowMs();
  if (status === 'Successful') refresh.percentComplete = 100;
  world.journal.tell(`the instance refresh of ${group.name} is ${status === 'Successful' ? 'done' : status}`);
}
