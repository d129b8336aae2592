/** Passing a gate despite its rules: who may, and how loudly it is said. */
import type { ApproverRight } from '../../domain/gates/approvals.ts';
import { type Decision, type GateState, WITHDRAW_VOTE } from '../../domain/gates/gate.ts';
import { type Actor, actorName } from '../../domain/gates/actor.ts';

const UNVERIFIED =
  'Break-glass is for people whom AWS knows (people in belay.yaml), by "belay break-glass"; nobody else is taken, whatever approvals.allowUnverifiedCli says.';

/** The person whom approvals.breakGlass names; without a proof by AWS there is none. */
export function glassRight({ allowed, person, why }: ApproverRight): { person?: Actor; why: string } {
  if (person?.aws === undefined) return { why: allowed ? UNVERIFIED : why };
  return allowed ? { person, why } : { why };
}

/** For everybody in the channel. */
export function glassWords(state: GateState, { actor, choice, reason }: Decision): string {
  const { gate } = state;
  const label = gate.choices.find(({ id }) => id === choice)?.label ?? choice;
  const who = `${actorName(actor)}${actor.aws === undefined ? '' : ` (${actor.aws})`}`;
  if (choice === WITHDRAW_VOTE) return `BREAK GLASS: ${who} takes back what was to pass "${gate.title}" despite its rules.`;
  const { glass } = gate;
  if (state.kind === 'open' && glass?.choice === choice)
    return `BREAK GLASS: "${gate.title}" is answered with ${label} DESPITE ITS RULES at ${glass.at}, wanted last by ${who}: ${reason ?? ''}. Until then every approver can reject the gate, and both who want it can take that back.`;
  if (state.kind !== 'decided')
    return `BREAK GLASS: ${who} wants "${gate.title}" answered with ${label} despite its rules: ${reason ?? ''}. It is passed as soon as another person whom AWS knows sends the same. Whoever may decide can still reject it.`;
  const others = state.votes.filter((vote) => vote.breakGlass === true && vote.choice === choice && vote.actor.id !== actor.id);
  const first = others.map((vote) => `${actorName(vote.actor)} (${vote.actor.aws ?? vote.actor.id}): ${vote.reason ?? ''}`).join('; ');
  return `BREAK GLASS: "${gate.title}" is answered with ${label} DESPITE ITS RULES by ${first} and ${who}: ${reason ?? ''}.`;
}
