/** What all phases share: their activities, gates, side effects, idempotency tokens, and one way to begin and to end. */
import { type ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { allHandlersFinished, CancellationScope, condition, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { Skipped } from '../../../domain/core/findings.ts';
import { idempotencyToken } from '../../../domain/core/idempotency-token.ts';
import type { Decision } from '../../../domain/gates/gate.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { type Requesters, requestersChanged, stepTakenOver, type Told } from '../../contract/messages.ts';
import type { PhaseInput, PhaseResult } from '../../contract/phase.ts';
import { Heard } from '../../contract/stamp.ts';
import { Gatekeeper } from '../../gates/gatekeeper.ts';
import { RestoredHistory } from '../../gates/restored.ts';
import { UnexpectedChanges } from '../../gates/unexpected-change.ts';
import type { Announcer } from '../../reporting/announcer.ts';
import { type PhaseActivities, phaseActivities } from '../../runtime/activity-proxies.ts';
import { abortChosen } from '../../runtime/chosen-abort.ts';
import { onRefusedMessage } from '../../runtime/messages/refused-messages.ts';
import { asPhaseFailure } from '../../runtime/phase-failure.ts';
import { protectionOf } from './protection.ts';
import { StepReporter } from './step-reporter.ts';
import { defined } from '../../../domain/core/defined.ts';
import { abortRequestedBy } from '../../messages/commands.ts';
import { restoreIt } from '../../messages/run.ts';
import { freezeRestoredInTime } from '../../messages/karpenter/freeze.ts';
import type { ChangeRequest, Note } from '../../messages/note.ts';

export class Phase {
  readonly input: PhaseInput;
  readonly activities: PhaseActivities;
  readonly gates = new Gatekeeper();
  readonly #reporter: StepReporter;
  #takenOverBy: string | undefined;
  readonly #skipped: Skipped[] = [];
  readonly #scope = CancellationScope.current();
  readonly #unexpected: UnexpectedChanges;
  readonly #restored: RestoredHistory;
  /** People chose at a gate of this step that the whole run ends. */
  #aborted: ApplicationFailure | undefined;

  readonly #requesters: Requesters;

  constructor(input: PhaseInput) {
    this.input = input;
    this.#requesters = { requestedBy: input.requestedBy, formerly: input.formerly ?? [] };
    this.#reporter = new StepReporter(input);
    this.#unexpected = new UnexpectedChanges(this);
    this.#restored = new RestoredHistory(this);
    this.activities = phaseActivities(
      input.policy.timing,
      { of: { step: input.step.id, round: input.round }, note: (event) => this.#reporter.audit(event) },
      (effects, activity) => this.#unexpected.found(effects, activity),
      { protect: protectionOf(input), refrozen: (pools) => this.announcer.note(freezeRestoredInTime(pools)) },
      (restored) => this.#restored.untilAccepted(restored),
    );
    this.#install();
  }

  #install(): void {
    const { input, gates } = this;
    gates.install();
    onRefusedMessage((event) => this.#reporter.audit({ ...event, step: input.step.id }));
    const requesters = this.#requesters;
    const heard = new Heard();
    setHandler(
      requestersChanged,
      heard.only(requestersChanged, ({ requestedBy, formerly }) => {
        Object.assign(requesters, { requestedBy, formerly });
        gates.dropVotesOf(requestedBy);
      }),
    );
    setHandler(
      stepTakenOver,
      heard.only(stepTakenOver, ({ by }) => void (this.#takenOverBy = by)),
    );
    gates.attach({
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
      audit: (event) => this.#reporter.audit(event),
      onChange: (state) => this.#reporter.gate(state),
    });
  }

  get announcer(): Announcer {
    return this.#reporter.announcer;
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
    return this.#reporter.isOrphan;
  }

  /** This step is being stopped, and another run watches from here on. One whose run goes on is nobody's to take. */
  get isTakenOver(): boolean {
    return this.#takenOverBy !== undefined && this.isStopping;
  }

  /** Its run is aborted, or has ended. */
  get isStopping(): boolean {
    return this.#scope.consideredCancelled;
  }

  get isAborting(): boolean {
    return this.#aborted !== undefined;
  }

  /** Ends the whole run: the step stops, and cleans up, as when its run is aborted, and the run hears it by the step's failure. */
  abort(decision: Decision, why: string): never {
    if (this.#aborted === undefined) this.announcer.note(abortRequestedBy(decision.actor, decision.reason ?? why));
    this.#aborted ??= abortChosen(decision, why);
    this.#scope.cancel();
    throw new CancelledFailure(why);
  }

  token(operation: string, resource: string): string {
    const { firstRunId, step, round } = this.input;
    return idempotencyToken({ firstRunId, step: step.id, operation, resource, round });
  }

  /** Says in Temporal UI and on the board what is happening and what it waits for. */
  now(note: string, more: Pick<Told, 'freeze' | 'rolled' | 'update'> = {}): void {
    this.#reporter.now(note, more);
  }

  /** To the run, which may be gone already: then people are told, and nothing is lost. */
  tell(progress: Told): void {
    this.#reporter.tell(progress);
  }

  /**
   * Something that was changed for the run's sake is not as it was: an alarm now, to whoever asked for the run, and a line of the report. `saysHow`: the alarm
   * has a way of its own; else it is `belay reconcile`.
   */
  notRestored(left: { what: string; why: string }, alarm: Note, { saysHow = false } = {}): void {
    const text = saysHow ? alarm.text : `${alarm.text.replace(/[.\s]+$/, '')}. ${restoreIt(this.cluster.name)}`;
    this.announcer.note({ ...alarm, text, mention: this.#requesters.requestedBy });
    this.tell({ notRestored: left });
  }

  /** People leave something as it is: what is behind for that is accepted at the end. */
  skip(skipped: Skipped): void {
    this.#skipped.push(skipped);
  }

  /** Asks whoever owns it for a change that Belay does not make itself. */
  ask({ ask, text, lasting }: ChangeRequest): void {
    const until = lasting === true ? undefined : new Date(Date.now() + this.timing.askTimeoutMs).toISOString();
    this.announcer.note({ text, ask, due: { of: this.#requesters.requestedBy, ...defined({ until }) } });
    // Nobody is told, and it is kept all the same.
    if (this.input.policy.channel === undefined) this.#reporter.put({ asked: [{ ask, text }] });
    if (lasting !== true) this.now(text);
  }

  /** Runs a phase's main line; at its end everything has been told, or is delivered later. */
  async run(main: () => Promise<PhaseResult>): Promise<PhaseResult> {
    this.#reporter.begin();
    let result: PhaseResult | undefined;
    try {
      const ended = await main();
      await this.#unexpected.askLater();
      if (this.#aborted !== undefined && !this.#isGuard) throw this.#aborted;
      result = this.#skipped.length === 0 ? ended : { ...ended, skipped: this.#skipped };
      return result;
    } catch (error) {
      throw this.#aborted ?? (isCancellation(error) ? error : asPhaseFailure(this.input.step.title, error));
    } finally {
      const isHeard = result !== undefined && this.#isHeard;
      if (isHeard) this.#reporter.endsWithResult();
      await CancellationScope.nonCancellable(async () => {
        await condition(allHandlersFinished);
        await this.#reporter.end(result, isHeard);
      });
    }
  }

  /** It comes to its end where its run does. */
  get #isGuard(): boolean {
    return this.input.step.phase === 'freeze-drift';
  }

  /** Does the run wait for the result? Not for a guard's, which lives on, and not where it may have ended meanwhile. */
  get #isHeard(): boolean {
    return !this.#isGuard && !CancellationScope.current().consideredCancelled;
  }
}
