/** Controllers that look again only when the store has changed or when something falls due. */
import type { Controller, World, WorldTempo } from '../../world/world.ts';
import type { ObjectStore } from '../store.ts';

interface Seen {
  resourceVersion: number;
  dueMs: number;
  /** Due times hold for this tempo only. */
  tempo: WorldTempo;
}

/** Fast enough for every speed: the runner never ticks more often than its own minimum of wall time. */
const EVERY_MS = 500;

/**
 * A controller around `reconcile`, which brings the world one step closer to what is desired and returns when it must look again even if
 * nothing changes (world epoch milliseconds), or nothing.
 */
export function levelTriggered(name: string, reconcile: (world: World) => number | undefined): Controller {
  const seen = new WeakMap<ObjectStore, Seen>();
  return {
    name,
    everyMs: EVERY_MS,
    tick(world) {
      const before = seen.get(world.store);
      const resourceVersion = world.store.resourceVersion();
      const known = before?.tempo === world.tempo && before.resourceVersion === resourceVersion;
      if (known && world.clock.nowMs() < before.dueMs) return;
      const dueMs = reconcile(world) ?? Number.POSITIVE_INFINITY;
      seen.set(world.store, { resourceVersion, dueMs, tempo: world.tempo });
    },
  };
}
