/** The controllers that every cluster has, in the order in which one tick of all moves the world furthest. */
import type { Controller, World } from '../../world/world.ts';
import { daemonSets } from './workloads/daemonsets.ts';
import { deployments } from './workloads/deployments.ts';
import { disruptionBudgets } from './disruption-budgets.ts';
import { endpoints } from './endpoints.ts';
import { eventExpiry } from './event-expiry.ts';
import { garbageCollector } from './garbage-collector.ts';
import { kubelet } from './kubelet.ts';
import { namespaces } from './namespaces.ts';
import { nodeTaints, podLifecycle } from './node-lifecycle.ts';
import { replicaSets } from './workloads/replicasets.ts';
import { scheduler } from './scheduler.ts';
import { statefulSets } from './workloads/statefulsets.ts';

export { FAULT_ANNOTATION } from './kubelet.ts';

export const coreControllers: Controller[] = [
  nodeTaints,
  podLifecycle,
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  scheduler,
  kubelet,
  disruptionBudgets,
  endpoints,
  garbageCollector,
  namespaces,
  eventExpiry,
];

const MAX_ROUNDS = 200;

/** Brings a freshly built world to rest without world time passing: pods start at once. Throws if it finds no rest. */
export function settle(world: World, controllers: readonly Controller[] = coreControllers): void {
  const hurried: World = { ...world, tempo: { ...world.tempo, podStartMs: 0 } };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = world.store.resourceVersion();
    for (const controller of controllers) controller.tick(hurried);
    if (world.store.resourceVersion() === before) return;
  }
  throw new Error(`The twin's cluster did not come to rest in ${MAX_ROUNDS} rounds: two controllers undo each other's work.`);
}
