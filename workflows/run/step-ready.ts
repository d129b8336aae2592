/** Holds a step until nothing stands against its start: a pause, the windows, firing alerts, a freeze that nobody guards. */
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import type { Gatekeeper } from '../gates/gatekeeper.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';
import type { RunHealth } from '../watch/run-health.ts';
import type { FreezeHold } from './freeze-guard.ts';
import { untilResumed } from './pause.ts';
import type { RunWindows } from './run-windows.ts';
import { untilGuarded } from './unguarded-freeze-gate.ts';

export interface StepReadyDeps {
  plan: UpgradePlan;
  progress: UpgradeProgress;
  voice: RunNotifier;
  gates: Gatekeeper;
  freeze: FreezeHold;
  /** Absent: no step waits for one. */
  windows: RunWindows | undefined;
  /** Absent without health checks. */
  health: RunHealth | undefined;
}

export class StepReady {
  readonly #of: StepReadyDeps;
  #windowWaived = false;

  constructor(of: StepReadyDeps) {
    this.#of = of;
  }

  /** Go anyway was chosen outside the windows, before the step that was asked about last. */
  get windowWaived(): boolean {
    return this.#windowWaived;
  }

  /**
   * Each of them may hold the step for days: what was looked at before a pause, or before alerts were resolved, is looked at again after it. Gives true where
   * one of them has.
   */
  async until(step: PlannedStep): Promise<boolean> {
    const { gates, freeze, health, windows, progress, voice } = this.#of;
    this.#windowWaived = false;
    let hasWaited = false;
    for (let isFirst = true; ; isFirst = false) {
      hasWaited ||= progress.status.pauseRequested;
      await untilResumed(progress, voice, step);
      if (await this.#untilWindow(step)) hasWaited = true;
      // What people let begin although alerts fire, they are not asked about twice.
      const isJudged = health !== undefined && (isFirst || !health.waives(step));
      const isHeld = isJudged && (await health.before(step));
      hasWaited ||= isHeld;
      await untilGuarded(freeze, gates, step);
      const mayHaveClosed = isHeld && windows !== undefined && !this.#windowWaived;
      if (!mayHaveClosed && !progress.status.pauseRequested) return hasWaited;
    }
  }

  /** No step that changes something begins outside the windows, or in one that would close before its end. Gives true where it has waited for one. */
  async #untilWindow(step: PlannedStep): Promise<boolean> {
    const { windows, plan, health } = this.#of;
    if (windows === undefined || this.#windowWaived) return false;
    const { waived, parked } = await windows.before(step, plan, health?.windowJudge(step));
    this.#windowWaived = waived;
    return parked;
  }
}
