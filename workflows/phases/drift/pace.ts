/** How fast one roll goes: the plan's paces one after the other, or the pace that somebody has chosen. */
import { CancellationScope, condition, isCancellation, setHandler } from '@temporalio/workflow';
import { AUTOMATIC, budgetOf } from '../../../domain/policy/pace.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import type { FreezeView } from '../../../domain/run/record/status.ts';
import { paceWords } from '../../reporting/first-note.ts';
import { paceChosen, type PaceInput, rollHeld } from '../../contract/messages.ts';
import type { Note } from '../../messages/note.ts';
import {
  noPaceWithoutFreeze,
  pacedBy,
  pacedByGuard,
  pacedByHealthCheck,
  paceNotSet,
  paceNotSetAgain,
  paceSet,
  paceSetAgain,
  paceTooLate,
  rollHeld as rollIsHeld,
  rollNotHeld,
  rollNotResumed,
  rollResumed,
  rollStillFrozen,
  rollStillHeld,
} from '../../messages/karpenter/pace.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { Heard } from '../../contract/stamp.ts';
import type { FreezeControl } from '../freeze/freeze-client.ts';
import { actorName } from '../../../domain/gates/actor.ts';
import { paramsOf } from '../../contract/phase.ts';
import { rolledOf } from './rolled.ts';
import { defined } from '../../../domain/core/defined.ts';

export class DriftPace {
  readonly #phase: Phase;
  readonly #freeze: FreezeControl;
  readonly #params: Extract<StepParams, { phase: 'karpenter-drift' }>;
  #index = 0;
  #chosen: PaceInput | undefined;
  /** Why the run holds the roll, whatever pace is chosen. */
  #held: string | undefined;
  #pacedAtMs = 0;
  /** A pace of the plan that is set and not said yet. */
  #untold: { words: string; freeze: FreezeView | undefined } | undefined;
  #counts: { replacedCount: number; remainingCount: number } | undefined;
  /** Counts the changes by people: whoever waits for the world looks again. */
  #changes = 0;
  #revision = 0;
  #over = false;
  #choosing: Promise<void> = Promise.resolve();
  #watching: CancellationScope | undefined;

  constructor(phase: Phase, freeze: FreezeControl) {
    this.#phase = phase;
    this.#freeze = freeze;
    this.#params = paramsOf(phase.input, 'karpenter-drift');
    // Another guard of the freeze begins at 0.
    freeze.onNewGuard = () => {
      this.#choosing = this.#choosing.then(() => this.#setAgain());
    };
    const heard = new Heard();
    setHandler(paceChosen, (input) => {
      if (!heard.isNew(paceChosen, input)) return;
      // One choice after the other, so that the thread tells them as the budgets had them.
      this.#choosing = this.#choosing.then(() => this.#choose(input));
      return this.#choosing;
    });
    setHandler(rollHeld, (message) => {
      if (!heard.isNew(rollHeld, message)) return;
      this.#choosing = this.#choosing.then(() => this.#hold(message.why));
      return this.#choosing;
    });
  }

  /** "freeze", "1", "10%", "original". */
  get current(): string {
    if (this.#held !== undefined) return 'freeze';
    return this.#chosen?.pace ?? this.#params.paces[this.#index] ?? 'original';
  }

  /** Time left at this pace of the plan; undefined: until the end. */
  get watchMs(): number | undefined {
    if (this.#chosen !== undefined || this.#index >= this.#params.paces.length - 1) return undefined;
    return Math.max(1, this.#phase.timing.paceStepMs - (Date.now() - this.#pacedAtMs));
  }

  /** Sets the first pace of the plan. `soFar`: what has been replaced, in words. */
  async begin(): Promise<void> {
    await this.#apply('');
  }

  /** The next, faster pace of the plan; not while people hold it. */
  async step(soFar: string): Promise<void> {
    if (this.#chosen !== undefined) return;
    this.#index += 1;
    await this.#apply(soFar);
  }

  /** Waits for the world; undefined where people have changed the pace meanwhile. */
  async whileUnchanged<T>(watch: () => Promise<T>): Promise<T | undefined> {
    const changes = this.#changes;
    this.#tell();
    this.#watching = new CancellationScope();
    try {
      return await this.#watching.run(watch);
    } catch (error) {
      if (isCancellation(error) && this.#changes !== changes && !CancellationScope.current().consideredCancelled) return undefined;
      throw error;
    } finally {
      this.#watching = undefined;
    }
  }

  /** While people hold the roll at a freeze there is nothing to watch; it is said again every day. Gives the time that this took. */
  async whileFrozen(): Promise<number> {
    const sinceMs = Date.now();
    const { timing, announcer } = this.#phase;
    while (this.current === 'freeze') {
      const moved = await condition(() => this.current !== 'freeze', timing.freezeReminderMs, { summary: 'Frozen by people' });
      const who = this.#chosen === undefined ? undefined : actorName(this.#chosen.actor);
      if (!moved) announcer.note(this.#held === undefined ? rollStillFrozen(who, this.current) : rollStillHeld(this.#held));
    }
    return Date.now() - sinceMs;
  }

  /** Something else than the pace has changed: whoever waits for the world looks again. */
  lookAgain(): void {
    this.#changes += 1;
    this.#watching?.cancel();
  }

  /** What every place shows from here on: the board, the status and the message of the roll. */
  tellCounts(counts: { replacedCount: number; remainingCount: number }, words: string): void {
    this.counted(counts);
    this.#phase.now(words, { rolled: rolledOf(counts) });
    this.#show();
  }

  counted(counts: { replacedCount: number; remainingCount: number }): void {
    this.#counts = { replacedCount: counts.replacedCount, remainingCount: counts.remainingCount };
  }

  /** From here on nobody changes the pace any more. */
  end(how: string): void {
    this.#over = true;
    this.#show(how);
  }

  async #apply(soFar: string): Promise<void> {
    const pace = this.current;
    const paced = await this.#freeze.pace(budgetOf(pace));
    this.#pacedAtMs = Date.now();
    const words = `${paceWords(this.#params, this.#index)}${soFar}`;
    this.#untold = { words, freeze: paced ? { state: 'pacing', note: pace } : undefined };
  }

  /** In one breath with what is watched next: histories have it in that order. */
  #tell(): void {
    const { words, freeze } = this.#untold ?? {};
    this.#untold = undefined;
    if (words === undefined) return;
    const rolled = this.#counts === undefined ? {} : { rolled: rolledOf(this.#counts) };
    this.#phase.now(words, { ...defined({ freeze }), ...rolled });
    this.#show();
  }

  /** At once, whatever the step waits for. A budget that cannot be set leaves the pace as it was. */
  async #choose(input: PaceInput): Promise<void> {
    const phase = this.#phase;
    const who = actorName(input.actor);
    if (this.#over) return phase.announcer.note(paceTooLate(who));
    const before = this.#chosen;
    this.#chosen = input.pace === AUTOMATIC ? undefined : input;
    const pace = this.current;
    try {
      const paced = await this.#freeze.pace(budgetOf(pace));
      if (this.#over) return phase.announcer.note(paceTooLate(who));
      if (!paced) {
        this.#chosen = before;
        return phase.announcer.note(noPaceWithoutFreeze(who));
      }
    } catch (error) {
      if (isCancellation(error)) return;
      this.#chosen = before;
      return phase.announcer.note(paceNotSet(who, messageOf(error)));
    }
    this.#changed(paceSet(who, { pace: this.current, toPlan: this.#chosen === undefined, reason: input.reason }), pacedBy(who));
  }

  /** The pace that people or the plan have chosen is kept for afterwards. A budget that cannot be set is said; the gate stays open either way. */
  async #hold(why: string | undefined): Promise<void> {
    if (this.#over || this.#held === why) return;
    this.#held = why;
    try {
      if (!(await this.#freeze.pace(budgetOf(this.current))) || this.#over) return;
    } catch (error) {
      if (isCancellation(error)) return;
      return this.#phase.announcer.note((why === undefined ? rollNotResumed : rollNotHeld)(messageOf(error)));
    }
    this.#changed(why === undefined ? rollResumed(this.current) : rollIsHeld(why, this.current), pacedByHealthCheck());
  }

  /** The pace that held under the guard before. What cannot be set is said; drift is frozen then. */
  async #setAgain(): Promise<void> {
    if (this.#over) return;
    try {
      if (!(await this.#freeze.pace(budgetOf(this.current))) || this.#over) return;
    } catch (error) {
      if (isCancellation(error)) return;
      return this.#phase.announcer.note(paceNotSetAgain(messageOf(error)));
    }
    this.#changed(paceSetAgain(this.current), pacedByGuard());
  }

  /** Says which pace holds now; whoever waits for the world looks again. */
  #changed(note: Note, frozenBy: string): void {
    const pace = this.current;
    this.#pacedAtMs = Date.now();
    this.#untold = undefined;
    this.#phase.announcer.note(note);
    this.#phase.now(note.text, { freeze: pace === 'freeze' ? { state: 'frozen', note: frozenBy } : { state: 'pacing', note: pace } });
    this.#changes += 1;
    this.#show();
    this.#watching?.cancel();
  }

  #show(ended?: string): void {
    const { step, upgrade } = this.#phase.input;
    const { offeredPaces, paces } = this.#params;
    this.#revision += 1;
    const { actor, reason } = this.#chosen ?? {};
    this.#phase.announcer.say(`pace/${step.id}`, {
      kind: 'pace',
      pace: {
        workflowId: upgrade.workflowId,
        step: step.id,
        title: step.title,
        pace: this.current,
        ...defined({ by: actor, reason }),
        plan: paces,
        offered: offeredPaces,
        ...this.#counts,
        revision: this.#revision,
        ...defined({ ended }),
      },
    });
  }
}
