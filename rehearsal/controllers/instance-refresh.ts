/** Auto Scaling groups of one's own: how their nodes are launched, and how an instance refresh replaces them, one after the other. */
import { randomUUID } from 'node:crypto';
import { OWN_GROUP } from '../aws/instances.ts';
import type { AutoScalingGroup, InstanceRefresh } from '../aws/network.ts';
import { type Ami, amiById } from '../eks/amis.ts';
import { isReady } from '../kubernetes/pods.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { Controller, World } from '../world/world.ts';
import { createNode, setReady } from './nodes.ts';

const IMAGE = 'eks.amazonaws.com/nodegroup-image';

export const nodesOfOwnGroup = (world: World, name: string): KubeObject[] => world.store.list('nodes', { labels: { [OWN_GROUP]: name } });

/** The image that a version of a launch template names. Throws where it names none that the twin knows. */
function imageOf(world: World, { id, version }: { id: string; version: string }): Ami {
  const template = world.eks.network.launchTemplates.find((each) => each.id === id);
  const found = template?.versions.find(({ number }) => String(number) === version);
  const image = found?.imageId === undefined ? undefined : amiById(found.imageId);
  if (image === undefined) throw new Error(`launch template ${id} version ${version} names no image that the twin knows`);
  return image;
}

export function launchOwnNode(world: World, group: AutoScalingGroup, template: AutoScalingGroup['launchTemplate'], ready = false): void {
  const ami = imageOf(world, template);
  createNode(world, { ami, ready, labels: { [OWN_GROUP]: group.name, [IMAGE]: ami.id } });
}

/** Starts a refresh to a version of a launch template, as people do by StartInstanceRefresh. */
export function startRefresh(world: World, group: AutoScalingGroup, launchTemplate: InstanceRefresh['launchTemplate']): void {
  const refresh: InstanceRefresh = { id: randomUUID(), status: 'Pending', launchTemplate };
  group.refreshes = [...(group.refreshes ?? []), refresh];
  world.journal.tell(`Auto Scaling refreshes the instances of ${group.name}`);
}

export function createInstanceRefresh(): Controller {
  return {
    name: 'instance-refresh',
    everyMs: 5_000,
    tick(world) {
      for (const group of world.eks.network.autoScalingGroups) {
        const refresh = group.refreshes?.at(-1);
        if (refresh?.status === 'Pending' || refresh?.status === 'InProgress') advance(world, group, refresh);
      }
    },
  };
}

/** One instance more at a time; no PodDisruptionBudget is asked when an old one is terminated. */
function advance(world: World, group: AutoScalingGroup, refresh: InstanceRefresh): void {
  refresh.status = 'InProgress';
  const image = imageOf(world, refresh.launchTemplate);
  const nodes = nodesOfOwnGroup(world, group.name);
  const old = nodes.filter(({ metadata }) => metadata.labels?.[IMAGE] !== image.id);
  const starting = nodes.find((node) => !isReady(node));
  if (starting !== undefined) {
    const ageMs = world.clock.nowMs() - Date.parse(starting.metadata.creationTimestamp ?? '');
    if (ageMs >= world.tempo.nodeLaunchMs) setReady(world, starting.metadata.name, true);
    return;
  }
  const [first] = old;
  if (first === undefined) {
    group.launchTemplate = refresh.launchTemplate;
    refresh.status = 'Successful';
    return world.journal.tell(`the instance refresh of ${group.name} is done`);
  }
  if (nodes.length <= group.size) return launchOwnNode(world, group, refresh.launchTemplate);
  world.store.delete('nodes', first.metadata.name);
}
