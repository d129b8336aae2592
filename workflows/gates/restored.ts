/** The gate before a step's next change once Temporal's database was restored: what the run has done since the backup, it does not know. */
import { CancellationScope } from '@temporalio/workflow';
import type { Decision } from '../../domain/gates/gate.ts';
import type { Restored } from '../../domain/run/restores/restored.ts';
import { gateId } from '../contract/ids.ts';
import type { PhaseInput } from '../contract/phase.ts';
import { restoreAccepted, restoredGate, restoreRefused, restoreUndecided } from '../messages/restored.ts';
import type { Announcer } from '../reporting/announcer.ts';
import { undoText } from '../reporting/plan-evidence.ts';
import { phaseFailed } from '../runtime/phase-failure.ts';
import type { Gatekeeper } from './gatekeeper.ts';

interface Step {
  readonly input: PhaseInput;
  readonly gates: Pick<Gatekeeper, 'ask'>;
  readonly announcer: Announcer;
  /** Ends the whole run. */
  abort: (decision: Decision, why: string) => never;
}

export class RestoredHistory {
  readonly #step: Step;
  /** The step's own: activities may run in scopes that no abort reaches. */
  readonly #scope = CancellationScope.current();
  /** Changes that are made side by side ask once. */
  readonly #asked = new Map<string, Promise<string>>();
  #count = 0;

  constructor(step: Step) {
    this.#step = step;
  }

  /** Resolves with the restore that people accept. Throws where they stop the run, or nobody decides in time. */
  untilAccepted(restored: Restored): Promise<string> {
    const asked = this.#asked.get(restored.at) ?? this.#ask(restored);
    this.#asked.set(restored.at, asked);
    // A retry asks anew.
    asked.catch(() => this.#asked.delete(restored.at));
    return asked;
  }

  #ask(restored: Restored): Promise<string> {
    return new CancellationScope({ cancellable: true, parent: this.#scope }).run(() => this.#untilDecided(restored));
  }

  async #untilDecided(restored: Restored): Promise<string> {
    const { gates, announcer, input } = this.#step;
    const { step, round } = input;
    this.#count += 1;
    const state = await gates.ask({
      ...restoredGate(step.title, restored, undoText(step)),
      id: gateId('restored', step.id, round, String(this.#count)),
      step: step.id,
    });
    if (state.kind !== 'decided') throw phaseFailed(restoreUndecided(step.title));
    if (state.decision.choice !== 'continue') return this.#step.abort(state.decision, restoreRefused());
    announcer.note(restoreAccepted());
    return restored.at;
  }
}
