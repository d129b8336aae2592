/** Runs controllers in world time: by unref'd wall timers, or step by step for tests and the warm-up. */
import { messageOf } from '../../domain/core/unknown.ts';
import type { Doze } from './doze.ts';
import type { ManualClock } from './manual-clock.ts';
import type { Controller, World } from './world.ts';

/** Timers do not tick faster than this on the wall. */
const MIN_TICK_WALL_MS = 20;
/** After a tick at least as much time is left to the servers: in a large world controllers rather fall behind. */
const REST_PER_TICK = 1;

export interface ControllerRunner {
  start(): void;
  stop(): void;
  /** Moves a manual clock on and ticks each controller when it is due. A controller's error is thrown. */
  step(clock: ManualClock, worldMs: number): void;
}

/** How often a world that may doze is asked whether it does. Wall time. */
const LOOK_WALL_MS = 50;

/** `doze`: says when the world is left alone. Many worlds on one machine want it; without it a world never is. */
export function createRunner(world: World, controllers: readonly Controller[], doze?: Doze): ControllerRunner {
  const timers = new Map<Controller, NodeJS.Timeout>();
  const dueMs = new Map<Controller, number>();

  /** A broken controller must not take the rehearsal down silently: it is told, once per message. */
  const told = new Set<string>();
  function tickSafely(controller: Controller): void {
    try {
      controller.tick(world);
    } catch (error) {
      const text = `the twin's ${controller.name} controller failed: ${messageOf(error)}`;
      if (!told.has(text)) world.journal.tell(text);
      told.add(text);
    }
  }

  function tickLater(controller: Controller, tookMs: number): void {
    const everyMs = Math.max(MIN_TICK_WALL_MS, world.clock.wallMs(controller.everyMs));
    const timer = setTimeout(
      () => {
        const startedAt = performance.now();
        tickSafely(controller);
        tickLater(controller, performance.now() - startedAt);
      },
      Math.max(everyMs - tookMs, tookMs * REST_PER_TICK),
    );
    timers.set(controller, timer.unref());
  }

  function wake(): void {
    if (timers.size === 0) for (const controller of controllers) tickLater(controller, 0);
  }

  function rest(): void {
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
  }

  let looking: NodeJS.Timeout | undefined;
  function look(): void {
    if (doze?.asleep() !== true) return wake();
    rest();
    if (doze.napIsOver()) for (const controller of controllers) tickSafely(controller);
  }

  return {
    start() {
      wake();
      if (doze !== undefined) looking ??= setInterval(look, LOOK_WALL_MS).unref();
    },
    stop() {
      clearInterval(looking);
      looking = undefined;
      rest();
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
