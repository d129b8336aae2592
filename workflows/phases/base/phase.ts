/** The one signature of every phase, and what all phases share: activities, gates, progress to the parent, tokens. */
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { allHandlersFinished } from '@temporalio/workflow';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import { stoppedByAlerts } from '../../../domain/health/alerts.ts';
import type { Protection } from '../../../domain/policy/irreversible.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { idempotencyToken } from '../../../domain/core/idempotency-token.ts';
import { type Journal, type PhaseActivities, phaseActivities } from '../../runtime/activity-proxies.ts';
import { AuditTrail } from '../../audit/audit-trail.ts';
import { Announcer } from '../../reporting/announcer.ts';
import { openGate } from '../../../domain/gates/gate-rules.ts';
import { Gatekeeper } from '../../gates/gatekeeper.ts';
import { childProgress, type Requesters, requestersChanged, stepTakenOver, type Told } from '../../contract/messages.ts';
import { openingWords } from '../../reporting/first-note.ts';
import { Outbox } from '../../reporting/progress-outbox.ts';
import type { Protecting } from '../../runtime/protect-activities.ts';
import type { OnSideEffects } from '../../runtime/side-effects.ts';
import { whenQuiet } from '../../runtime/when-settled.ts';
import { onRefusedMessage } from '../../runtime/messages/refused-messages.ts';
import { Heard, stamped } from '../../contract/stamp.ts';
import { handOver } from '../../reporting/deliver-later.ts';
import { UnexpectedChanges } from '../../gates/unexpected-change.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { Ask } from '../../../domain/run/record/change-requests.ts';
import type { PhaseInput, PhaseResult } from '../../contract/phase.ts';
import { asPhaseFailure } from '../../runtime/phase-failure.ts';

/** Bounds how long the end of a phase that tells people itself may wait for Slack. */
const DELIVERY_GRACE_MS = 1000;

export class Phase {
  readonly input: PhaseInput;
  readonly activities: PhaseActivities;
  readonly gates = new Gatekeeper();
  readonly announcer: Announcer;
  /** For the parent. */
  readonly #outbox = new Outbox();
  /** The note that the parent shows. */
  #shown: string | undefined;
  #parentIsGone = false;
  #takenOverBy: string | undefined;
  readonly #scope = CancellationScope.current();
  #isSending = false;
  #goesWithResult = false;
  #sent: Promise<unknown> = Promise.resolve();
  readonly #unexpected: UnexpectedChanges;
  /** Only of a phase that outlives its run. */
  #trail: AuditTrail | undefined;

  constructor(input: PhaseInput) {
    this.input = input;
    this.#shown = openingWords(input.step);
    this.#unexpected = new UnexpectedChanges(this);
    const onSideEffects: OnSideEffects = (effects, activity) => this.#unexpected.found(effects, activity);
    this.activities = phaseActivities(input.policy.timing, this.#journal(), onSideEffects, this.#protection());
    this.announcer = new Announcer({
      upgrade: input.upgrade,
      channel: input.policy.channel,
      boardEditMs: input.policy.timing.boardEditMs,
      notePrefix: `${input.step.id}.${input.round}`,
      quietHours: input.policy.windows?.quietHours,
      concise: input.policy.concise === true,
      relay: (pending) => {
        // A gate's end goes along with what is said next, as below.
        const isEnd = pending.notification.kind === 'gate' && pending.notification.state.kind !== 'open';
        if (isEnd) this.#put({ say: [pending] });
        else this.tell({ say: [pending] });
      },
    });
    this.gates.install();
    onRefusedMessage((event) => this.#audit()?.({ ...event, step: input.step.id }));
    const requesters: Requesters = { requestedBy: input.requestedBy, formerly: input.formerly ?? [] };
    const heard = new Heard();
    setHandler(
      requestersChanged,
      heard.only(requestersChanged, ({ requestedBy, formerly }) => {
        Object.assign(requesters, { requestedBy, formerly });
        this.gates.dropVotesOf(requestedBy);
      }),
    );
    setHandler(
      stepTakenOver,
      heard.only(stepTakenOver, ({ by }) => void (this.#takenOverBy = by)),
    );
    this.gates.attach({
      workflowId: workflowInfo().workflowId,
      cluster: input.cluster,
      policy: input.policy,
      get requestedBy() {
        return requesters.requestedBy;
      },
      get formerly() {
        return requesters.formerly;
      },
      announcer: this.announcer,
      planHash: () => input.planHash,
      audit: this.#audit(),
      onChange: (state) => {
        if (state.kind === 'open') {
          this.tell({ state: 'waiting', gateOpened: openGate(state) });
        } else {
          // Goes along with what is said next: each line of a phase that asks goes on with `now`.
          this.#put({ state: 'running', gateClosed: state });
        }
      },
    });
  }

  get cluster(): ClusterRef {
    return this.input.cluster;
  }

  get timing(): UpgradePolicy['timing'] {
    return this.input.policy.timing;
  }

  /** What every watching activity needs. */
  get target(): { cluster: ClusterRef; timing: UpgradePolicy['timing'] } {
    return { cluster: this.input.cluster, timing: this.input.policy.timing };
  }

  /** The run is known to have ended: nobody answers there. */
  get isOrphan(): boolean {
    return this.#parentIsGone;
  }

  /** This step is being stopped, and another run watches from here on. One whose run goes on is nobody's to take. */
  get isTakenOver(): boolean {
    return this.#takenOverBy !== undefined && this.#scope.consideredCancelled;
  }

  token(operation: string, resource: string): string {
    const { firstRunId, step, round } = this.input;
    return idempotencyToken({ firstRunId, step: step.id, operation, resource, round });
  }

  /** Says in Temporal UI and on the board what is happening and what it waits for. */
  now(note: string, more: Pick<Told, 'freeze' | 'rolled' | 'update'> = {}): void {
    this.#detail(note);
    if (note === this.#shown && more.freeze === undefined && more.rolled === undefined && this.#outbox.isEmpty) return;
    this.tell({ state: 'running', note, ...more });
  }

  #detail(note: string): void {
    setCurrentDetails(`**${this.input.step.title}**\n\n${note}\n\nWhy this step: ${this.input.step.why}`);
  }

  /** To the parent, which may be gone already: then nobody listens and nothing is lost. What is told in one breath is one signal. */
  tell(progress: Told): void {
    this.#put(progress);
    if (this.input.policy.concise !== true) return void Promise.resolve().then(() => this.#send());
    if (this.#isSending) return;
    this.#isSending = true;
    void whenQuiet().then(() => {
      this.#isSending = false;
      if (!this.#goesWithResult) this.#send();
    });
  }

  /** Keeps it until the next `tell`. */
  #put(progress: Told): void {
    if (this.#outbox.clashes(progress)) this.#send();
    this.#outbox.put(progress);
  }

  /** Runs that were recorded before there was an audit record have none. */
  #audit(): ((event: AuditEvent) => void) | undefined {
    if (this.input.policy.audit !== true) return undefined;
    // Changes go along with what is said next. What is restored is often the last that a phase does, when its run may be about to end.
    return (event) => (event.kind === 'change' ? this.#put({ audit: [event] }) : this.tell({ audit: [event] }));
  }

  #journal(): Journal | undefined {
    const { step, round } = this.input;
    const note = this.#audit();
    return note === undefined ? undefined : { of: { step: step.id, round }, note };
  }

  /** What is looked at right before what cannot be undone. */
  #protection(): Protecting {
    const { policy, step, freezeGuard, freezeMeans, windowWaived, alertsWaived } = this.input;
    const { windows, health, karpenter } = policy;
    const protect: Protection = {
      ...(freezeGuard === undefined
        ? {}
        : {
            freeze: { guard: freezeGuard, reasons: karpenter.freezeReasons, ...(freezeMeans === undefined ? {} : { means: freezeMeans }) },
          }),
      ...(windows === undefined || windowWaived === true ? {} : { exclusion: step.phase }),
      ...(health?.alerts === 'block' && stoppedByAlerts(step.phase) && alertsWaived !== true
        ? { alerts: { ignore: health.ignoreAlerts } }
        : {}),
    };
    const refrozen = (pools: string[]): void =>
      this.announcer.note(
        `ALARM: the drift freeze was reverted on ${pools.join(', ')} (GitOps?). Belay put it back right before it went on; stop the other side.`,
        { level: 'alarm', broadcast: true },
      );
    return { protect, refrozen };
  }

  #send(): void {
    const progress = this.#outbox.take();
    if (progress === undefined) return;
    this.#shown = progress.note ?? this.#shown;
    const { parent } = workflowInfo();
    if (parent === undefined || this.#parentIsGone) return this.#speakForItself(progress);
    const sent = CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(parent.workflowId, parent.runId).signal(
        childProgress,
        stamped(childProgress, { step: this.input.step.id, ...progress }),
      ),
    ).catch(() => this.#speakForItself(progress));
    this.#sent = Promise.all([this.#sent, sent]);
  }

  /** Nobody is left who would tell people: a guard outlives its run. */
  #speakForItself(progress: Told): void {
    if (!this.#parentIsGone) this.announcer.start();
    this.#parentIsGone = true;
    for (const { key, notification } of progress.say ?? []) this.announcer.say(key, notification);
    for (const event of progress.audit ?? []) this.#ownTrail().note(event);
  }

  #ownTrail(): AuditTrail {
    const { cluster, upgrade, policy } = this.input;
    this.#trail ??= new AuditTrail({ cluster, runId: upgrade.runId, concise: policy.concise }, (text) =>
      this.announcer.note(text, { level: 'alarm' }),
    );
    return this.#trail;
  }

  /** Something that was changed for the run's sake is not as it was: an alarm now, and a line of the report. */
  notRestored(left: { what: string; why: string }, alarm: string): void {
    this.announcer.note(`ALARM: ${alarm}`, { level: 'alarm', broadcast: true });
    this.tell({ notRestored: left });
  }

  /** Asks people (or their GitOps) for a change that Belay does not make itself. */
  ask(ask: Ask, text: string): void {
    this.announcer.note(text, { ask });
    // Nobody is told, and it is kept all the same.
    if (this.input.policy.channel === undefined) this.#put({ asked: [{ ask, text }] });
    this.now(text);
  }

  /** Runs a phase's main line; at its end everything has been told, or is handed over. */
  async run(main: () => Promise<PhaseResult>): Promise<PhaseResult> {
    if (this.#shown !== undefined) this.#detail(this.#shown);
    let result: PhaseResult | undefined;
    try {
      const ended = await main();
      await this.#unexpected.askLater();
      result = ended;
      return result;
    } catch (error) {
      throw isCancellation(error) ? error : asPhaseFailure(this.input.step.title, error);
    } finally {
      this.#goesWithResult = result !== undefined && this.#isHeard;
      await CancellationScope.nonCancellable(async () => {
        await condition(allHandlersFinished);
        if (!this.#goesWithResult) this.#send();
        // The parent hears it before it hears of the end.
        await this.#sent;
        if (result !== undefined && this.#goesWithResult) this.#endWith(result);
        await this.#trail?.finish(DELIVERY_GRACE_MS);
        const left = await this.announcer.finish(DELIVERY_GRACE_MS);
        const { upgrade, policy } = this.input;
        if (policy.channel !== undefined) await handOver({ upgrade, channel: policy.channel }, left);
      });
    }
  }

  /** Does the run wait for the result? Not for a guard's, which lives on, and not where it may have ended meanwhile. */
  get #isHeard(): boolean {
    const { policy, step } = this.input;
    return policy.concise === true && step.phase !== 'freeze-drift' && !CancellationScope.current().consideredCancelled;
  }

  #endWith(result: PhaseResult): void {
    if (this.#parentIsGone) return this.#send();
    const told = this.#outbox.take();
    if (told !== undefined) result.told = told;
  }
}
