/** The gate that opens when something else than what was meant to change has changed: never accepted and never restored without a decision. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { Decision } from '../../domain/gates/gate.ts';
import type { SideEffect } from '../../domain/run/side-effects/side-effect.ts';
import { headline } from '../../domain/run/side-effects/text.ts';
import { EFFECTS } from '../runtime/activity-effects.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { gateId } from '../contract/ids.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { PhaseInput } from '../contract/phase.ts';
import type { Announcer } from '../reporting/announcer.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import { phaseFailed } from '../runtime/phase-failure.ts';
import {
  changeAccepted,
  changedUnrequested,
  changeRestored,
  changeUndecided,
  unrequestedChange,
  unrequestedChangeGate,
} from '../messages/gates.ts';
import type { GateRequest } from './gate-request.ts';

/** The step that asks about its side effects. */
interface Step {
  readonly input: PhaseInput;
  readonly cluster: ClusterRef;
  readonly activities: PhaseActivities;
  readonly gates: Gatekeeper;
  readonly announcer: Announcer;
  /** Ends the whole run. */
  abort: (decision: Decision, why: string) => never;
}

/** Side effects of one step. */
export class UnexpectedChanges {
  readonly #phase: Step;
  /** The step's own: activities may run in scopes that no abort reaches. */
  readonly #scope: CancellationScope;
  /** Found while something was put back, which nobody holds up. */
  readonly #later: SideEffect[] = [];
  #count = 0;

  constructor(phase: Step) {
    this.#phase = phase;
    this.#scope = CancellationScope.current();
  }

  /** Returns once somebody has decided to continue, or the step is being cancelled. Throws where nobody decides in time. */
  async found(effects: SideEffect[], activity: keyof BelayActivities): Promise<void> {
    if (this.#scope.consideredCancelled || this.#isGuards(activity)) return this.#tell(effects);
    if (EFFECTS[activity] === 'restores' || EFFECTS[activity] === 'keeps') {
      this.#tell(effects);
      this.#later.push(...effects);
      return;
    }
    await this.#ask(effects);
  }

  /** At the end of the step: what was found while it put things back. */
  async askLater(): Promise<void> {
    const effects = this.#later.splice(0);
    if (effects.length > 0 && !this.#scope.consideredCancelled) await this.#ask(effects);
  }

  /** A guard keeps guarding while other steps run: it tells, and waits for nobody. */
  #isGuards(activity: keyof BelayActivities): boolean {
    return this.#phase.input.step.phase === 'freeze-drift' && activity !== 'freezeDrift';
  }

  #tell(effects: SideEffect[]): void {
    this.#phase.announcer.note(unrequestedChange(effects));
  }

  async #ask(effects: SideEffect[]): Promise<void> {
    try {
      await new CancellationScope({ cancellable: true, parent: this.#scope }).run(() => this.#untilDecided(effects));
    } catch (error) {
      if (!isCancellation(error)) throw error;
      // The run is being stopped, and whoever waits for the activity has to clean up.
      this.#tell(effects);
    }
  }

  async #untilDecided(found: SideEffect[]): Promise<void> {
    const { gates, announcer, activities, cluster } = this.#phase;
    for (let effects = found; effects.length > 0; ) {
      const what = effects.map(headline).join('; ');
      const state = await gates.ask(this.#gate(effects));
      if (state.kind !== 'decided') throw phaseFailed(changeUndecided(what));
      switch (state.decision.choice) {
        case 'look-again':
          ({ effects } = await activities.quick.lookAtSideEffects.executeWithOptions({ summary: 'Is it as before?' }, [
            { cluster, effects },
          ]));
          if (effects.length === 0) announcer.note(changeRestored(what));
          break;
        case 'abort':
          return this.#phase.abort(state.decision, changedUnrequested(what));
        default:
          return announcer.note(changeAccepted(what));
      }
    }
  }

  #gate(effects: SideEffect[]): GateRequest {
    const { step, round } = this.#phase.input;
    this.#count += 1;
    return { ...unrequestedChangeGate(effects), id: gateId('unexpected-change', step.id, round, String(this.#count)), step: step.id };
  }
}
