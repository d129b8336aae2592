/** Waits for people within a step: what a gate was open for is not what the step took. */
import type { GateState } from '../../gates/gate.ts';
import type { StepView } from '../record/status.ts';

interface Span {
  fromMs: number;
  toMs: number;
}

/**
 * Is its step at work while it is open? A roll goes on while people decide on a faster pace, EKS continues an update that takes long, and what a bake and
 * Istio's waves take has their bakes in it.
 */
export const isWorkedBeside = (gateId: string): boolean =>
  /^(?:pace:|bake:(?:bake|istio)@|blocked:(?:control-plane|control-plane-back|node-groups|add-ons-\w+)@)/.test(gateId);

/** Milliseconds of the span in which at least one of these gates was open, or the step was held. */
export function waitedMs(gates: readonly GateState[], within: Span, held: StepView['held'] = []): number {
  const spans = [
    ...gates.map((state) => ({ fromMs: Date.parse(state.gate.openedAt), toMs: closedMs(state) ?? within.toMs })),
    ...held.map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) })),
  ]
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(within.fromMs, fromMs), toMs: Math.min(within.toMs, toMs) }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
    .sort((a, b) => a.fromMs - b.fromMs);
  let [sumMs, doneMs] = [0, within.fromMs];
  for (const { fromMs, toMs } of spans) {
    sumMs += Math.max(0, toMs - Math.max(fromMs, doneMs));
    doneMs = Math.max(doneMs, toMs);
  }
  return sumMs;
}

/** undefined: open. */
function closedMs(state: GateState): number | undefined {
  switch (state.kind) {
    case 'open':
      return undefined;
    case 'decided':
      return Date.parse(state.decision.at);
    case 'expired':
    case 'withdrawn':
      return Date.parse(state.at);
  }
}
