/** What the parent does at each line of its story: policy, plan, what people ask for meanwhile, and one way out for every ending. */
import { CancellationScope, CancelledFailure, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { configActivities, type PhaseActivities, phaseActivities } from '../runtime/activity-proxies.ts';
import type { ApprovalContext } from '../gates/authorize.ts';
import { Ending } from './ending.ts';
import { FreezeHold } from './freeze-guard.ts';
import { whyNotBegun } from './requester.ts';
import { Gatekeeper } from '../gates/gatekeeper.ts';
import { SlowSteps } from '../watch/slow-steps.ts';
import { coverOf } from './telling-campaign.ts';
import { required } from '../runtime/required.ts';
import { areYouThere, type ChildProgress, childProgress, freezeChanged, type UpgradeInput, upgradeStatus } from '../contract/messages.ts';
import { planningDetails, planProblem, planRefused, startRefused } from '../messages/run.ts';
import { inspectAndPlan } from '../requests/plan-upgrade.ts';
import { planEvidence } from '../reporting/plan-evidence.ts';
import { RunAudit } from '../reporting/audit/run-audit.ts';
import { RunHealth } from '../watch/run-health.ts';
import { installCommands } from './control/commands.ts';
import { RunSteps } from './run-steps.ts';
import { RunNotifier } from '../reporting/run-notifier.ts';
import { RunWindows } from './run-windows.ts';
import { setKeywords } from '../contract/search-attributes.ts';
import { Heard } from '../contract/stamp.ts';
import { RollbackCheck } from '../watch/unrequested-rollback.ts';
import { StopRun } from '../runtime/stop-run.ts';
import { NetworkWatch } from '../watch/network-watch.ts';
import { ClusterWatch } from '../watch/cluster-watch.ts';
import { UpgradeProgress } from '../reporting/progress.ts';
import { RollbackWindowStart } from '../watch/rollback-window-start.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { defined } from '../../domain/core/defined.ts';

const POLICY_FIRST = 'reading the policy must come first';

export class UpgradeRun {
  readonly #input: UpgradeInput;
  readonly #progress: UpgradeProgress;
  readonly #gates = new Gatekeeper();
  readonly #story = new CancellationScope();
  readonly #freeze: FreezeHold;
  #policy: UpgradePolicy | undefined;
  #activities: PhaseActivities | undefined;
  readonly #voice: RunNotifier;
  readonly #audit = new RunAudit();
  readonly #late: SlowSteps;
  readonly #wayBack = new RollbackWindowStart();
  readonly #ending: Ending;
  #plan: UpgradePlan | undefined;
  #windows: RunWindows | undefined;
  #health: RunHealth | undefined;
  #trouble: ClusterWatch | undefined;
  #network: NetworkWatch | undefined;
  /** Nobody is proved to have asked for it. */
  #isForged = false;

  constructor(input: UpgradeInput) {
    const info = workflowInfo();
    this.#input = input;
    this.#progress = new UpgradeProgress(input, { workflowId: info.workflowId, runId: info.runId, startedAt: info.startTime });
    this.#voice = new RunNotifier(this.#progress);
    this.#ending = new Ending(this.#progress, this.#voice);
    this.#late = new SlowSteps(this.#progress, this.#voice);
    this.#freeze = new FreezeHold(info.workflowId, this.#progress);
    this.#freeze.tell = (note) => this.#voice.note(note);
    this.#install();
  }

  #install(): void {
    this.#gates.install();
    this.#audit.install();
    // How far the audit record has come: `belay audit --verify` compares the file with it.
    setHandler(upgradeStatus, () => ({ ...this.#progress.status, ...defined({ audit: this.#audit.head, trouble: this.#trouble?.worst }) }));
    const heard = new Heard();
    setHandler(
      childProgress,
      heard.only(childProgress, (progress) => this.#hear(progress)),
    );
    setHandler(freezeChanged, () => undefined);
    setHandler(areYouThere, () => undefined);
    installCommands({
      progress: this.#progress,
      voice: this.#voice,
      gates: this.#gates,
      freeze: this.#freeze,
      audit: this.#audit,
      story: this.#story,
      approval: () => this.#approval,
      policy: () => this.#policy,
    });
    this.#progress.onStep = (step, state, note) => this.#audit.step(step, state, note);
  }

  #hear(progress: ChildProgress): void {
    this.#progress.child(progress, new Date());
    this.#wayBack.hear(progress);
    for (const { key, notification } of progress.say ?? []) this.#voice.tell(key, notification);
    for (const event of progress.audit ?? []) this.#audit.note(event);
    this.#voice.board();
  }

  /** Runs the story; whatever ends it becomes an outcome. */
  tell(story: () => Promise<void>): Promise<void> {
    return this.#ending.after(() =>
      this.#story.run(async () => {
        try {
          await story();
        } finally {
          this.#trouble?.end();
        }
      }),
    );
  }

  /** At the end: freeze settled, record written, people told. */
  report(): Promise<UpgradeReport> {
    return this.#ending.close({
      cluster: this.#input.cluster,
      policy: this.#policy,
      activities: this.#activities,
      plan: this.#plan,
      freeze: this.#freeze,
      gates: this.#gates,
      audit: this.#audit,
      wayBack: this.#wayBack,
      watched: this.#trouble?.said,
      unwatch: () => this.#network?.end(),
      isForged: this.#isForged,
    });
  }

  async readPolicy(): Promise<void> {
    const { cluster, campaign } = this.#input;
    const policy = await configActivities.loadPolicy({ cluster, ...(campaign === undefined ? {} : { campaign: campaign.name }) });
    const { workflowId } = workflowInfo();
    this.#policy = policy;
    this.#activities = phaseActivities(policy.timing);
    const announcer = this.#voice.start(policy, (notification) => this.#audit.stamp(notification));
    const { status } = this.#progress;
    const refused = await whyNotBegun(this.#input, policy, status);
    const asked = { ...this.#input, requestedBy: status.requestedBy };
    this.#audit.start(asked, workflowInfo().runId, (note) => announcer.note(note));
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
    this.#network = new NetworkWatch({ ...deps, cluster }).begin();
    if (policy.watch === true) this.#trouble = new ClusterWatch({ ...deps, audit: this.#audit });
    this.#windows = new RunWindows(deps);
    if (policy.health !== undefined) this.#health = new RunHealth(deps);
    if (refused !== undefined) {
      this.#isForged = true;
      this.#audit.refusedStart(refused, status.requestedBy);
      // Notes are posted below it.
      this.#voice.board();
      this.#voice.note(startRefused(refused));
      throw new StopRun('refused', refused);
    }
    this.#voice.board();
  }

  /** What is left to do is in its plan. */
  async makePlan(): Promise<RunSteps> {
    const { cluster, target } = this.#input;
    const { requestedBy } = this.#progress.status;
    const policy = required(this.#policy, POLICY_FIRST);
    setKeywords(policy, {
      BelayCluster: cluster.name,
      BelayEnvironment: policy.environment,
      BelayTarget: target,
      BelayRequestedBy: requestedBy.id,
      BelayPhase: 'planning',
    });
    setCurrentDetails(planningDetails(cluster.name, target));
    const result = await inspectAndPlan(required(this.#activities, POLICY_FIRST), this.#input, policy, true);
    if (result.kind === 'refused') {
      const lines = result.violations.map(planProblem);
      this.#voice.note(planRefused(lines));
      throw new StopRun('refused', lines[0] ?? 'The plan was refused');
    }
    this.#plan = result.plan;
    this.#progress.usePlan(result.plan, result.forecast);
    this.#audit.planned(result.plan);
    this.#voice.tell('plan', result);
    const evidence = [...planEvidence(result.plan, result.forecast), ...(this.#health?.usePlan(result.health) ?? [])];
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
      // A way back waits for no window: it is asked for when something is wrong.
      windows: policy.windows === undefined || this.#input.back === true ? undefined : this.#windows,
      planWindows: result.windows,
      health: this.#health,
      trouble: this.#trouble,
      rollbackCheck: new RollbackCheck({ cluster: known, policy, plan: result.plan }),
      evidence,
      coveredBy: coverOf(this.#input),
      told: (progress) => this.#hear(progress),
      abort: (actor, reason) => this.#abortAtGate(actor, reason),
    });
  }

  #abortAtGate(actor: Actor, reason: string): never {
    this.#progress.abort ??= { actor, reason };
    throw new CancelledFailure('aborted at a gate');
  }

  get #approval(): ApprovalContext | undefined {
    const { cluster } = this.#input;
    const { requestedBy, formerly } = this.#progress.status;
    return this.#policy === undefined ? undefined : { cluster, requestedBy, formerly, policy: this.#policy };
  }
}
