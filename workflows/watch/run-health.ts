/** The run's side of health: alerts before what cannot be undone, checks beside each step, and what is decided about either. */
import { type AlertVerdict, stoppedByAlerts } from '../../domain/health/alerts.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { type TriedCheck, watchedIn } from '../../domain/health/checks.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import { passAlerts } from '../gates/alert-gate.ts';
import type { Gatekeeper } from '../gates/gatekeeper.ts';
import { HealthGuard } from './health-guard.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';
import { nobodyDecided } from '../messages/gates.ts';
import { blindHealthChecks, healthChecks } from '../messages/health.ts';
import { StopRun } from '../runtime/stop-run.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';
import type { WindowContext } from '../gates/window-gate.ts';
import type { Actor } from '../../domain/gates/actor.ts';

export interface RunHealthDeps {
  workflowId: string;
  gates: Gatekeeper;
  policy: UpgradePolicy;
  activities: PhaseActivities;
  say: (headline: string) => void;
  voice: Pick<RunNotifier, 'note' | 'tell'>;
  progress: Pick<UpgradeProgress, 'status' | 'wantBack'>;
  /** Never returns. */
  abort: (actor: Actor, reason: string) => never;
}

export class RunHealth {
  readonly #deps: RunHealthDeps;
  #tried: readonly TriedCheck[] = [];
  /** Gates by step and kind: rounds count per step. */
  readonly #rounds = new Map<string, number>();
  /** What was seen of alerts along with the window. */
  #seen: AlertVerdict | undefined;
  /** Steps that people let begin although alerts fire. */
  readonly #waived = new Set<string>();
  /** Of the step that runs. */
  #guard: HealthGuard | undefined;

  constructor(deps: RunHealthDeps) {
    this.#deps = deps;
  }

  /** Evidence for the first gate; what is blind is said at once as well. */
  usePlan(tried: readonly TriedCheck[] | undefined): GateEvidence[] {
    if (tried === undefined) return [];
    this.#tried = tried;
    const dark = tried.filter(({ kind }) => kind !== 'live');
    if (dark.length > 0) this.#deps.voice.note(blindHealthChecks(dark));
    return [healthChecks(tried)];
  }

  /** For a step that alerts stop: asks about its window and about alerts in one. undefined: windows ask alone. */
  windowJudge(step: PlannedStep): WindowContext['judge'] {
    const { policy, activities } = this.#deps;
    const { health, cluster } = policy;
    if (health?.alerts !== 'block' || !stoppedByAlerts(step.phase)) return undefined;
    return async (question, summary) => {
      this.#seen = undefined;
      const { window, alerts } = await activities.quick.judgeStart.executeWithOptions({ summary: `${summary} Do alerts fire?` }, [
        { cluster, ...question, ignore: health.ignoreAlerts },
      ]);
      // Of a window that is closed people may take hours to decide.
      if (window.kind === 'open') this.#seen = alerts;
      return window;
    };
  }

  /** Before a step that cannot be undone. Gives true where the run was parked meanwhile. */
  async before(step: PlannedStep): Promise<boolean> {
    const { gates, policy, activities, say, abort } = this.#deps;
    const { health, cluster, timing } = policy;
    if (health?.alerts !== 'block' || !stoppedByAlerts(step.phase)) return false;
    const seen = this.#seen;
    this.#seen = undefined;
    const context = { gates, activities, target: { cluster, timing }, ignore: health.ignoreAlerts, say };
    const pass = await passAlerts(step, context, () => this.#round('alerts', step), seen);
    if (pass.kind === 'go' && pass.anyway === true) this.#waived.add(step.id);
    if (pass.kind === 'go') return pass.parked;
    const { state, why } = pass;
    if (state.kind === 'decided') return abort(state.decision.actor, state.decision.reason ?? why);
    throw new StopRun('stopped', nobodyDecided(state.gate.id, why));
  }

  waives({ id }: PlannedStep): boolean {
    return this.#waived.has(id);
  }

  /** Was the step ended by what people decided at a gate of its checks, or did not in time? */
  ended(error: unknown): boolean {
    return this.#guard?.endedBy(error) ?? false;
  }

  /** Runs a step and watches beside it. */
  async guarding<T>(step: PlannedStep, run: () => Promise<T>): Promise<T> {
    const checks = watchedIn(step.phase, this.#deps.policy.health?.checks ?? [], this.#tried);
    if (checks.length === 0) return await run();
    this.#guard = new HealthGuard(step, checks, { ...this.#deps, round: () => this.#round('health', step) });
    return await this.#guard.during(run);
  }

  #round(kind: string, { id }: PlannedStep): number {
    const round = (this.#rounds.get(`${kind}:${id}`) ?? 0) + 1;
    this.#rounds.set(`${kind}:${id}`, round);
    return round;
  }
}
