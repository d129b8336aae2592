/** The steps of a plan, one after the other: pause, window, gate, child workflow, and what is decided about a failure. */
import { ApplicationFailure } from '@temporalio/common';
import { type CancellationScope, isCancellation } from '@temporalio/workflow';
import type { Skipped } from '../../domain/core/findings.ts';
import type { RetryMode } from '../../domain/run/failure-causes.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { changesSomething } from '../../domain/core/phases.ts';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { PlanWindows } from '../../domain/policy/windows.ts';
import { runData } from '../../domain/run/events/data.ts';
import { captureRollbackPoint } from './capture-rollback-point.ts';
import { decideFailure } from '../gates/failure-gate.ts';
import type { FreezeHold } from './freeze-guard.ts';
import { approvalGate } from '../gates/approval-gate.ts';
import type { Gatekeeper } from '../gates/gatekeeper.ts';
import type { SlowSteps } from '../watch/slow-steps.ts';
import { goBackChoices } from '../gates/rollback-choice.ts';
import { abortedToGoBack, GO_BACK } from '../messages/choices.ts';
import { stepFailed } from '../messages/failures.ts';
import { approvedWithRing } from '../messages/campaigns.ts';
import { nobodyApproved, stepRejected, waitingForDecision } from '../messages/gates.ts';
import { failedAndUndecided, failedBeforeAbort, skippedBefore, stepCancelled, stepSkipped } from '../messages/run.ts';
import type { ChildProgress } from '../contract/messages.ts';
import { firstNote } from '../reporting/first-note.ts';
import { rollForecast } from '../watch/roll-forecast.ts';
import type { RunHealth } from '../watch/run-health.ts';
import { untilResumed } from './pause.ts';
import { runStep } from './run-step.ts';
import { skippedStep } from './skipped-step.ts';
import { StepReady } from './step-ready.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';
import type { RunWindows } from './run-windows.ts';
import { setKeywords } from '../contract/search-attributes.ts';
import type { RollbackCheck } from '../watch/unrequested-rollback.ts';
import { StopRun } from '../runtime/stop-run.ts';
import type { ClusterWatch } from '../watch/cluster-watch.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';
import type { RollbackWindowStart } from '../watch/rollback-window-start.ts';
import type { CampaignRun } from '../../domain/plan/campaign/types.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { PhaseResult } from '../contract/phase.ts';
import { chosenAbort } from '../runtime/chosen-abort.ts';
import { asPhaseFailure, isReplaced } from '../runtime/phase-failure.ts';
import { defined } from '../../domain/core/defined.ts';

export interface RunStepsDeps {
  cluster: ClusterRef;
  policy: UpgradePolicy;
  plan: UpgradePlan;
  progress: UpgradeProgress;
  voice: RunNotifier;
  gates: Gatekeeper;
  freeze: FreezeHold;
  late: SlowSteps;
  wayBack: RollbackWindowStart;
  /** Cancelled by an abort. */
  story: CancellationScope;
  /** Absent: no step waits for one. */
  windows: RunWindows | undefined;
  /** As they were when the plan was made. */
  planWindows: PlanWindows | undefined;
  /** Absent without health checks. */
  health: RunHealth | undefined;
  /** Absent where nobody looks at the cluster's own state. */
  trouble: ClusterWatch | undefined;
  rollbackCheck: RollbackCheck;
  /** What was learnt before the first step, for the first gate. */
  evidence: GateEvidence[];
  /** The campaign's ring whose approval stands for the first gate. */
  coveredBy: CampaignRun | undefined;
  /** What a step tells its run. */
  told: (progress: ChildProgress) => void;
  /** Never returns. */
  abort: (actor: Actor, reason: string) => never;
}

export class RunSteps {
  readonly #of: RunStepsDeps;
  readonly #ready: StepReady;
  #captured = false;
  /** What people left as it is, of all steps so far. */
  readonly #skipped: Skipped[] = [];
  /** What the last steps learnt, shown at the next gate. */
  #evidence: GateEvidence[];

  constructor(deps: RunStepsDeps) {
    this.#of = deps;
    this.#evidence = deps.evidence;
    this.#ready = new StepReady(deps);
  }

  get planned(): readonly PlannedStep[] {
    return this.#of.plan.steps;
  }

  /** Before anything is changed. A run does not stop for it: the thread says what going back will lack. `again`: in the place of one that is old by now. */
  async #capture(again?: true): Promise<void> {
    const { cluster, policy, progress, voice } = this.#of;
    this.#captured = true;
    const { runId, startedAt } = progress.status;
    const input = { cluster, policy, run: { runId, startedAt }, ...defined({ again }) };
    const point = await captureRollbackPoint(input, (note) => {
      if (progress.rollbackPoint === undefined) voice.note(note);
    });
    progress.rollbackPoint = point ?? progress.rollbackPoint;
  }

  /** The environment before this one has baked, and a window is open; before anything is done. */
  async untilAllowed(): Promise<void> {
    const { windows, plan, planWindows } = this.#of;
    if (windows === undefined) return;
    const seen = await windows.beforeRun(plan, planWindows);
    this.#evidence = [...seen, ...this.#evidence];
  }

  untilResumed(step: PlannedStep): Promise<void> {
    return untilResumed(this.#of.progress, this.#of.voice, step);
  }

  /** Reject and expiry stop before the step. */
  async passGate(step: PlannedStep): Promise<void> {
    if (step.gate === undefined) return;
    const { coveredBy, plan, voice } = this.#of;
    if (coveredBy !== undefined && step === plan.steps[0]) return voice.note(approvedWithRing(step.title, coveredBy));
    const forecast = await rollForecast(step, this.#of.cluster, this.#of.policy);
    const descent = await this.#of.rollbackCheck.evidence(step);
    const seen = [...descent, ...forecast, ...(this.#of.trouble?.evidence() ?? []), ...this.#evidence];
    const request = approvalGate(step, seen, this.#of.progress.status);
    this.#of.voice.say('waiting', waitingForDecision(request.title));
    const state = await this.#of.gates.ask(request);
    if (state.kind === 'expired') throw new StopRun('stopped', nobodyApproved(request.id, step.title));
    if (state.kind !== 'decided' || state.decision.choice !== 'approve') {
      throw new StopRun('stopped', stepRejected(step.title, state.kind === 'decided' ? state.decision.actor : undefined));
    }
    this.#evidence = [];
    // A pause that came while the gate was open holds the step, not the decision.
    if (this.#of.progress.status.pauseRequested) await this.untilResumed(step);
  }

  /** The step's child workflow, again after each Retry, until it is done, skipped, or the run ends. */
  async perform(step: PlannedStep): Promise<void> {
    const isFirstChange = changesSomething(step.phase) && !this.#captured;
    if (isFirstChange) await this.#capture();
    this.#of.trouble?.begin(step);
    let mode: RetryMode | undefined;
    for (let round = 1; ; round += 1) {
      const { health, rollbackCheck } = this.#of;
      const hasWaited = await this.#ready.until(step);
      // Others may have changed the cluster meanwhile.
      if (isFirstChange && hasWaited && round === 1) await this.#capture(true);
      setKeywords(this.#of.policy, { BelayPhase: step.phase });
      this.#of.progress.step(step.id, 'running', new Date(), firstNote(step));
      this.#of.voice.say('running', step.title);
      let ended: PhaseResult | undefined;
      try {
        await rollbackCheck.before(step);
        const { policy, plan } = this.#of;
        const { status } = this.#of.progress;
        const start = (): Promise<PhaseResult> =>
          runStep(step, round, {
            cluster: this.#of.cluster,
            asks: status,
            policy,
            plan,
            freeze: this.#of.freeze,
            ...(policy.deliveries === undefined ? {} : { run: runData(status, status) }),
            windowWaived: this.#ready.windowWaived,
            alertsWaived: health?.waives(step) === true,
            mode,
            skipped: this.#skipped,
            told: this.#of.told,
            tell: (note) => this.#of.voice.note(note),
          }).then((result) => (ended = result));
        const watched = (): Promise<PhaseResult> => (health === undefined ? start() : health.guarding(step, start));
        const result = await this.#of.late.during(step, policy, watched);
        if (result.freezeLifted === true) this.#of.freeze.lifted();
        this.#skipped.push(...(result.skipped ?? []));
        await this.#completed(step, result);
        this.#evidence = [...this.#evidence, ...(result.evidence ?? [done(step, result.summary)])].slice(-6);
        this.#of.voice.board();
        return;
      } catch (error) {
        if (this.#of.story.consideredCancelled || health?.ended(error) === true) {
          // A step that was done before is done, whatever ends the run: by those the report says what is to be changed in Git.
          if (ended === undefined) this.#of.progress.step(step.id, 'aborted', new Date());
          else await this.#completed(step, ended).catch(() => undefined);
          throw error;
        }
        const chosen = chosenAbort(error);
        if (chosen !== undefined) {
          this.#of.progress.step(step.id, 'aborted', new Date());
          return this.#of.abort(chosen.actor, chosen.reason);
        }
        mode = await this.#retryAfter(step, round, await rollbackCheck.behind(step, error));
        if (mode === undefined) return;
      }
      // People pause to look into a failure, too.
      await this.untilResumed(step);
    }
  }

  async #completed(step: PlannedStep, result: PhaseResult): Promise<void> {
    const { progress, wayBack, policy, plan } = this.#of;
    progress.step(step.id, 'completed', new Date(), result.summary, result.held);
    await wayBack.after(step, result, { status: progress.status, policy, plan });
  }

  /** Asks how to run a failed step once more; undefined: continue without it. */
  async #retryAfter(step: PlannedStep, round: number, error: unknown): Promise<RetryMode | undefined> {
    const failure = isCancellation(error)
      ? ApplicationFailure.nonRetryable(stepCancelled(step.title), 'PhaseFailed')
      : asPhaseFailure(step.title, error);
    this.#of.progress.step(step.id, 'failed', new Date(), failure.message);
    this.#of.voice.say('waiting', stepFailed(step.title, failure.message));
    if (isReplaced(failure)) throw new StopRun('stopped', failure.message);
    // A control plane that has failed to move is where it was: what there is to take back is an earlier hop.
    const back = goBackChoices(this.#of.progress.status, Date.now());
    const seen = this.#of.trouble?.evidence() ?? [];
    const { state, mode } = await decideFailure(this.#of.gates, step, round, failure, { back, seen });
    if (state.kind === 'expired') throw new StopRun('stopped', failedAndUndecided(step.title, failure.message));
    const decision = state.kind === 'decided' ? state.decision : undefined;
    if (mode !== undefined) return mode;
    if (decision?.choice === 'skip') {
      this.#of.progress.step(step.id, 'skipped', new Date(), stepSkipped(decision.reason));
      const skipped = skippedStep(step, decision);
      if (skipped !== undefined) this.#skipped.push(skipped);
      this.#evidence.push({ title: skippedBefore(step.title), lines: [decision.reason ?? ''], verdict: 'attention' });
      return undefined;
    }
    this.#of.progress.step(step.id, 'aborted', new Date());
    const { progress, abort } = this.#of;
    const why = failedBeforeAbort(step.title);
    if (decision?.choice !== GO_BACK) return abort(decision?.actor ?? progress.status.requestedBy, why);
    progress.wantBack(decision.actor);
    return abort(decision.actor, abortedToGoBack(decision.reason ?? why, progress.status.cluster.name));
  }
}

/** A step that has ended as planned and has nothing more to say. */
const done = ({ title }: PlannedStep, summary: string): GateEvidence => ({ title, lines: [summary], verdict: 'clear' });
