/** Watches one step's health beside it: trouble holds what can be held, and people decide; what EKS has begun is not broken off. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { HealthTrouble } from '../../activities/contract/health.ts';
import type { WatchedCheck } from '../../domain/health/checks.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { count } from '../../domain/core/text.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import type { Gatekeeper } from '../gates/gatekeeper.ts';
import { goBackChoices } from '../gates/rollback-choice.ts';
import { abortedToGoBack, GO_BACK } from '../messages/choices.ts';
import { healthGate } from '../gates/health-gate.ts';
import { stepWorkflowId } from '../contract/ids.ts';
import { rollHeld } from '../contract/messages.ts';
import { waitingForDecision } from '../messages/gates.ts';
import { healthUndecided, healthWarning, rollHeldByHealth, stepHasEnded } from '../messages/health.ts';
import { messageOf } from '../runtime/root-cause.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';
import { StopRun } from '../runtime/stop-run.ts';
import { signalIfRunning } from '../runtime/signal-if-running.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';
import type { Actor } from '../../domain/gates/actor.ts';

export interface HealthGuardDeps {
  workflowId: string;
  gates: Pick<Gatekeeper, 'ask'>;
  policy: UpgradePolicy;
  activities: PhaseActivities;
  say: (headline: string) => void;
  voice: Pick<RunNotifier, 'note' | 'tell'>;
  progress: Pick<UpgradeProgress, 'status' | 'wantBack'>;
  /** Never returns. */
  abort: (actor: Actor, reason: string) => never;
  /** Counts the step's gates. */
  round: () => number;
}

export class HealthGuard {
  readonly #step: PlannedStep;
  readonly #deps: HealthGuardDeps;
  #checks: WatchedCheck[];
  #over: 'done' | 'failed' | undefined;
  #watch: CancellationScope | undefined;
  /** Why the step is ended from here. */
  #stop: unknown;

  constructor(step: PlannedStep, checks: WatchedCheck[], deps: HealthGuardDeps) {
    this.#step = step;
    this.#checks = checks;
    this.#deps = deps;
  }

  endedBy(error: unknown): boolean {
    return this.#stop !== undefined && this.#stop === error;
  }

  /** The step's result, once the step has ended and no gate of its checks is open any more. */
  async during<T>(run: () => Promise<T>): Promise<T> {
    const running = new CancellationScope();
    const watching = this.#keepWatching().catch((error: unknown) => {
      this.#stop = error;
      // A gate that nobody answered lets the step come to its end, but for one that is held and has none.
      if (this.#over === undefined && (this.#canHold || !(error instanceof StopRun))) running.cancel();
    });
    let result: T;
    try {
      result = await running.run(run);
    } catch (error) {
      await this.#end('failed', watching);
      throw this.#stop ?? error;
    }
    await this.#end('done', watching);
    if (this.#stop !== undefined) throw this.#stop;
    return result;
  }

  async #end(how: 'done' | 'failed', watching: Promise<void>): Promise<void> {
    this.#over = how;
    this.#watch?.cancel();
    await watching;
  }

  async #keepWatching(): Promise<void> {
    while (this.#over === undefined && this.#checks.length > 0) {
      const trouble = await this.#untilTrouble();
      if (trouble === undefined) return;
      if (trouble.kind === 'warn') {
        this.#deps.voice.note(healthWarning(this.#step.title, trouble.lines));
        this.#drop(trouble);
      } else await this.#decide(trouble);
    }
  }

  /** undefined: the step has ended before. */
  async #untilTrouble(): Promise<HealthTrouble | undefined> {
    const { activities, policy } = this.#deps;
    const { phase, title } = this.#step;
    const target = { cluster: policy.cluster, timing: policy.timing };
    this.#watch = new CancellationScope();
    try {
      return await this.#watch.run(() =>
        activities.watch.watchHealth.executeWithOptions(
          { summary: `Watch ${count(this.#checks.length, 'health check')} during ${title}` },
          [{ ...target, phase, checks: this.#checks }],
        ),
      );
    } catch (error) {
      if (isCancellation(error)) {
        if (this.#over !== undefined) return undefined;
        throw error;
      }
      return { kind: 'inconclusive', checks: this.#checks.map(({ check }) => check.name), lines: [messageOf(error)] };
    }
  }

  async #decide(trouble: HealthTrouble): Promise<void> {
    const { gates, say, abort, round, voice, progress } = this.#deps;
    const back = goBackChoices(progress.status, Date.now(), this.#step.phase === 'control-plane');
    const gate = healthGate(this.#step, round(), trouble, { held: this.#canHold, back });
    say(waitingForDecision(gate.title));
    await this.#hold(rollHeldByHealth(trouble));
    const asking = gates.ask(gate, () => (this.#over === 'failed' ? stepHasEnded() : undefined));
    // After the gate's message, which waits for no picture.
    const { curves = [] } = trouble;
    if (curves.length > 0) voice.tell(`health/${gate.id}`, { kind: 'curves', gate: gate.id, curves });
    const state = await asking;
    if (state.kind === 'withdrawn') return;
    if (state.kind === 'expired') throw new StopRun('stopped', healthUndecided(gate.id, trouble.lines[0] ?? gate.title));
    const { choice, actor, reason } = state.decision;
    if (choice === GO_BACK) {
      progress.wantBack(actor);
      abort(actor, abortedToGoBack(reason ?? gate.title, progress.status.cluster.name));
    }
    if (choice === 'abort') abort(actor, reason ?? gate.title);
    if (choice === 'continue') this.#drop(trouble);
    await this.#hold(undefined);
  }

  #drop({ checks }: HealthTrouble): void {
    this.#checks = this.#checks.filter(({ check }) => !checks.includes(check.name));
  }

  get #canHold(): boolean {
    return this.#step.phase === 'karpenter-drift';
  }

  async #hold(why: string | undefined): Promise<void> {
    if (!this.#canHold || this.#over !== undefined) return;
    await signalIfRunning(stepWorkflowId(this.#deps.workflowId, this.#step.id), rollHeld, why === undefined ? {} : { why });
  }
}
