/** What the parent does at each line of its story: policy, plan, gates, steps as children, and one way out for every ending. */
import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { DecisionReply, GateChoice, GateEvidence, GateState } from '../domain/gate.ts';
import type { PlannedStep, UpgradePlan } from '../domain/plan/types.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import type { UpgradeReport } from '../domain/status.ts';
import { approverActivities, configActivities, type PhaseActivities, phaseActivities } from './activity-proxies.ts';
import { Announcer } from './announcer.ts';
import { FreezeHold } from './freeze-hold.ts';
import { CHOICES, Gatekeeper } from './gates.ts';
import { gateId, stepWorkflowId } from './ids.ts';
import {
  abortRequested,
  abortUpgrade,
  childProgress,
  type ControlInput,
  freezeChanged,
  pauseRequested,
  pauseUpgrade,
  resumeRequested,
  resumeUpgrade,
  type UpgradeInput,
  upgradeStatus,
} from './messages.ts';
import { openingWords } from './opening-words.ts';
import { asPhaseFailure, type PhaseInput, type PhaseResult, rootCause } from './phase.ts';
import { PHASE_WORKFLOWS } from './phases/index.ts';
import { runDetails } from './story.ts';
import { gateUndoText, planEvidence, undoText } from './plan-words.ts';
import { handOver } from './tell-later.ts';
import { UpgradeProgress } from './upgrade-state.ts';

const keyword = (name: string): ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>> =>
  defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
/** How long the end of a run may wait until Slack has its last words. */
const LAST_WORDS_MS = 60_000;

/** Ends the story before its last line. */
class StopRun extends Error {
  readonly outcome: 'stopped' | 'refused';
  constructor(outcome: 'stopped' | 'refused', message: string) {
    super(message);
    this.outcome = outcome;
  }
}

export class UpgradeRun {
  readonly #input: UpgradeInput;
  readonly #progress: UpgradeProgress;
  readonly #gates = new Gatekeeper();
  readonly #story = new CancellationScope();
  readonly #freeze: FreezeHold;
  #policy: UpgradePolicy | undefined;
  #activities: PhaseActivities | undefined;
  #announcer: Announcer | undefined;
  #plan: UpgradePlan | undefined;
  /** What the last steps learnt, shown at the next gate. */
  #evidence: GateEvidence[] = [];
  #outcome: UpgradeReport['outcome'] = 'completed';
  #cancelled = false;
  #report: UpgradeReport | undefined;

  constructor(input: UpgradeInput) {
    const info = workflowInfo();
    this.#input = input;
    this.#progress = new UpgradeProgress(input, { workflowId: info.workflowId, runId: info.runId, startedAt: info.startTime });
    this.#freeze = new FreezeHold(info.workflowId, this.#progress);
    this.#install();
  }

  #install(): void {
    this.#gates.install();
    setHandler(upgradeStatus, () => this.#progress.status);
    setHandler(childProgress, (progress) => {
      this.#progress.child(progress);
      for (const { key, notification } of progress.say ?? []) this.#announcer?.say(key, notification);
      this.#board();
    });
    setHandler(freezeChanged, () => undefined);
    const pause = (input: ControlInput): Promise<DecisionReply> => this.#control(input, () => this.#progress.requestPause(input.actor));
    const resume = (input: ControlInput): Promise<DecisionReply> => this.#control(input, () => this.#progress.requestResume(input.actor));
    const abort = (input: ControlInput): Promise<DecisionReply> => this.#control(input, () => this.#abort(input));
    setHandler(pauseUpgrade, pause);
    setHandler(resumeUpgrade, resume);
    setHandler(abortUpgrade, abort);
    setHandler(pauseRequested, async (input) => void (await pause(input)));
    setHandler(resumeRequested, async (input) => void (await resume(input)));
    setHandler(abortRequested, async (input) => void (await abort(input)));
  }

  /** Runs the story; whatever ends it becomes an outcome. */
  async tell(story: () => Promise<void>): Promise<void> {
    try {
      await this.#story.run(story);
      this.#finish('completed', `${this.#input.cluster.name} is at ${this.#progress.status.to}`);
    } catch (error) {
      if (error instanceof StopRun) return this.#finish(error.outcome, error.message);
      if (this.#progress.abort !== undefined) {
        const { actor, reason } = this.#progress.abort;
        return this.#finish('aborted', `Aborted by ${actor.name ?? actor.id}${reason === undefined ? '' : `: ${reason}`}`);
      }
      if (isCancellation(error)) {
        this.#cancelled = true;
        return this.#finish('aborted', 'Cancelled in Temporal');
      }
      this.#finish('failed', asPhaseFailure('Upgrade', error).message);
    }
  }

  async readPolicy(): Promise<void> {
    const { cluster, requestedBy } = this.#input;
    const policy = await configActivities.loadPolicy({ cluster });
    const { workflowId, runId } = workflowInfo();
    this.#policy = policy;
    this.#activities = phaseActivities(policy.timing);
    this.#announcer = new Announcer({
      upgrade: { workflowId, runId },
      channel: policy.channel,
      boardEditMs: policy.timing.boardEditMs,
      notePrefix: 'run',
    });
    this.#announcer.start();
    this.#gates.attach({
      workflowId,
      cluster,
      policy,
      requestedBy,
      announcer: this.#announcer,
      onChange: (state) => {
        this.#progress.gate(state.gate, state.kind === 'open');
        this.#board();
      },
    });
    this.#board();
  }

  async makePlan(): Promise<UpgradePlan> {
    const { cluster, target, requestedBy } = this.#input;
    const policy = this.#require(this.#policy);
    upsertSearchAttributes([
      { key: keyword('BelayCluster'), value: cluster.name },
      { key: keyword('BelayEnvironment'), value: policy.environment },
      { key: keyword('BelayTarget'), value: target },
      { key: keyword('BelayRequestedBy'), value: requestedBy.id },
      { key: keyword('BelayPhase'), value: 'planning' },
    ]);
    setCurrentDetails(`Reading cluster **${cluster.name}** and planning the way to **${target}**.`);
    const result = await this.#require(this.#activities).survey.makePlan.executeWithOptions({ summary: `Inspect and plan → ${target}` }, [
      { cluster, target, strategy: this.#input.strategy ?? policy.strategy, policy },
    ]);
    if (result.kind === 'refused') {
      const lines = result.violations.map((v) => `${v.rule}: ${v.message} Remedy: ${v.remedy}`);
      this.#announcer?.note(`The plan was refused:\n${lines.map((line) => `• ${line}`).join('\n')}`, { level: 'warning' });
      throw new StopRun('refused', lines[0] ?? 'The plan was refused');
    }
    this.#plan = result.plan;
    this.#progress.usePlan(result.plan);
    this.#announcer?.say('plan', { kind: 'plan', plan: result.plan });
    this.#evidence = planEvidence(result.plan);
    this.#board();
    return result.plan;
  }

  async untilResumed(step: PlannedStep): Promise<void> {
    if (!this.#progress.status.pauseRequested) return;
    this.#say('paused', `Paused before "${step.title}"`);
    await condition(() => !this.#progress.status.pauseRequested);
    this.#say('running', 'Resumed');
  }

  /** Reject and expiry stop before the step. */
  async passGate(step: PlannedStep): Promise<void> {
    if (step.gate === undefined) return;
    const id = gateId('before', step.id, 1);
    const title = step.gate.title ?? `${step.title}?`;
    this.#say('waiting', `Waiting for a decision: ${title}`);
    const state = await this.#gates.ask({
      id,
      step: step.id,
      title,
      next: step.gate.next,
      evidence: this.#evidence,
      undo: gateUndoText(step),
      choices: [CHOICES.approve, this.#reject()],
    });
    if (state.kind === 'expired') throw new StopRun('stopped', `Nobody decided at ${id} in time, so ${step.title} did not start`);
    if (state.kind !== 'decided' || state.decision.choice !== 'approve') {
      const by = state.kind === 'decided' ? ` by ${state.decision.actor.name ?? state.decision.actor.id}` : '';
      throw new StopRun('stopped', `${step.title} was rejected${by}`);
    }
    this.#evidence = [];
  }

  /** Says what becomes of the freeze: once a control plane has moved, lifting it is not what stopping may do unasked. */
  #reject(): GateChoice {
    const { steps, freeze } = this.#progress.status;
    const moved = steps.some(({ id, state }) => id.startsWith('control-plane@') && state === 'completed');
    return moved && freeze.state !== 'none' && freeze.state !== 'lifted'
      ? {
          ...CHOICES.reject,
          does: 'Stops the upgrade here. The freeze stays while nodes lag behind the control plane; you are asked what to do with it.',
        }
      : CHOICES.reject;
  }

  /** The step's child workflow, again after each Retry, until it is done, skipped, or the run ends. */
  async perform(step: PlannedStep): Promise<void> {
    for (let round = 1; ; round += 1) {
      upsertSearchAttributes([{ key: keyword('BelayPhase'), value: step.phase }]);
      this.#progress.step(step.id, 'running', new Date(), openingWords(step));
      this.#say('running', step.title);
      try {
        const result = await this.#runStep(step, round);
        this.#progress.step(step.id, 'completed', new Date(), result.summary);
        this.#evidence = [...this.#evidence, ...(result.evidence ?? [{ title: step.title, lines: [result.summary] }])].slice(-6);
        this.#board();
        return;
      } catch (error) {
        if (this.#story.consideredCancelled) {
          this.#progress.step(step.id, 'aborted', new Date());
          throw error;
        }
        if (await this.#skipAfter(step, round, error)) return;
      }
      // People pause to look into a failure, too.
      await this.untilResumed(step);
    }
  }

  /** After a failure people decide: true means go on without the step, false means once more. */
  async #skipAfter(step: PlannedStep, round: number, error: unknown): Promise<boolean> {
    const failure = isCancellation(error)
      ? ApplicationFailure.nonRetryable(`${step.title}: its workflow was cancelled from outside`, 'PhaseFailed')
      : asPhaseFailure(step.title, error);
    this.#progress.step(step.id, 'failed', new Date(), failure.message);
    this.#say('waiting', `${step.title} failed: ${failure.message}`);
    // A skipped control plane would leave the rest of the hop without a meaning.
    const skippable = step.phase !== 'control-plane';
    const state = await this.#gates.ask({
      id: gateId('failed', step.id, round),
      step: step.id,
      title: `${step.title} failed`,
      next: 'Retry runs the step again; what is done already is found and not done twice.',
      evidence: [{ title: 'What happened', lines: [failure.message] }, ...evidenceOf(failure)].slice(0, 6),
      undo: undoText(step),
      choices: skippable ? [CHOICES.retry, skipChoice(step), CHOICES.abort] : [CHOICES.retry, CHOICES.abort],
    });
    if (state.kind === 'expired') throw new StopRun('stopped', `${step.title} failed and nobody decided in time: ${failure.message}`);
    const decision = state.kind === 'decided' ? state.decision : undefined;
    if (decision?.choice === 'retry') return false;
    if (decision?.choice === 'skip') {
      this.#progress.step(step.id, 'skipped', new Date(), `skipped: ${decision.reason ?? ''}`);
      this.#evidence.push({ title: `${step.title} was skipped`, lines: [decision.reason ?? ''] });
      return true;
    }
    const by = decision?.actor;
    this.#progress.abort ??= { actor: by ?? this.#input.requestedBy, reason: `${step.title} failed` };
    this.#progress.step(step.id, 'aborted', new Date());
    throw new CancelledFailure('aborted at the failure gate');
  }

  #runStep(step: PlannedStep, round: number): Promise<PhaseResult> {
    const input = this.#phaseInput(step, round);
    if (step.phase === 'freeze-drift') return this.#freeze.start(step, input, this.#childOptions(step));
    return executeChild<(input: PhaseInput) => Promise<PhaseResult>>(PHASE_WORKFLOWS[step.phase], {
      ...this.#childOptions(step),
      args: [input],
      // A step cleans up after itself before the run goes on to its end.
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    });
  }

  #childOptions(step: PlannedStep): { workflowId: string; staticSummary: string; staticDetails: string } {
    return {
      workflowId: stepWorkflowId(workflowInfo().workflowId, step.id),
      staticSummary: `${this.#input.cluster.name}: ${step.title}`,
      staticDetails: `${step.why}\n\nWhat can be undone afterwards: ${undoText(step)}`,
    };
  }

  #phaseInput(step: PlannedStep, round: number): PhaseInput {
    const { workflowId, runId, firstExecutionRunId } = workflowInfo();
    return {
      upgrade: { workflowId, runId },
      firstRunId: firstExecutionRunId,
      cluster: this.#input.cluster,
      policy: this.#require(this.#policy),
      requestedBy: this.#input.requestedBy,
      step,
      round,
      freezeGuard: this.#freeze.guard,
    };
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
    const { status, notRestored } = this.#progress;
    const leftBehind = notRestored.map((item) => ({ ...item, kept: false }));
    if (status.freeze.state === 'kept') leftBehind.push({ what: 'Karpenter drift freeze', why: status.freeze.note ?? '', kept: true });
    if (freezeProblem !== undefined) leftBehind.push({ what: 'Karpenter drift freeze', why: freezeProblem, kept: false });
    this.#progress.end(this.#outcome, status.headline, new Date());
    const report: UpgradeReport = {
      status: { ...status, gates: [] },
      outcome: this.#outcome,
      decisions: [...this.#gates.states, ...this.#progress.childGates].sort(byOpening),
      leftBehind,
    };
    this.#report = report;
    if (this.#activities !== undefined) {
      try {
        await this.#activities.quick.writeRecord.executeWithOptions({ summary: 'Write the record of this run' }, [
          { cluster: this.#input.cluster, report, plan: this.#plan },
        ]);
      } catch (error) {
        const why = rootCause(error);
        report.leftBehind.push({ what: 'record of this run', why: why instanceof Error ? why.message : String(why), kept: false });
      }
    }
    this.#board();
    this.#announcer?.say('report', { kind: 'report', report });
    const left = (await this.#announcer?.finish(LAST_WORDS_MS)) ?? [];
    const { workflowId, runId } = workflowInfo();
    if (policy?.channel !== undefined) await handOver({ upgrade: { workflowId, runId }, channel: policy.channel }, left);
    await condition(allHandlersFinished);
    return report;
  }

  #finish(outcome: UpgradeReport['outcome'], headline: string): void {
    this.#outcome = outcome;
    this.#say(outcome === 'completed' ? 'running' : 'waiting', headline);
  }

  #abort(input: ControlInput): DecisionReply {
    const reply = this.#progress.requestAbort(input);
    if (reply.accepted) {
      this.#announcer?.note(
        `Abort requested by ${input.actor.name ?? input.actor.id}${input.reason === undefined ? '' : `: ${input.reason}`}.`,
        { level: 'warning' },
      );
      this.#story.cancel();
    }
    this.#board();
    return reply;
  }

  /** Approvers may steer a run, and so may the person who asked for it. */
  async #control(input: ControlInput, act: () => DecisionReply): Promise<DecisionReply> {
    const { cluster, requestedBy } = this.#input;
    const policy = this.#policy;
    if (policy === undefined) return { accepted: false, message: 'The run has not read its policy yet; try again in a moment.' };
    const asker = input.actor.kind === requestedBy.kind && input.actor.id === requestedBy.id;
    if (!asker) {
      try {
        const right = await CancellationScope.nonCancellable(() =>
          approverActivities.readApprover({ cluster, actor: input.actor, policy, requestedBy }),
        );
        if (!right.allowed) return { accepted: false, message: right.why };
      } catch {
        return { accepted: false, message: 'Who may do this could not be read just now. Try again.' };
      }
    }
    const reply = act();
    this.#board();
    return reply;
  }

  #say(state: Parameters<UpgradeProgress['say']>[0], headline: string): void {
    this.#progress.say(state, headline);
    this.#board();
  }

  #board(): void {
    const policy = this.#policy;
    setCurrentDetails(runDetails(this.#report ?? { status: this.#progress.status }));
    if (policy === undefined) return;
    const status = JSON.parse(JSON.stringify(this.#progress.status)) as UpgradeReport['status'];
    this.#announcer?.say('board', {
      kind: 'board',
      status,
      temporalUi: policy.temporalUi,
      approvers: [...policy.approvals.groups, ...policy.approvals.users],
    });
  }

  #require<T>(value: T | undefined): T {
    if (value === undefined) throw ApplicationFailure.nonRetryable('reading the policy must come first', 'Unknown');
    return value;
  }
}

const byOpening = (a: GateState, b: GateState): number => a.gate.openedAt.localeCompare(b.gate.openedAt);

/** What going on without the step means, where it means more than that. */
function skipChoice(step: PlannedStep): GateChoice {
  if (step.phase !== 'freeze-drift') return CHOICES.skip;
  return {
    ...CHOICES.skip,
    style: 'danger',
    does: 'Goes on without a freeze: Karpenter replaces its nodes as soon as it sees the new version, before EKS reports the control plane done.',
  };
}

/** The evidence that a failed phase attached. */
function evidenceOf(failure: ApplicationFailure): GateEvidence[] {
  const details = failure.details?.[0];
  if (!Array.isArray(details)) return [];
  return details.filter((item): item is GateEvidence => typeof item === 'object' && item !== null && 'title' in item && 'lines' in item);
}
