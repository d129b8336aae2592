/** The environment before this one has not stood on the target for long enough, or cannot be seen: people decide, and nothing has started. */
import { isCancellation } from '@temporalio/workflow';
import type { AfterEnvironment, OrderVerdict } from '../../domain/policy/environments.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import { count } from '../../domain/core/text.ts';
import { gateId } from '../contract/ids.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { CHOICES, goAnyway } from './choices.ts';
import type { GateRequest } from './gate-request.ts';

interface OrderAsk {
  after: AfterEnvironment;
  target: string;
  /** First step of the plan: the gate is before it. */
  step: string;
  judge: () => Promise<OrderVerdict>;
  ask: (request: GateRequest) => Promise<Exclude<GateState, { kind: 'open' }>>;
  say: (headline: string) => void;
}

/** `lines`: what was seen, for the gates that follow. */
export type OrderPass = { kind: 'goes-on'; lines: string[] } | { kind: 'stopped'; state: GateState; why: string };

export async function passOrder({ after, target, step, judge, ask, say }: OrderAsk): Promise<OrderPass> {
  for (let look = 1; ; look += 1) {
    const { status, lines } = await judge().catch((error: unknown): OrderVerdict => {
      if (isCancellation(error)) throw error;
      return { status: 'unknown', lines: [messageOf(error)] };
    });
    if (status === 'pass') return { kind: 'goes-on', lines };
    const why = `${after.environment} ${status === 'unknown' ? 'cannot be judged' : `has not run ${target} for ${count(after.bakedDays, 'day')}`}`;
    say(`Waiting for a decision: ${why}`);
    const state = await ask(orderGate(step, look, after, target, why, lines));
    if (state.kind !== 'decided' || state.decision.choice === 'abort') return { kind: 'stopped', state, why };
    if (state.decision.choice === 'go-anyway') return { kind: 'goes-on', lines: [...lines, `waived: ${state.decision.reason ?? ''}`] };
  }
}

function orderGate(step: string, look: number, after: AfterEnvironment, target: string, why: string, lines: string[]): GateRequest {
  return {
    id: gateId('order', step, look),
    step,
    title: `${after.environment} comes first: continue?`,
    next: `Look again when every cluster of ${after.environment} has run ${target} for ${count(after.bakedDays, 'day')}.`,
    evidence: [{ title: why, lines: lines.length === 0 ? [`no cluster of ${after.environment} is known`] : lines }],
    undo: 'Nothing has been changed yet.',
    choices: [
      { id: 'look-again', label: 'Look again', style: 'primary', does: `Reads the clusters of ${after.environment} once more.` },
      { ...goAnyway(why), does: `Starts although ${why}.` },
      CHOICES.abort,
    ],
  };
}
