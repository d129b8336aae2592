/** What a step tells: to its run as long as there is one, afterwards to people and to the audit record itself. */
import { CancellationScope, getExternalWorkflowHandle, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { defined } from '../../../domain/core/defined.ts';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import type { GateState } from '../../../domain/gates/gate.ts';
import { openGate } from '../../../domain/gates/gate-rules.ts';
import { AuditTrail } from '../../reporting/audit/audit-trail.ts';
import { childProgress, type Told } from '../../contract/messages.ts';
import type { PhaseInput, PhaseResult } from '../../contract/phase.ts';
import { stamped } from '../../contract/stamp.ts';
import { Announcer } from '../../reporting/announcer.ts';
import { Elsewhere } from '../../reporting/elsewhere.ts';
import { firstNote } from '../../reporting/first-note.ts';
import { Outbox } from '../../reporting/progress-outbox.ts';
import { Publisher } from '../../reporting/publisher.ts';
import { whenSettled } from '../../runtime/when-settled.ts';

/** Bounds how long the end of a step that tells people itself may wait for Slack and others. */
const DELIVERY_GRACE_MS = 1000;

export class StepReporter {
  readonly #input: PhaseInput;
  readonly announcer: Announcer;
  readonly #outbox = new Outbox();
  /** The note that the run shows. */
  #shown: string | undefined;
  #isSending = false;
  #goesWithResult = false;
  #sent: Promise<unknown> = Promise.resolve();
  #parentIsGone = false;
  /** Who hears of runs beside Slack. As long as there is a run, that tells them. */
  readonly #elsewhere: Elsewhere | undefined;
  /** Of a step that outlives its run. */
  #own: { publisher: Publisher | undefined; trail: AuditTrail } | undefined;

  constructor(input: PhaseInput) {
    this.#input = input;
    this.#shown = firstNote(input.step);
    const { workflowId, runId } = workflowInfo();
    this.#elsewhere = Elsewhere.of(input.policy, input.upgrade, { ...defined({ run: input.run }), linked: { workflowId, runId } });
    this.announcer = new Announcer({
      notePrefix: `${input.step.id}.${input.round}`,
      deliver: (pending) => {
        if (input.policy.channel === undefined) return;
        // A gate's end goes along with what is said next, as below.
        const isEnd = pending.notification.kind === 'gate' && pending.notification.state.kind !== 'open';
        if (isEnd) this.put({ say: [pending] });
        else this.tell({ say: [pending] });
      },
    });
  }

  /** The run is known to have ended: nobody answers there. */
  get isOrphan(): boolean {
    return this.#parentIsGone;
  }

  /** Shows the first note in Temporal UI. */
  begin(): void {
    if (this.#shown !== undefined) this.#detail(this.#shown);
  }

  /** Says in Temporal UI and on the board what is happening and what it waits for. */
  now(note: string, more: Pick<Told, 'freeze' | 'rolled' | 'update'> = {}): void {
    this.#detail(note);
    if (note === this.#shown && more.freeze === undefined && more.rolled === undefined && this.#outbox.isEmpty) return;
    this.tell({ state: 'running', note, ...more });
  }

  gate(state: GateState): void {
    if (state.kind === 'open') this.tell({ state: 'waiting', gateOpened: openGate(state) });
    // Goes along with what is said next: each line of a phase that asks goes on with `now`.
    else this.put({ state: 'running', gateClosed: state });
  }

  /** Changes go along with what is said next. What is restored is often the last that a phase does, when its run may be about to end. */
  audit(event: AuditEvent): void {
    if (event.kind === 'change') this.put({ audit: [event] });
    else this.tell({ audit: [event] });
  }

  /** What is told in one breath is one signal. */
  tell(progress: Told): void {
    this.put(progress);
    if (this.#isSending) return;
    this.#isSending = true;
    void whenSettled().then(() => {
      this.#isSending = false;
      if (!this.#goesWithResult) this.#send();
    });
  }

  /** Keeps it until the next `tell`. */
  put(progress: Told): void {
    if (this.#outbox.clashes(progress)) this.#send();
    this.#outbox.put(progress);
  }

  /** At the end everything has been told: what is left goes with the result where the run hears that. */
  async end(result: PhaseResult | undefined, isHeard: boolean): Promise<void> {
    if (!this.#goesWithResult) this.#send();
    // The run hears it before it hears of the end.
    await this.#sent;
    if (result !== undefined && isHeard) this.#endWith(result);
    if (this.#own === undefined) return;
    const { trail, publisher } = this.#own;
    await trail.finish(DELIVERY_GRACE_MS);
    await Promise.all([publisher?.close(DELIVERY_GRACE_MS), this.#elsewhere?.close(DELIVERY_GRACE_MS)]);
  }

  /** From here on what is told waits for the result. */
  endsWithResult(): void {
    this.#goesWithResult = true;
  }

  #endWith(result: PhaseResult): void {
    if (this.#parentIsGone) return this.#send();
    const told = this.#outbox.take();
    if (told !== undefined) result.told = told;
  }

  #detail(note: string): void {
    const { step } = this.#input;
    setCurrentDetails(`**${step.title}**\n\n${note}\n\nWhy this step: ${step.why}`);
  }

  #send(): void {
    const progress = this.#outbox.take();
    if (progress === undefined) return;
    this.#shown = progress.note ?? this.#shown;
    const { parent } = workflowInfo();
    if (parent === undefined || this.#parentIsGone) return this.#tellPeople(progress);
    const sent = CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(parent.workflowId, parent.runId).signal(
        childProgress,
        stamped(childProgress, { step: this.#input.step.id, ...progress }),
      ),
    ).then(
      () => this.#isTold(progress),
      () => this.#tellPeople(progress),
    );
    this.#sent = Promise.all([this.#sent, sent]);
  }

  /** By the run: a gate that it has told is not opened again by a guard that outlives it. */
  #isTold({ say = [] }: Told): void {
    for (const pending of say) this.#elsewhere?.heard(pending);
  }

  /** No run is left to do it: a guard outlives its run. */
  #tellPeople({ say = [], audit = [] }: Told): void {
    this.#parentIsGone = true;
    const { publisher, trail } = (this.#own ??= this.#ownVoice());
    for (const pending of say) {
      publisher?.put(pending);
      this.#elsewhere?.put(pending);
    }
    for (const event of audit) trail.note(event);
  }

  #ownVoice(): { publisher: Publisher | undefined; trail: AuditTrail } {
    const { cluster, upgrade, policy } = this.#input;
    const { channel, timing, windows } = policy;
    const to = { upgrade, boardEditMs: timing.boardEditMs, quietHours: windows?.quietHours };
    const publisher = channel === undefined ? undefined : new Publisher({ ...to, channel });
    publisher?.start();
    // The run has written to it, and other steps that outlive it do so as well.
    const trail = new AuditTrail({ cluster, runId: upgrade.runId, shared: true }, (note) => this.announcer.note(note));
    return { publisher, trail };
  }
}
