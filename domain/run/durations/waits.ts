/** Waits for people within a step: what a gate was open for is not what the step took. */
import type { GateState } from '../../gates/gate.ts';

interface Span {
  fromMs: number;
  toMs: number;
}

/** Milliseconds of the span in which at least one of these gates was open. */
export function waitedMs(gates: readonly GateState[], within: Span): number {
  const spans = gates
    .map((state) => ({
      fromMs: Math.max(within.fromMs, Date.parse(state.gate.openedAt)),
      toMs: Math.min(within.toMs, closedMs(state) ?? within.toMs),
    }))
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
