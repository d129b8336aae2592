/** The gate that opens when something else than what was meant to change has changed: never accepted by itself, never put back unasked. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { SideEffect } from '../../domain/run/side-effects/side-effect.ts';
import { causeOf, differenceLines, headline, putBackLines } from '../../domain/run/side-effects/text.ts';
import { abortRun } from '../runtime/abort-run.ts';
import { EFFECTS } from '../runtime/activity-effects.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { gateId } from '../contract/ids.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { PhaseInput } from '../contract/phase.ts';
import type { Announcer } from '../reporting/announcer.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import { phaseFailed } from '../runtime/phase-failure.ts';
import { CHOICES } from './choices.ts';
import type { GateRequest } from './gate-request.ts';

/** The step that asks about its side effects. */
interface Step {
  readonly input: PhaseInput;
  readonly cluster: ClusterRef;
  readonly activities: PhaseActivities;
  readonly gates: Gatekeeper;
  readonly announcer: Announcer;
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

  /** Returns when people have decided to go on, or the step is being cancelled. Throws where nobody decides in time. */
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

  /** A guard goes on guarding while other steps run: it tells, and waits for nobody. */
  #isGuards(activity: keyof BelayActivities): boolean {
    return this.#phase.input.step.phase === 'freeze-drift' && activity !== 'freezeDrift';
  }

  #tell(effects: SideEffect[]): void {
    const lines = [...differenceLines(effects), ...putBackLines(effects)].join('\n');
    this.#phase.announcer.note(`ALARM: changed although the step did not ask for it:\n${lines}`, { level: 'alarm', broadcast: true });
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
      if (state.kind !== 'decided') throw phaseFailed(`${what} changed although the step did not ask for it, and nobody decided in time`);
      switch (state.decision.choice) {
        case 'look-again':
          ({ effects } = await activities.quick.lookAtSideEffects.executeWithOptions({ summary: 'Is it as before?' }, [
            { cluster, effects },
          ]));
          if (effects.length === 0) announcer.note(`${what}: as before again.`);
          break;
        case 'abort':
          return await abortRun(state.decision, `${what} changed although the step did not ask for it`);
        default:
          return announcer.note(`${what}: goes on although it was changed, as people decided.`, { level: 'warning' });
      }
    }
  }

  #gate(effects: SideEffect[]): GateRequest {
    const { step, round } = this.#phase.input;
    this.#count += 1;
    return {
      id: gateId('unexpected-change', step.id, round, String(this.#count)),
      step: step.id,
      title: `Something else changed: ${effects.map(headline).join('; ')}`.slice(0, 140),
      next: 'The step continues with these fields as they are now. Belay puts nothing of it back by itself.',
      evidence: [
        { title: 'Before → now', lines: differenceLines(effects) },
        { title: 'Likely cause', lines: causeOf(effects) },
        { title: 'To put it back', lines: putBackLines(effects) },
      ],
      undo: 'What the step itself has changed stays.',
      choices: [
        {
          id: 'look-again',
          label: 'Look again',
          style: 'primary',
          does: 'Reads these fields once more and continues once they are as before.',
        },
        {
          id: 'accept-change',
          label: 'Go on',
          style: 'danger',
          needsReason: true,
          does: 'Continues with what has changed. Nothing of it is put back.',
        },
        CHOICES.abort,
      ],
    };
  }
}
