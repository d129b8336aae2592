/** Votes age: who gave them may have lost the right since, or may have become the requester. */
import type { ApproverRight } from '../../domain/gates/approvals.ts';
import { type Actor, isSamePerson } from '../../domain/gates/actor.ts';
import type { Decision } from '../../domain/gates/gate.ts';
import { dropVote, reduceDecision } from '../../domain/gates/gate-rules.ts';
import { phaseOf } from '../../domain/core/phases.ts';
import { earlierVotersUnread, upgradeHandedToVoter, voteDropped, voteDroppedBecause } from '../messages/votes.ts';
import { gateAnswered } from '../reporting/audit/gate-events.ts';
import { readRight } from './authorize.ts';
import { defined } from '../../domain/core/defined.ts';
import type { GateStates } from './gate-states.ts';
import { isEscalated } from './reminders.ts';

const UNREAD = earlierVotersUnread();

/**
 * `press`: what it has in common with votes at other runs.
 * Where this decision would close the gate with the help of earlier votes, their givers' rights are read again, and what no longer counts is dropped.
 * Why nothing can be decided now, where that cannot be read.
 */
export async function readVotesAgain(
  states: GateStates,
  decision: Decision,
  right: ApproverRight,
  press?: string,
): Promise<string | undefined> {
  const { context } = states;
  const before = states.of(decision.gateId);
  const { state } = reduceDecision(before, decision, right);
  if (before.kind !== 'open' || state.kind !== 'decided') return undefined;
  const { gate } = before;
  const helping = before.votes.filter(
    ({ choice, actor, breakGlass }) => choice === decision.choice && breakGlass !== true && !isSamePerson(actor, decision.actor),
  );
  for (const vote of helping) {
    const now = await readRight(context, vote.actor, UNREAD, {
      as: 'voter',
      claim: { words: '' },
      ...defined({ press }),
      phase: phaseOf(gate.step),
      escalated: isEscalated(context.policy.approvals, gate),
    });
    if (now.unread === true || now.why === UNREAD) return UNREAD;
    if (!now.allowed) drop(states, gate.id, vote, now.why);
  }
  return undefined;
}

/** Whoever asks for the run from now on has no vote at its gates. */
export function dropVotesOf(states: GateStates, person: Actor): void {
  if (states.attached?.policy.approvals.allowRequester !== false) return;
  for (const { kind, votes, gate } of states.all)
    for (const vote of kind === 'open' ? votes : [])
      if (isSamePerson(vote.actor, person)) drop(states, gate.id, vote, upgradeHandedToVoter());
}

function drop(states: GateStates, gateId: string, vote: Decision, why: string): void {
  const state = states.of(gateId);
  const dropped = dropVote(state, vote);
  if (dropped === state) return;
  const { announcer, audit } = states.context;
  states.set(dropped);
  const reply = { accepted: false, message: voteDroppedBecause(vote.actor, why) };
  audit(gateAnswered(state.gate, { ...vote, at: new Date().toISOString() }, reply, { allowed: false, why }));
  announcer.note(voteDropped(vote.actor, state.gate.title, why));
}
