/** What the audit record says of a gate. */
import type { ApproverRight } from '../../../domain/gates/approvals.ts';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import {
  type Decision,
  type DecisionReply,
  type Extension,
  type GateDefinition,
  type GateState,
  WITHDRAW_VOTE,
} from '../../../domain/gates/gate.ts';
import { actorName } from '../../../domain/gates/actor.ts';
import { defined } from '../../../domain/core/defined.ts';
import { formatDuration } from '../../../domain/core/parse-duration.ts';

export function gateOpened({ id, step, title, next, undo, evidence, planHash, openedAt, expiresAt }: GateDefinition): AuditEvent {
  const what = `${title}: people are asked until ${expiresAt}`;
  return { id: `gate/${id}`, at: openedAt, kind: 'gate', what, step, gate: id, planHash, shown: { title, next, undo, evidence } };
}

/** A vote that counts, or an attempt that was refused: who was told what. */
export function gateAnswered(
  { id, step, title, planHash }: GateDefinition,
  decision: Decision,
  reply: DecisionReply,
  { why, rules, through }: ApproverRight,
): AuditEvent {
  const { actor, choice, reason, decisionId, at } = decision;
  const glass = decision.breakGlass === true ? ' despite the rules (break-glass)' : '';
  const along = decision.bundle === undefined ? '' : `, along with equal gates (${decision.bundle})`;
  const did = `${choice === WITHDRAW_VOTE ? 'withdraws the vote' : choice}${glass}${along}`;
  return {
    // What is claimed under somebody's id must not keep what they are refused themselves off the record.
    id: `vote/${decisionId}/${reply.accepted ? 'counts' : actor.unproven === true ? 'claimed' : 'refused'}`,
    at,
    kind: reply.accepted ? 'vote' : 'refused',
    what: `${title}: ${did}. ${reply.message}`,
    actor,
    step,
    gate: id,
    choice,
    reason,
    right: { why, ...defined({ rules, through }) },
    planHash,
  };
}

/** More time, or who was refused it. */
export function gateExtended(
  { id, step, title }: GateDefinition,
  { actor, byMs, reason, at }: Extension,
  reply: DecisionReply,
): AuditEvent {
  const kind = reply.accepted ? 'command' : 'refused';
  return {
    id: `extend/${id}/${actor.id}/${at}`,
    at,
    kind,
    what: `${title}: more time, ${formatDuration(byMs)}. ${reply.message}`,
    actor,
    step,
    gate: id,
    reason,
  };
}

export function gateClosed(state: Exclude<GateState, { kind: 'open' }>): AuditEvent {
  const { id, step, title, planHash } = state.gate;
  const base = { id: `closed/${id}`, kind: 'closed', step, gate: id, planHash } as const;
  switch (state.kind) {
    case 'decided': {
      const { choice, actor, at } = state.decision;
      const glass = state.decision.breakGlass === true ? ' DESPITE THE RULES' : '';
      return { ...base, at, what: `${title}: decided, ${choice}${glass} with the vote of ${actorName(actor)}`, choice };
    }
    case 'expired':
      return { ...base, at: state.at, what: `${title}: expired, nobody decided in time` };
    case 'withdrawn':
      return { ...base, at: state.at, what: `${title}: withdrawn, ${state.why}` };
  }
}
