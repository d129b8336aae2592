/** The environment before this one has not stood on the target for long enough, or cannot be seen: nothing starts without a decision. */
import { isCancellation } from '@temporalio/workflow';
import type { AfterEnvironment, OrderVerdict } from '../../domain/policy/environments.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import { gateId } from '../contract/ids.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { waitingForDecision } from '../messages/gates.ts';
import { environmentNotReady, environmentOrderGate, environmentWaived } from '../messages/windows.ts';
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
export type OrderPass = { kind: 'goes-on'; lines: string[]; waived?: true } | { kind: 'stopped'; state: GateState; why: string };

export async function passOrder({ after, target, step, judge, ask, say }: OrderAsk): Promise<OrderPass> {
  for (let look = 1; ; look += 1) {
    const { status, lines } = await judge().catch((error: unknown): OrderVerdict => {
      if (isCancellation(error)) throw error;
      return { status: 'unknown', lines: [messageOf(error)] };
    });
    if (status === 'pass') return { kind: 'goes-on', lines };
    const why = environmentNotReady(after, target, status);
    say(waitingForDecision(why));
    const state = await ask({ ...environmentOrderGate(after, { target, why, seen: lines }), id: gateId('order', step, look), step });
    if (state.kind !== 'decided' || state.decision.choice === 'abort') return { kind: 'stopped', state, why };
    if (state.decision.choice === 'go-anyway')
      return { kind: 'goes-on', lines: [...lines, environmentWaived(state.decision.reason)], waived: true };
  }
}
