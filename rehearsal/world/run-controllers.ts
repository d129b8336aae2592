/** Runs controllers in world time: by unref'd wall timers, or step by step for tests and the warm-up. */
import type { ManualClock } from './manual-clock.ts';
import type { Controller, World } from './world.ts';

/** Timers do not tick faster than this on the wall. */
const MIN_TICK_WALL_MS = 20;

export interface ControllerRunner {
  start(): void;
  stop(): void;
  /** Moves a manual clock on and ticks each controller when it is due. A controller's error is thrown. */
  step(clock: ManualClock, worldMs: number): void;
}

export function createRunner(world: World, controllers: readonly Controller[]): ControllerRunner {
  const timers: NodeJS.Timeout[] = [];
  const dueMs = new Map<Controller, number>();

  /** A broken controller must not take the rehearsal down silently: it is told, once per message. */
  const told = new Set<string>();
  function tickSafely(controller: Controller): void {
    try {
      controller.tick(world);
    } catch (error) {
      const text = `the twin's ${controller.name} controller failed: ${error instanceof Error ? error.message : String(error)}`;
      if (!told.has(text)) world.journal.tell(text);
      told.add(text);
    }
  }

  return {
    start() {
      if (timers.length > 0) return;
      for (const controller of controllers) {
        const everyWallMs = Math.max(MIN_TICK_WALL_MS, world.clock.wallMs(controller.everyMs));
        timers.push(setInterval(() => tickSafely(controller), everyWallMs).unref());
      }
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
      timers.length = 0;
    },
    step(clock, worldMs) {
      const untilMs = clock.nowMs() + worldMs;
      for (const controller of controllers) if (!dueMs.has(controller)) dueMs.set(controller, clock.nowMs());
      for (;;) {
        const nextMs = Math.min(...dueMs.values());
        if (nextMs > untilMs) break;
        clock.step(Math.max(0, nextMs - clock.nowMs()));
        for (const controller of controllers) {
          if ((dueMs.get(controller) ?? 0) > nextMs) continue;
          dueMs.set(controller, nextMs + controller.everyMs);
          controller.tick(world);
        }
      }
      clock.step(untilMs - clock.nowMs());
    },
  };
}
