/** What the audit record says of a gate. */
import type { AuditEvent } from '../domain/audit.ts';
import { actorName, type Decision, type DecisionReply, type GateDefinition, type GateState, WITHDRAW_VOTE } from '../domain/gate.ts';

export function gateOpened({ id, step, title, next, undo, evidence, planHash, openedAt, expiresAt }: GateDefinition): AuditEvent {
  const what = `${title}: people are asked until ${expiresAt}`;
  return { id: `gate/${id}`, at: openedAt, kind: 'gate', what, step, gate: id, planHash, shown: { title, next, undo, evidence } };
}

/** A vote that counts, or an attempt that was refused: who was told what. */
export function gateAnswered({ id, step, title, planHash }: GateDefinition, decision: Decision, reply: DecisionReply): AuditEvent {
  const { actor, choice, reason, decisionId, at } = decision;
  const did = choice === WITHDRAW_VOTE ? 'takes back the vote' : choice;
  return {
    id: `vote/${decisionId}/${reply.accepted ? 'counts' : 'refused'}`,
    at,
    kind: reply.accepted ? 'vote' : 'refused',
    what: `${title}: ${did}. ${reply.message}`,
    actor,
    step,
    gate: id,
    choice,
    reason,
    planHash,
  };
}

export function gateClosed(state: Exclude<GateState, { kind: 'open' }>): AuditEvent {
  const { id, step, title, planHash } = state.gate;
  const base = { id: `closed/${id}`, kind: 'closed', step, gate: id, planHash } as const;
  switch (state.kind) {
    case 'decided': {
      const { choice, actor, at } = state.decision;
      return { ...base, at, what: `${title}: decided, ${choice} with the vote of ${actorName(actor)}`, choice };
    }
    case 'expired':
      return { ...base, at: state.at, what: `${title}: expired, nobody decided in time` };
    case 'withdrawn':
      return { ...base, at: state.at, what: `${title}: withdrawn, ${state.why}` };
  }
}
