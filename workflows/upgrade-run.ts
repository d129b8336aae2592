/** What the parent does at each line of its story: policy, plan, gates, steps as children, and one way out for every ending. */
import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { startWords } from '../domain/binding.ts';
import type { RetryMode } from '../domain/failure-causes.ts';
import { type Actor, actorName, type DecisionReply, type GateEvidence } from '../domain/gate.ts';
import type { PlannedStep, UpgradePlan } from '../domain/plan/types.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import type { UpgradeReport } from '../domain/status.ts';
import type { PlanWindows } from '../domain/windows.ts';
import { configActivities, type PhaseActivities, phaseActivities } from './activity-proxies.ts';
import { type ApprovalContext, claimOf, readRight } from './approver-right.ts';
import { decideFailure } from './failure-gate.ts';
import { FreezeHold } from './freeze-hold.ts';
import { gateBefore } from './gate-before.ts';
import { Gatekeeper } from './gates.ts';
import { stepWorkflowId } from './ids.ts';
import { LateSteps } from './late-steps.ts';
import {
  areYouThere,
  childProgress,
  type ControlInput,
  freezeChanged,
  type HandOverInput,
  requestersChanged,
  type UpgradeInput,
  upgradeStatus,
} from './messages.ts';
import { openingWords } from './opening-words.ts';
import { asPhaseFailure, type PhaseResult } from './phase.ts';
import { inspectAndPlan } from './plan-upgrade.ts';
import { planEvidence } from './plan-words.ts';
import { WayBackWatch } from './rollback-window.ts';
import { RunAudit } from './run-audit.ts';
import { RunHealth } from './run-health.ts';
import { installControl } from './run-control.ts';
import { installPace } from './run-pace.ts';
import { makeReport, writeRecord } from './run-report.ts';
import { runStep } from './run-step.ts';
import { RunVoice } from './run-voice.ts';
import { RunWindows } from './run-windows.ts';
import { rollForecast } from './roll-forecast.ts';
import { StopRun } from './stop-run.ts';
import { tellIfAlive } from './tell-workflow.ts';
import { UpgradeProgress } from './upgrade-state.ts';

const keyword = (name: string): ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>> =>
  defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export class UpgradeRun {
  readonly #input: UpgradeInput;
  readonly #progress: UpgradeProgress;
  readonly #gates = new Gatekeeper();
  readonly #story = new CancellationScope();
  readonly #freeze: FreezeHold;
  #policy: UpgradePolicy | undefined;
  #activities: PhaseActivities | undefined;
  readonly #voice: RunVoice;
  readonly #audit = new RunAudit();
  readonly #late: LateSteps;
  readonly #wayBack = new WayBackWatch();
  #plan: UpgradePlan | undefined;
  #planWindows: PlanWindows | undefined;
  #windows: RunWindows | undefined;
  /** Absent in runs that were recorded before there was any: their commands are in the order of then. */
  #health: RunHealth | undefined;
  /** People let this step begin outside the windows. */
  #windowWaived = false;
  /** What the last steps learnt, shown at the next gate. */
  #evidence: GateEvidence[] = [];
  #outcome: UpgradeReport['outcome'] = 'completed';
  #cancelled = false;

  constructor(input: UpgradeInput) {
    const info = workflowInfo();
    this.#input = input;
    this.#progress = new UpgradeProgress(input, { workflowId: info.workflowId, runId: info.runId, startedAt: info.startTime });
    this.#voice = new RunVoice(this.#progress);
    this.#late = new LateSteps(this.#progress, this.#voice);
    this.#freeze = new FreezeHold(info.workflowId, this.#progress);
    this.#install();
  }

  #install(): void {
    this.#gates.install();
    this.#audit.install();
    setHandler(upgradeStatus, () => this.#progress.status);
    setHandler(childProgress, (progress) => {
      this.#progress.child(progress, new Date());
      for (const { key, notification } of progress.say ?? []) this.#voice.tell(key, notification);
      for (const event of progress.audit ?? []) this.#audit.note(event);
      this.#voice.board();
    });
    setHandler(freezeChanged, () => undefined);
    setHandler(areYouThere, () => undefined);
    const told = this.#audit.command.bind(this.#audit);
    installControl(
      () => this.#approval,
      {
        pause: ({ actor }) => this.#steer(() => this.#progress.requestPause(actor)),
        resume: ({ actor }) => this.#steer(() => this.#progress.requestResume(actor)),
        abort: (input) => this.#steer(() => this.#abort(input)),
        handOver: (actor, input) => this.#handOver(actor, input),
        refused: (words) => this.#voice.warn(words),
      },
      told,
    );
    installPace(() => this.#approval, this.#progress.status, told);
    this.#progress.onStep = (step, state, note) => this.#audit.step(step, state, note);
  }

  /** Runs the story; whatever ends it becomes an outcome. */
  async tell(story: () => Promise<void>): Promise<void> {
    try {
      await this.#story.run(story);
      const late = this.#progress.abort === undefined ? '' : '; the abort came when nothing was left to stop';
      this.#finish('completed', `${this.#input.cluster.name} is at ${this.#progress.status.to}${late}`);
    } catch (error) {
      if (error instanceof StopRun) return this.#finish(error.outcome, error.message);
      if (this.#progress.abort !== undefined) {
        const { actor, reason } = this.#progress.abort;
        return this.#finish('aborted', `Aborted by ${actorName(actor)}${because(reason)}`);
      }
      if (isCancellation(error)) {
        this.#cancelled = true;
        return this.#finish('aborted', 'Cancelled in Temporal');
      }
      this.#finish('failed', asPhaseFailure('Upgrade', error).message);
    }
  }

  async readPolicy(): Promise<void> {
    const { cluster } = this.#input;
    const policy = await configActivities.loadPolicy({ cluster });
    const { workflowId } = workflowInfo();
    this.#policy = policy;
    this.#activities = phaseActivities(policy.timing);
    const announcer = this.#voice.start(policy, (notification) => this.#audit.stamp(notification));
    const { proof } = this.#input;
    if (proof !== undefined) await this.#knowRequester(policy, proof);
    const { status } = this.#progress;
    const asked = { ...this.#input, requestedBy: status.requestedBy };
    if (policy.audit === true) this.#audit.start(asked, workflowInfo().runId, (text) => announcer.note(text, { level: 'alarm' }));
    this.#gates.attach({
      workflowId,
      cluster,
      policy,
      get requestedBy() {
        return status.requestedBy;
      },
      get formerly() {
        return status.formerly;
      },
      announcer,
      planHash: () => this.#progress.status.planHash,
      audit: (event) => this.#audit.note(event),
      onChange: (state) => {
        this.#progress.gate(state);
        this.#voice.board();
      },
    });
    const deps = {
      gates: this.#gates,
      policy,
      activities: this.#activities,
      say: (headline: string) => this.#voice.say('waiting', headline),
      abort: (actor: Actor, reason: string): never => this.#abortAtGate(actor, reason),
    };
    this.#windows = new RunWindows(deps);
    if (policy.health !== undefined) this.#health = new RunHealth({ ...deps, workflowId, warn: (text) => this.#voice.warn(text) });
    this.#voice.board();
  }

  /** Who asked by command line is a person whom Slack knows as well: four eyes are theirs, wherever they act. */
  async #knowRequester(policy: UpgradePolicy, proof: string): Promise<void> {
    const { cluster, requestedBy } = this.#input;
    const words = startWords(workflowInfo().workflowId, this.#input);
    const right = await readRight({ cluster, policy, requestedBy }, requestedBy, 'it could not be read.', claimOf(proof, words));
    if (right.person !== undefined) this.#progress.status.requestedBy = right.person;
    else this.#voice.warn(`Who asked for this upgrade is not verified: ${right.why}`);
  }

  async makePlan(): Promise<UpgradePlan> {
    const { cluster, target } = this.#input;
    const { requestedBy } = this.#progress.status;
    const policy = this.#require(this.#policy);
    upsertSearchAttributes([
      { key: keyword('BelayCluster'), value: cluster.name },
      { key: keyword('BelayEnvironment'), value: policy.environment },
      { key: keyword('BelayTarget'), value: target },
      { key: keyword('BelayRequestedBy'), value: requestedBy.id },
      { key: keyword('BelayPhase'), value: 'planning' },
    ]);
    setCurrentDetails(`Reading cluster **${cluster.name}** and planning the way to **${target}**.`);
    const result = await inspectAndPlan(this.#require(this.#activities), this.#input, policy);
    if (result.kind === 'refused') {
      const lines = result.violations.map((v) => `${v.rule}: ${v.message} Remedy: ${v.remedy}`);
      this.#voice.warn(`The plan was refused:\n${lines.map((line) => `• ${line}`).join('\n')}`);
      throw new StopRun('refused', lines[0] ?? 'The plan was refused');
    }
    this.#plan = result.plan;
    this.#planWindows = result.windows;
    this.#progress.usePlan(result.plan);
    this.#audit.planned(result.plan);
    this.#voice.tell('plan', result);
    this.#evidence = [...planEvidence(result.plan), ...(this.#health?.usePlan(result.health) ?? [])];
    this.#voice.board();
    return result.plan;
  }

  /** Runs that were recorded before there were windows do not even wait for an answer that is known: their commands are in the order of then. A way back waits for no window: people ask for it in trouble. */
  get hasWindows(): boolean {
    return this.#policy?.windows !== undefined && this.#input.back !== true;
  }

  /** The environment before this one has baked, and a window is open; before anything is done. */
  async untilAllowed(plan: UpgradePlan): Promise<void> {
    const seen = await this.#require(this.#windows).beforeRun(plan, this.#planWindows);
    this.#evidence = [...seen, ...this.#evidence];
  }

  /** No step that changes something begins outside the windows, or in one that would close before its end. */
  async #untilWindow(step: PlannedStep): Promise<void> {
    const judge = this.#health?.windowJudge(step);
    const { parked, waived } = await this.#require(this.#windows).before(step, this.#require(this.#plan), judge);
    this.#windowWaived = waived;
    if (parked) await this.untilResumed(step);
  }

  async untilResumed(step: PlannedStep): Promise<void> {
    if (!this.#progress.status.pauseRequested) return;
    this.#voice.say('paused', `Paused before "${step.title}"`);
    await condition(() => !this.#progress.status.pauseRequested);
    this.#voice.say('running', 'Resumed');
  }

  /** Reject and expiry stop before the step. */
  async passGate(step: PlannedStep): Promise<void> {
    if (step.gate === undefined) return;
    const forecast = await rollForecast(step, this.#input.cluster, this.#require(this.#policy));
    const request = gateBefore(step, [...forecast, ...this.#evidence], this.#progress.status);
    this.#voice.say('waiting', `Waiting for a decision: ${request.title}`);
    const state = await this.#gates.ask(request);
    if (state.kind === 'expired') throw new StopRun('stopped', `Nobody decided at ${request.id} in time, so ${step.title} did not start`);
    if (state.kind !== 'decided' || state.decision.choice !== 'approve') {
      const by = state.kind === 'decided' ? ` by ${actorName(state.decision.actor)}` : '';
      throw new StopRun('stopped', `${step.title} was rejected${by}`);
    }
    this.#evidence = [];
    // A pause that came while people decided holds the step, not their decision.
    if (this.#progress.status.pauseRequested && patched('pause-after-gate')) await this.untilResumed(step);
  }

  /** The step's child workflow, again after each Retry, until it is done, skipped, or the run ends. */
  async perform(step: PlannedStep): Promise<void> {
    let mode: RetryMode | undefined;
    for (let round = 1; ; round += 1) {
      if (this.hasWindows) await this.#untilWindow(step);
      if (this.#health !== undefined && (await this.#health.before(step)) && this.hasWindows) await this.#untilWindow(step);
      upsertSearchAttributes([{ key: keyword('BelayPhase'), value: step.phase }]);
      this.#progress.step(step.id, 'running', new Date(), openingWords(step));
      this.#voice.say('running', step.title);
      try {
        const [policy, plan] = [this.#require(this.#policy), this.#require(this.#plan)];
        const start = (): Promise<PhaseResult> =>
          runStep(step, round, {
            cluster: this.#input.cluster,
            requestedBy: this.#progress.status.requestedBy,
            formerly: this.#progress.status.formerly,
            policy,
            plan,
            freeze: this.#freeze,
            windowWaived: this.#windowWaived,
            mode,
          });
        const watched = (): Promise<PhaseResult> => (this.#health === undefined ? start() : this.#health.guarding(step, start));
        const result = await this.#late.during(step, policy, watched);
        this.#progress.step(step.id, 'completed', new Date(), result.summary);
        await this.#wayBack.after(step, result, { status: this.#progress.status, policy, plan });
        this.#evidence = [...this.#evidence, ...(result.evidence ?? [{ title: step.title, lines: [result.summary] }])].slice(-6);
        this.#voice.board();
        return;
      } catch (error) {
        if (this.#story.consideredCancelled || this.#health?.ended(error) === true) {
          this.#progress.step(step.id, 'aborted', new Date());
          throw error;
        }
        mode = await this.#retryAfter(step, round, error);
        if (mode === undefined) return;
      }
      // People pause to look into a failure, too.
      await this.untilResumed(step);
    }
  }

  /** After a failure people decide: how to run the step once more; undefined means go on without it. */
  async #retryAfter(step: PlannedStep, round: number, error: unknown): Promise<RetryMode | undefined> {
    const failure = isCancellation(error)
      ? ApplicationFailure.nonRetryable(`${step.title}: its workflow was cancelled from outside`, 'PhaseFailed')
      : asPhaseFailure(step.title, error);
    this.#progress.step(step.id, 'failed', new Date(), failure.message);
    this.#voice.say('waiting', `${step.title} failed: ${failure.message}`);
    const { state, mode } = await decideFailure(this.#gates, step, round, failure);
    if (state.kind === 'expired') throw new StopRun('stopped', `${step.title} failed and nobody decided in time: ${failure.message}`);
    const decision = state.kind === 'decided' ? state.decision : undefined;
    if (mode !== undefined) return mode;
    if (decision?.choice === 'skip') {
      this.#progress.step(step.id, 'skipped', new Date(), `skipped: ${decision.reason ?? ''}`);
      this.#evidence.push({ title: `${step.title} was skipped`, lines: [decision.reason ?? ''] });
      return undefined;
    }
    this.#progress.step(step.id, 'aborted', new Date());
    return this.#abortAtGate(decision?.actor ?? this.#progress.status.requestedBy, `${step.title} failed`);
  }

  #abortAtGate(actor: Actor, reason: string): never {
    this.#progress.abort ??= { actor, reason };
    throw new CancelledFailure('aborted at a gate');
  }

  /** One way out for every ending: freeze settled, record written, people told. */
  async close(): Promise<UpgradeReport> {
    const report = await CancellationScope.nonCancellable(() => this.#closeDown());
    if (this.#cancelled) throw new CancelledFailure(report.status.headline);
    if (report.outcome === 'failed')
      throw ApplicationFailure.create({ message: report.status.headline, type: 'UpgradeFailed', nonRetryable: true, details: [report] });
    return report;
  }

  async #closeDown(): Promise<UpgradeReport> {
    const policy = this.#policy;
    const freezeProblem = policy === undefined ? undefined : await this.#freeze.settle(this.#progress.status.headline, policy.timing);
    this.#progress.end(this.#outcome, this.#progress.status.headline, new Date());
    const report = makeReport(this.#progress, { outcome: this.#outcome, gates: this.#gates.states, freezeProblem });
    await this.#wayBack.start();
    await this.#audit.close(report);
    this.#voice.report = report;
    const { asked } = this.#progress;
    if (this.#activities !== undefined)
      await writeRecord(this.#activities, {
        cluster: this.#input.cluster,
        report,
        plan: this.#plan,
        ...(asked.all.length === 0 ? {} : { asked: asked.all }),
      });
    this.#voice.board();
    this.#voice.tell('report', { kind: 'report', report });
    await this.#voice.finish();
    await condition(allHandlersFinished);
    return report;
  }

  #finish(outcome: UpgradeReport['outcome'], headline: string): void {
    this.#outcome = outcome;
    this.#progress.ending = true;
    this.#voice.say(outcome === 'completed' ? 'running' : 'waiting', headline);
  }

  get #approval(): ApprovalContext | undefined {
    const { cluster } = this.#input;
    const { requestedBy, formerly } = this.#progress.status;
    return this.#policy === undefined ? undefined : { cluster, requestedBy, formerly, policy: this.#policy };
  }

  #steer(act: () => DecisionReply): DecisionReply {
    const reply = act();
    this.#voice.board();
    return reply;
  }

  /** Steps that run ask as well who may decide at their gates: they are told. */
  async #handOver(actor: Actor, { to, reason }: HandOverInput): Promise<DecisionReply> {
    const { reply, changed } = this.#progress.handOver(actor, to);
    if (!changed) return reply;
    const { status } = this.#progress;
    upsertSearchAttributes([{ key: keyword('BelayRequestedBy'), value: to.id }]);
    this.#voice.mention(`${actorName(actor)} hands this upgrade over${because(reason)}. Four eyes hold for both.`, to);
    this.#voice.board();
    const requesters = { requestedBy: to, formerly: status.formerly ?? [] };
    const running = status.steps.filter(({ state }) => state === 'running' || state === 'waiting');
    const steps = running.map(({ id }) => stepWorkflowId(status.workflowId, id));
    const guard = this.#freeze.guard;
    for (const id of new Set([...steps, ...(guard === undefined ? [] : [guard])])) await tellIfAlive(id, requestersChanged, requesters);
    return reply;
  }

  #abort(input: ControlInput): DecisionReply {
    const reply = this.#progress.requestAbort(input);
    if (reply.accepted) {
      this.#voice.warn(`Abort requested by ${actorName(input.actor)}${because(input.reason)}.`);
      this.#story.cancel();
    }
    return reply;
  }

  #require<T>(value: T | undefined): T {
    if (value === undefined) throw ApplicationFailure.nonRetryable('reading the policy must come first', 'Unknown');
    return value;
  }
}

const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);
