/** The run's side of windows and of the order of environments: what has to be so before it begins, and before each of its steps. */
import { isCancellation } from '@temporalio/workflow';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { type AfterEnvironment, orderOfParts, type OrderVerdict } from '../../domain/policy/environments.ts';
import type { GateEvidence, GateState } from '../../domain/gates/gate.ts';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { needsWindow, type PlanWindows } from '../../domain/policy/windows.ts';
import { ANSWER_MS } from '../runtime/activity-places.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import type { Gatekeeper } from '../gates/gatekeeper.ts';
import { gateId } from '../contract/ids.ts';
import { passOrder } from '../gates/environment-order-gate.ts';
import { undoText } from '../reporting/plan-evidence.ts';
import { nobodyDecided } from '../messages/gates.ts';
import { environmentCameFirst, nothingChangedYet } from '../messages/windows.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { StopRun } from '../runtime/stop-run.ts';
import { type WindowContext, WindowGate } from '../gates/window-gate.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { questionOf, questionOfStart } from '../../domain/plan/model/window-question.ts';
import { defined } from '../../domain/core/defined.ts';

export interface RunWindowsDeps {
  gates: Gatekeeper;
  policy: UpgradePolicy;
  activities: PhaseActivities;
  say: (headline: string) => void;
  /** Never returns. */
  abort: (actor: Actor, reason: string) => never;
}

export class RunWindows {
  readonly #deps: RunWindowsDeps;
  /** By step: rounds count per step. */
  readonly #gates = new Map<string, WindowGate>();

  constructor(deps: RunWindowsDeps) {
    this.#deps = deps;
  }

  /** Before the first step. */
  async beforeRun(plan: UpgradePlan, windows: PlanWindows | undefined): Promise<GateEvidence[]> {
    const [first] = plan.steps;
    if (first === undefined) return [];
    const { after } = this.#deps.policy;
    const evidence = after === undefined ? [] : await this.#order(first, after, plan.to);
    const question = questionOfStart(plan);
    if (windows === undefined || windows.verdict.kind === 'open' || question === undefined) return evidence;
    await this.#pass(first, { ...question, title: 'the start', undo: nothingChangedYet() });
    return evidence;
  }

  /** Before a step that changes something: `waived` where Go anyway was chosen outside the windows. `judge`: the step's own way to ask. */
  async before(step: PlannedStep, plan: UpgradePlan, judge?: WindowContext['judge']): Promise<{ parked: boolean; waived: boolean }> {
    if (this.#deps.policy.windows === undefined || !needsWindow(step.phase)) return { parked: false, waived: false };
    return await this.#pass(step, { ...questionOf(step, plan), title: step.title, undo: undoText(step) }, judge);
  }

  async #pass(
    step: PlannedStep,
    question: { phases: PlannedStep['phase'][]; needMs: number; title: string; undo: string },
    judge?: WindowContext['judge'],
  ): Promise<{ parked: boolean; waived: boolean }> {
    const { policy, gates, activities, say } = this.#deps;
    const target = { cluster: policy.cluster, timing: policy.timing };
    const gate = this.#gates.get(step.id) ?? new WindowGate({ gates, activities, target, say, ...defined({ judge }) });
    this.#gates.set(step.id, gate);
    const pass = await gate.pass({ ...question, step: step.id, id: (round) => gateId('window', step.id, round) });
    if (pass.kind === 'stopped') return this.#stop(pass.state, `${question.title}: ${pass.why}`);
    return pass.kind === 'anyway' ? { parked: true, waived: true } : { parked: pass.parked, waived: false };
  }

  async #order(first: PlannedStep, after: AfterEnvironment, target: string): Promise<GateEvidence[]> {
    const { gates, say } = this.#deps;
    const pass = await passOrder({
      after,
      target,
      step: first.id,
      judge: () => this.#judgeOrder(after, target),
      ask: (request) => gates.ask(request),
      say,
    });
    if (pass.kind === 'stopped') return this.#stop(pass.state, pass.why);
    return [{ title: environmentCameFirst(after.environment), lines: pass.lines, verdict: pass.waived === true ? 'attention' : 'clear' }];
  }

  /** The environment before may be in other networks than this cluster: each is asked where it can be seen. */
  async #judgeOrder(after: AfterEnvironment, target: string): Promise<OrderVerdict> {
    const { policy, activities } = this.#deps;
    const { cluster } = policy;
    const summary = `Has ${after.environment} stood at ${target} for long enough?`;
    const judgeFrom = (from: ClusterRef, of: AfterEnvironment, options: { scheduleToStartTimeout?: number } = {}): Promise<OrderVerdict> =>
      activities.survey.judgeOrder.executeWithOptions({ summary, ...options }, [{ cluster: from, target, after: of }]);
    const parts = [...Map.groupBy(after.clusters, ({ network }) => network).values()];
    const elsewhere = parts.filter(([one]) => one?.network !== cluster.network);
    if (elsewhere.length === 0) return await judgeFrom(cluster, after);
    const verdicts = parts.map(([one = cluster, ...more]) => {
      const part = { ...after, clusters: [one, ...more] };
      if (one.network === cluster.network) return judgeFrom(cluster, part);
      // The run watches its own network's queue alone: another one is not waited for.
      return judgeFrom(one, part, { scheduleToStartTimeout: ANSWER_MS }).catch((error: unknown): OrderVerdict => {
        if (isCancellation(error)) throw error;
        return { status: 'unknown', lines: part.clusters.map(({ name }) => `${name} cannot be read: ${messageOf(error)}`) };
      });
    });
    return orderOfParts(await Promise.all(verdicts));
  }

  #stop(state: GateState, why: string): never {
    if (state.kind === 'decided') return this.#deps.abort(state.decision.actor, state.decision.reason ?? why);
    throw new StopRun('stopped', nobodyDecided(state.gate.id, why));
  }
}
