/** Parks a run where no maintenance window is open for what comes next: it continues once one is, unless somebody decides otherwise before. */
import { isCancellation } from '@temporalio/workflow';
import type { GateState } from '../../domain/gates/gate.ts';
import type { Timing } from '../../domain/policy/policy.ts';
import type { WindowVerdict } from '../../domain/policy/windows.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { park } from './park.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { defined } from '../../domain/core/defined.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { WindowQuestion } from '../../domain/plan/model/window-question.ts';
import { parkedOutsideWindow, windowGate, windowMoved, windowOpened } from '../messages/windows.ts';
import type { GateRequest } from './gate-request.ts';

/** What waits: `id` of the gate, by the round that it is. */
export interface Parked extends WindowQuestion {
  id: (round: number) => string;
  step: string;
  /** "Control plane 1.31 → 1.32" */
  title: string;
  undo: string;
}

export interface WindowContext {
  gates: Pick<Gatekeeper, 'ask'>;
  activities: PhaseActivities;
  target: { cluster: ClusterRef; timing: Timing };
  /** Asks about windows together with something else. Absent: about them alone. */
  judge?: (question: WindowQuestion, summary: string) => Promise<WindowVerdict>;
  /** Said while it is parked. */
  say: (headline: string) => void;
}

/** `parked`: it had to wait first. `stopped`: whoever ends the run by it, or nobody before the gate expired. */
export type WindowPass =
  | { kind: 'open'; parked: boolean }
  | { kind: 'anyway' }
  | { kind: 'stopped'; state: Extract<GateState, { kind: 'decided' | 'expired' }>; why: string };

/** Counts the gates of one workflow. */
export class WindowGate {
  readonly #context: WindowContext;
  #round = 0;

  constructor(context: WindowContext) {
    this.#context = context;
  }

  /** Looks at the windows as belay.yaml has them now. */
  async pass(parked: Parked): Promise<WindowPass> {
    for (let waited = false; ; waited = true) {
      const verdict = await this.#judge(parked);
      if (verdict.kind === 'open') return { kind: 'open', parked: waited };
      const answer = await this.#park(parked, verdict);
      if (answer !== undefined) return answer;
    }
  }

  async #judge({ phases, needMs, title }: Parked): Promise<WindowVerdict> {
    const { activities, target, judge } = this.#context;
    const summary = `Is a window open for ${title}?`;
    try {
      if (judge !== undefined) return await judge({ phases, needMs }, summary);
      return await activities.quick.judgeWindow.executeWithOptions({ summary }, [{ cluster: target.cluster, phases, needMs }]);
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { kind: 'unknown', why: messageOf(error) };
    }
  }

  /** undefined: it is open by now, or the next window is another one, as far as has been seen. */
  async #park(parked: Parked, verdict: Exclude<WindowVerdict, { kind: 'open' }>): Promise<WindowPass | undefined> {
    const { gates, activities, target, say } = this.#context;
    const { phases, needMs, title } = parked;
    const toldOf = verdict.kind === 'closed' ? verdict.opensAt : undefined;
    say(parkedOutsideWindow(title, verdict));
    this.#round += 1;
    const state = await park({
      gates,
      watch: () =>
        activities.watch.awaitWindow.executeWithOptions({ summary: `Wait for a window for ${title}` }, [
          { ...target, phases, needMs, ...defined({ toldOf }) },
        ]),
      come: ({ opened }) => (opened ? windowOpened() : windowMoved()),
      request: request(parked, this.#round, verdict, target.timing),
    });
    if (state === undefined) return undefined;
    if (state.kind === 'decided' && state.decision.choice === 'go-anyway') return { kind: 'anyway' };
    return { kind: 'stopped', state, why: verdict.why };
  }
}

function request(
  parked: Parked,
  round: number,
  verdict: Exclude<WindowVerdict, { kind: 'open' }>,
  { gateDeadlineMs }: Timing,
): GateRequest {
  const waitMs = verdict.kind === 'closed' && verdict.opensAt !== undefined ? Date.parse(verdict.opensAt) - Date.parse(verdict.now) : 0;
  const { id, step, title, undo } = parked;
  return {
    ...windowGate({ title, undo, waitMs }, verdict),
    id: id(round),
    step,
    byItself: true,
    // It may take days until a window opens: expiry is for one that does not.
    deadlineMs: waitMs + gateDeadlineMs,
    reminders: false,
  };
}
