/** What the parent does at each line of its story: policy, plan, what people ask for meanwhile, and one way out for every ending. */
import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import { isTimely, startText } from '../../domain/gates/identity-proof.ts';
import type { DecisionReply } from '../../domain/gates/gate.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { UpgradeReport, UpgradeStatus } from '../../domain/run/record/status.ts';
import { because } from '../../domain/core/text.ts';
import { configActivities, type PhaseActivities, phaseActivities } from '../runtime/activity-proxies.ts';
import { type ApprovalContext, readRight, senderIn } from '../gates/authorize.ts';
import { FreezeHold } from './freeze-guard.ts';
import { Gatekeeper } from '../gates/gatekeeper.ts';
import { isReset, useGrant } from '../runtime/messages/grant.ts';
import { handOver } from './control/hand-over.ts';
import { LateSteps } from '../watch/slow-steps.ts';
import {
  areYouThere,
  type ChildProgress,
  childProgress,
  type ControlInput,
  freezeChanged,
  type UpgradeInput,
  upgradeStatus,
} from '../contract/messages.ts';
import { inspectAndPlan } from '../requests/plan-upgrade.ts';
import { planEvidence } from '../reporting/plan-evidence.ts';
import { RunAudit } from '../audit/run-audit.ts';
import { RunHealth } from '../watch/run-health.ts';
import { installControl } from './control/pause-resume-abort.ts';
import { installPace } from './control/change-pace.ts';
import { lookAtMerges, makeReport, mergeQuestions, reportOf, whereNow, writeRecord } from '../reporting/run-report.ts';
import { RunSteps } from './run-steps.ts';
import { RunVoice } from '../reporting/run-notifier.ts';
import { RunWindows } from './run-windows.ts';
import { setKeywords } from '../contract/search-attributes.ts';
import { Heard } from '../contract/stamp.ts';
import { StaysUp } from '../watch/unrequested-rollback.ts';
import { whyStillFrozen } from './still-frozen.ts';
import { StopRun } from '../runtime/stop-run.ts';
import { TroubleWatch } from '../watch/cluster-watch.ts';
import { UpgradeProgress } from '../reporting/progress.ts';
import { WayBackWatch } from '../watch/rollback-window-start.ts';
import { type Actor, actorName } from '../../domain/gates/actor.ts';
import { asPhaseFailure } from '../runtime/phase-failure.ts';

const RESET = 'It was reset in Temporal, so what was decided in it before does not count. Start it again.';
const NOT_NOW =
  'Its start was signed more than five minutes before or after Temporal started it: start it again, and check the clock of this machine.';

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
  #windows: RunWindows | undefined;
  /** Absent in runs that were recorded before there was any: their commands are in the order of then. */
  #health: RunHealth | undefined;
  #trouble: TroubleWatch | undefined;
  #outcome: UpgradeReport['outcome'] = 'completed';
  #cancelled = false;
  /** Nobody is proved to have asked for it: it leaves no record that others would take for the cluster's last run. */
  #isForged = false;

  constructor(input: UpgradeInput) {
    const info = workflowInfo();
    this.#input = input;
    this.#progress = new UpgradeProgress(input, { workflowId: info.workflowId, runId: info.runId, startedAt: info.startTime });
    this.#voice = new RunVoice(this.#progress);
    this.#late = new LateSteps(this.#progress, this.#voice);
    this.#freeze = new FreezeHold(info.workflowId, this.#progress);
    this.#freeze.alarm = (text) => this.#voice.alarm(text);
    this.#install();
  }

  #install(): void {
    this.#gates.install();
    this.#audit.install();
    setHandler(upgradeStatus, () => this.#withHead(this.#progress.status));
    const heard = new Heard();
    setHandler(
      childProgress,
      heard.only(childProgress, (progress) => this.#hear(progress)),
    );
    setHandler(freezeChanged, () => undefined);
    setHandler(areYouThere, () => undefined);
    const told = this.#audit.command.bind(this.#audit);
    installControl(
      () => this.#approval,
      {
        pause: ({ actor }) => this.#steer(() => this.#progress.requestPause(actor)),
        resume: ({ actor }) => this.#steer(() => this.#progress.requestResume(actor)),
        abort: (input) => this.#steer(() => this.#abort(input)),
        handOver: (actor, input) =>
          handOver(
            { progress: this.#progress, voice: this.#voice, freeze: this.#freeze, gates: this.#gates, policy: this.#policy },
            actor,
            input,
          ),
        refused: (words) => this.#voice.warn(words),
        isOver: () => this.#progress.ending,
      },
      told,
    );
    installPace(
      { approval: () => this.#approval, status: this.#progress.status, gates: this.#gates, warn: (words) => this.#voice.warn(words) },
      told,
    );
    this.#progress.onStep = (step, state, note) => this.#audit.step(step, state, note);
  }

  /** How far the audit record has come: `belay audit --verify` compares the file with it. */
  #withHead(status: UpgradeStatus): UpgradeStatus {
    const { head } = this.#audit;
    return head === undefined ? status : { ...status, audit: head };
  }

  #hear(progress: ChildProgress): void {
    this.#progress.child(progress, new Date());
    this.#wayBack.hear(progress);
    for (const { key, notification } of progress.say ?? []) this.#voice.tell(key, notification);
    for (const event of progress.audit ?? []) this.#audit.note(event);
    this.#voice.board();
  }

  /** Runs the story; whatever ends it becomes an outcome. */
  async tell(story: () => Promise<void>): Promise<void> {
    try {
      await this.#story.run(story);
      const late = this.#progress.abort === undefined ? '' : '; the abort came when nothing was left to stop';
      this.#finish('completed', `${whereNow(this.#progress.status)}${late}`);
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
    const refused = await this.#knowRequester(policy);
    const { status } = this.#progress;
    const asked = { ...this.#input, requestedBy: status.requestedBy };
    const { concise } = policy;
    const of = { runId: workflowInfo().runId, concise };
    if (policy.audit === true) this.#audit.start(asked, of, (text) => announcer.note(text, { level: 'alarm' }));
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
      workflowId,
      voice: this.#voice,
      progress: this.#progress,
      gates: this.#gates,
      policy,
      activities: this.#activities,
      say: (headline: string) => this.#voice.say('waiting', headline),
      abort: (actor: Actor, reason: string): never => this.#abortAtGate(actor, reason),
    };
    if (policy.watch === true)
      this.#trouble = new TroubleWatch({ policy, activities: this.#activities, voice: this.#voice, audit: this.#audit });
    this.#windows = new RunWindows(deps);
    if (policy.health !== undefined) this.#health = new RunHealth(deps);
    if (refused !== undefined) {
      this.#isForged = true;
      this.#audit.refusedStart(refused, status.requestedBy);
      // Notes are posted below it.
      this.#voice.board();
      this.#voice.warn(`This run was not started: ${refused}`);
      throw new StopRun('refused', refused);
    }
    this.#voice.board();
  }

  /**
   * Who asked is whom the proof shows: four eyes are theirs, wherever they act. Why the run does not begin, where nothing shows it, or a recorded start
   * was sent again.
   */
  async #knowRequester(policy: UpgradePolicy): Promise<string | undefined> {
    const { cluster, requestedBy, proof, at } = this.#input;
    const { workflowId, startTime } = workflowInfo();
    const claim = { proof, words: startText(workflowId, this.#input) };
    const more = { claim, as: 'requester' } as const;
    const right = await readRight({ cluster, policy, requestedBy }, requestedBy, 'Who asked for it could not be read. Try again.', more);
    this.#progress.status.requestedBy = senderIn(right, requestedBy);
    if (!right.allowed) return right.why;
    if (proof !== undefined && !isTimely(at, startTime.getTime())) return NOT_NOW;
    if (right.grant !== undefined && isReset(right.grant)) return RESET;
    useGrant(right.grant);
    return undefined;
  }

  /** What is left to do is in its plan. */
  async makePlan(): Promise<RunSteps> {
    const { cluster, target } = this.#input;
    const { requestedBy } = this.#progress.status;
    const policy = this.#require(this.#policy);
    setKeywords(policy, {
      BelayCluster: cluster.name,
      BelayEnvironment: policy.environment,
      BelayTarget: target,
      BelayRequestedBy: requestedBy.id,
      BelayPhase: 'planning',
    });
    setCurrentDetails(`Reading cluster **${cluster.name}** and planning the way to **${target}**.`);
    const result = await inspectAndPlan(this.#require(this.#activities), this.#input, policy, true);
    if (result.kind === 'refused') {
      const lines = result.violations.map((v) => `${v.rule}: ${v.message} Remedy: ${v.remedy}`);
      this.#voice.warn(`The plan was refused:\n${lines.map((line) => `• ${line}`).join('\n')}`);
      throw new StopRun('refused', lines[0] ?? 'The plan was refused');
    }
    this.#plan = result.plan;
    this.#progress.usePlan(result.plan);
    this.#audit.planned(result.plan);
    this.#voice.tell('plan', result);
    const evidence = [...planEvidence(result.plan), ...(this.#health?.usePlan(result.health) ?? [])];
    this.#voice.board();
    // From here on every look and every change is of this cluster, and of no other that bears its name.
    const { identity } = result;
    const known = identity === undefined ? cluster : { ...cluster, identity };
    return new RunSteps({
      cluster: known,
      policy: { ...policy, cluster: known },
      plan: result.plan,
      progress: this.#progress,
      voice: this.#voice,
      gates: this.#gates,
      freeze: this.#freeze,
      late: this.#late,
      wayBack: this.#wayBack,
      story: this.#story,
      // A way back waits for no window: people ask for it in trouble.
      windows: policy.windows === undefined || this.#input.back === true ? undefined : this.#windows,
      planWindows: result.windows,
      health: this.#health,
      trouble: this.#trouble,
      staysUp: policy.staysUp === true ? new StaysUp({ cluster: known, policy, plan: result.plan }) : undefined,
      evidence,
      told: (progress) => this.#hear(progress),
      abort: (actor, reason) => this.#abortAtGate(actor, reason),
    });
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
    const [policy, activities] = [this.#policy, this.#activities];
    const freezeProblem =
      policy === undefined || activities === undefined
        ? undefined
        : await this.#freeze.settle(this.#progress.status.headline, policy.timing, () => whyStillFrozen(activities, this.#input.cluster));
    this.#progress.end(this.#outcome, this.#progress.status.headline, new Date());
    const watched = this.#trouble?.said;
    const report = makeReport(this.#progress, { outcome: this.#outcome, gates: this.#gates.states, freezeProblem, watched });
    await this.#wayBack.close({ status: this.#progress.status, policy });
    await this.#audit.close(report);
    this.#voice.report = report;
    const { asked } = this.#progress;
    const changed = mergeQuestions(report, this.#plan, asked.all);
    if (this.#activities !== undefined && changed.length > 0 && patched('merged-at-the-end'))
      report.merges = await lookAtMerges(this.#activities, this.#input.cluster, changed);
    if (this.#activities !== undefined && !this.#isForged)
      await writeRecord(this.#activities, {
        cluster: this.#input.cluster,
        report,
        plan: this.#plan,
        ...(asked.all.length === 0 ? {} : { asked: asked.all }),
      });
    this.#voice.board();
    this.#voice.tell('report', reportOf(report, this.#plan, asked.all));
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
