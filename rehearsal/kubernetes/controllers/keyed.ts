/** Controllers that look only at objects to which something has happened, or that fall due: a work queue of keys, as the real ones have. */
import type { Controller, World, WorldTempo } from '../../world/world.ts';
import type { KubeObject, ObjectStore } from '../store.ts';

/** Fast enough for every speed: the runner never ticks more often than its own minimum of wall time. */
const EVERY_MS = 500;

/** Where an object of the controller's own type is. */
export interface Key {
  name: string;
  namespace?: string;
}

export interface KeyedController {
  name: string;
  /** The type that it brings to rest, by plural. */
  plural: string;
  /** Other types, by plural: a change of one of their objects concerns these keys. */
  concerns?: Record<string, (object: KubeObject, store: ObjectStore) => readonly Key[]>;
  /** Brings one object a step closer to what is desired; returns when to look again even if nothing happens (world epoch milliseconds). */
  reconcile(world: World, object: KubeObject): number | undefined;
}

interface Queue {
  dirty: Map<string, Key>;
  due: Map<string, { key: Key; ms: number }>;
  /** Due times hold for this tempo only. */
  tempo: WorldTempo;
}

export function keyed(controller: KeyedController): Controller {
  const queues = new WeakMap<ObjectStore, Queue>();
  return {
    name: controller.name,
    everyMs: EVERY_MS,
    tick(world) {
      const queue = queues.get(world.store) ?? open(controller, world);
      queues.set(world.store, queue);
      const nowMs = world.clock.nowMs();
      for (const [text, { key, ms }] of queue.due) if (ms <= nowMs || queue.tempo !== world.tempo) queue.dirty.set(text, key);
      queue.tempo = world.tempo;
      const keys = [...queue.dirty];
      queue.dirty.clear();
      for (const [text, key] of keys) {
        queue.due.delete(text);
        const object = world.store.get(controller.plural, key.name, key.namespace);
        const ms = object === undefined ? undefined : controller.reconcile(world, object);
        if (ms !== undefined) queue.due.set(text, { key, ms });
      }
    },
  };
}

/** At first everything is to be looked at. */
function open({ plural, concerns = {} }: KeyedController, { store, tempo }: World): Queue {
  const queue: Queue = { dirty: new Map(), due: new Map(), tempo };
  const add = (key: Key): void => void queue.dirty.set(`${key.namespace ?? ''}/${key.name}`, key);
  for (const object of store.list(plural)) add(keyOf(object));
  store.watch(({ plural: changed, object }) => {
    if (changed === plural) add(keyOf(object));
    for (const key of concerns[changed]?.(object, store) ?? []) add(key);
  });
  return queue;
}

export function keyOf({ metadata: { name, namespace } }: KubeObject): Key {
  return { name, namespace };
}
