/** The rules of a gate as pure functions: what may be decided, by whom, and what the clicker is told. Idempotent on decisionId. */
import { actorName, type DecideGateInput, type Decision, type DecisionReply, type GateState } from './gate.ts';

const accepted = (message: string): DecisionReply => ({ accepted: true, message });
const refused = (message: string): DecisionReply => ({ accepted: false, message });

/** How a closed gate was closed, as one sentence. */
function closedBecause(state: Exclude<GateState, { kind: 'open' }>): string {
  switch (state.kind) {
    case 'decided':
      return `Gate ${state.gate.id} was already decided: ${state.decision.choice} by ${actorName(state.decision.actor)} at ${state.decision.at}.`;
    case 'expired':
      return `Gate ${state.gate.id} expired at ${state.at}; nobody decided in time.`;
    case 'withdrawn':
      return `Gate ${state.gate.id} was withdrawn at ${state.at}: ${state.why}.`;
  }
}

/** Answers a repeated decision like the first time; undefined for a new one. */
function seenBefore(state: GateState, decisionId: string): DecisionReply | undefined {
  if (state.votes.some((vote) => vote.decisionId === decisionId)) return accepted(`Your decision for ${state.gate.id} is recorded.`);
  if (state.kind === 'open') {
    const earlier = state.refused.find((entry) => entry.decision.decisionId === decisionId);
    if (earlier !== undefined) return refused(earlier.why);
  }
  return undefined;
}

/**
 * The synchronous part: why a decision cannot be taken at all, or undefined. A repeated decisionId passes (the reducer answers it as before).
 * `state` undefined: this workflow has no such gate.
 */
export function validateDecision(state: GateState | undefined, input: DecideGateInput): string | undefined {
  if (state === undefined) return `There is no gate ${input.gateId} here; it may belong to an earlier run.`;
  if (seenBefore(state, input.decisionId) !== undefined) return undefined;
  if (state.kind !== 'open') return closedBecause(state);
  const choice = state.gate.choices.find((candidate) => candidate.id === input.choice);
  if (choice === undefined) {
    return `"${input.choice}" is not a choice at gate ${input.gateId}; choose one of ${state.gate.choices.map((c) => c.id).join(', ')}.`;
  }
  if (choice.needsReason === true && (input.reason ?? '').trim() === '') return `"${choice.label}" needs a reason.`;
  const revision = Number(input.decisionId.slice(input.decisionId.lastIndexOf(':') + 1));
  if (revision !== state.gate.revision)
    return `This message is out of date: gate ${input.gateId} has changed since. Use its newest message.`;
  return undefined;
}

/** Takes a decision whose actor's right has been read. Looks at the gate again: it may have closed meanwhile. */
export function reduceDecision(
  state: GateState,
  decision: Decision,
  right: { allowed: boolean; why: string },
): { state: GateState; reply: DecisionReply } {
  const before = seenBefore(state, decision.decisionId);
  if (before !== undefined) return { state, reply: before };
  if (state.kind !== 'open') return { state, reply: refused(closedBecause(state)) };
  if (!right.allowed) {
    // Temporal answers a repeated update id as it did the first time: only a new revision lets the same person ask anew.
    const gate = { ...state.gate, revision: state.gate.revision + 1 };
    return { state: { ...state, gate, refused: [...state.refused, { decision, why: right.why }] }, reply: refused(right.why) };
  }
  const choice = state.gate.choices.find((candidate) => candidate.id === decision.choice);
  if (choice === undefined) return { state, reply: refused(`"${decision.choice}" is not a choice at gate ${state.gate.id}.`) };
  // One vote per person: the latest counts.
  const votes = [...state.votes.filter((vote) => vote.actor.id !== decision.actor.id), decision];
  const agreeing = votes.filter((vote) => vote.choice === decision.choice).length;
  const needed = choice.needsQuorum === true ? state.gate.quorum : 1;
  if (agreeing < needed) {
    return { state: { ...state, votes }, reply: accepted(`Recorded: ${choice.label}, ${agreeing} of ${needed} approvals.`) };
  }
  return { state: { kind: 'decided', gate: state.gate, votes, decision }, reply: accepted(`Recorded: ${choice.label}.`) };
}

export function expireGate(state: GateState, at: string): GateState {
  return state.kind === 'open' ? { kind: 'expired', gate: state.gate, votes: state.votes, at } : state;
}

export function withdrawGate(state: GateState, at: string, why: string): GateState {
  return state.kind === 'open' ? { kind: 'withdrawn', gate: state.gate, votes: state.votes, at, why } : state;
}
