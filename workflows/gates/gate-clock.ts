/** How long a gate stays open: its deadline, reminders on the way, more time, and break-glass after its delay. */
import { condition } from '@temporalio/workflow';
import { breakGlassNow, expireGate, withdrawGate } from '../../domain/gates/gate-rules.ts';
import { breakGlass } from '../messages/votes.ts';
import type { GateStates } from './gate-states.ts';
import { reminderTimes } from './reminders.ts';

export class GateClock {
  readonly #states: GateStates;
  /** Life of gates that were given more time, from their opening. */
  readonly #extendedMs = new Map<string, number>();

  constructor(states: GateStates) {
    this.#states = states;
  }

  /** `lifeMs`: from the gate's opening. */
  extend(id: string, lifeMs: number): void {
    this.#extendedMs.set(id, lifeMs);
  }

  /** Returns once the gate is closed: by a decision, by its deadline once what came before that is answered, or withdrawn when `until` gives a reason. */
  async wait(
    id: string,
    { openedAtMs, deadlineMs, reminders }: { openedAtMs: number; deadlineMs: number; reminders: readonly number[] },
    until: () => string | undefined,
  ): Promise<void> {
    const states = this.#states;
    const closed = (): boolean => states.of(id).kind !== 'open' || until() !== undefined;
    /** Not those whose time has passed: before the gate was carried here, or while no worker was up. */
    const ahead = (times: readonly number[]): number[] => times.filter((atMs) => atMs > Date.now() - openedAtMs);
    let left = ahead(reminders);
    let lifeMs = deadlineMs;
    const extendedMs = (): number => this.#extendedMs.get(id) ?? deadlineMs;
    const extend = (): void => {
      lifeMs = extendedMs();
      left = reminders.length === 0 ? [] : ahead(reminderTimes(states.context.policy, lifeMs));
    };
    for (;;) {
      const leftMs = openedAtMs + lifeMs - Date.now();
      if (leftMs <= 0) {
        const answers = states.inTime.answered(id, closed);
        if (answers === undefined) break;
        await answers;
        if (closed() || extendedMs() === lifeMs) break;
        extend();
        continue;
      }
      const nextMs = openedAtMs + (left[0] ?? lifeMs) - Date.now();
      const glassAt = states.of(id).gate.glass?.at;
      const glassMs = glassAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(glassAt) - Date.now();
      if (glassMs <= 0) {
        // Somebody may have rejected it in time.
        const answers = states.inTime.answered(id, closed);
        if (answers !== undefined) await answers;
        if (closed() || this.#breakGlass(id)) break;
      }
      const waitMs = Math.max(1, Math.min(leftMs, nextMs, glassMs > 0 ? glassMs : leftMs));
      const isOtherGlass = (): boolean => states.of(id).gate.glass?.at !== glassAt;
      const woken = await condition(() => closed() || extendedMs() !== lifeMs || isOtherGlass(), waitMs, {
        summary: waitMs === leftMs ? `Deadline of ${id}` : waitMs === glassMs ? `Break-glass at ${id}` : `Reminder for ${id}`,
      });
      if (woken && closed()) break;
      if (extendedMs() !== lifeMs) extend();
      else if (left[0] !== undefined && Date.now() - openedAtMs >= left[0]) {
        left = ahead(left);
        if (openedAtMs + lifeMs - Date.now() > 0) states.announce(states.of(id), true);
      }
    }
    const why = until();
    const now = new Date().toISOString();
    if (why !== undefined) states.set(withdrawGate(states.of(id), now, why));
    else if (states.of(id).kind === 'open') states.set(expireGate(states.of(id), now));
  }

  /** The delay is over, and nobody has rejected it. */
  #breakGlass(id: string): boolean {
    const before = this.#states.of(id);
    const state = breakGlassNow(before, Date.now());
    if (state === before || state.kind !== 'decided') return false;
    this.#states.set(state);
    this.#states.context.announcer.note(breakGlass(state, state.decision));
    return true;
  }
}
