/** Decisions at gates: votes that no longer count, that came late, or that pass a gate despite its rules; and more time. */
import { type Actor, actorName } from '../../domain/gates/actor.ts';
import { because, utcMinute } from '../../domain/core/text.ts';
import { expiresBefore } from '../../domain/gates/gate-rules.ts';
import { type Decision, type GateState, WITHDRAW_VOTE } from '../../domain/gates/gate.ts';
import { alarm, info, type Note, warning } from './note.ts';

/** What the audit record says of it as well. */
export const voteDroppedBecause = (voter: Actor, why: string): string => `the vote of ${actorName(voter)} no longer counts: ${why}`;

/** `gate`: its title. */
export const voteDropped = (voter: Actor, gate: string, why: string): Note =>
  warning(`The vote of ${actorName(voter)} at "${gate}" no longer counts: ${why}`);

export const upgradeHandedToVoter = (): string => 'the upgrade was handed over to them.';

/** Its sender is no longer there to be answered. */
export const lateDecisionRefused = (choice: string, by: Actor, why: string): Note =>
  warning(`"${choice}" by ${actorName(by)} arrived late and was refused: ${why}`);

/** `gate`: its title. */
export const moreTimeGiven = (by: Actor, gate: string, until: string, reason: string | undefined): Note =>
  info(`${actorName(by)} extended "${gate}" to ${utcMinute(until)}${because(reason)}`);

export const noSuchGate = (gate: string): string => `There is no gate ${gate} here; it may belong to an earlier run.`;

export const approversUnread = (): string => 'Could not check who may decide, so nothing was decided. Try again.';

export const earlierVotersUnread = (): string =>
  'Could not check whether earlier voters may still decide, so nothing was decided. Try again.';

export const policyUnread = (): string => 'The run has not read its policy yet; try again in a moment.';

/** Why an open gate is withdrawn. */
export const runStops = (): string => 'the run is being stopped';

export const breakGlassUnverified = (): string =>
  'Break-glass is only for people identified by AWS (people in belay.yaml), with "belay break-glass". approvals.allowUnverifiedCli does not change that.';

/** For everybody in the channel; `state` has the decision already. */
export function breakGlass(state: GateState, { actor, choice, reason = '' }: Decision): Note {
  const { gate } = state;
  const label = gate.choices.find(({ id }) => id === choice)?.label ?? choice;
  const who = withArn(actor);
  if (choice === WITHDRAW_VOTE) return alarm(`BREAK GLASS: ${who} no longer wants to pass "${gate.title}" despite its rules.`);
  const { glass } = gate;
  if (state.kind === 'open' && glass?.choice === choice)
    return alarm(
      `BREAK GLASS: "${gate.title}" will be answered with ${label} DESPITE ITS RULES at ${utcMinute(glass.at)}, last requested by ${who}: ${reason}. Not before: until then any approver can reject the gate, and either of the two who requested this can withdraw.${expiresBefore(gate, glass.at) ? ` But the gate expires first, at ${utcMinute(gate.expiresAt)}: give it more time, or it ends unanswered.` : ''}`,
    );
  if (state.kind !== 'decided')
    return alarm(
      `BREAK GLASS: ${who} requests ${label} for "${gate.title}" despite its rules: ${reason}. Nothing happens before a second person identified by AWS requests the same and the delay after that has passed. Any approver can still reject the gate.`,
    );
  const others = state.votes.filter((vote) => vote.breakGlass === true && vote.choice === choice && vote.actor.id !== actor.id);
  const first = others.map((vote) => `${actorName(vote.actor)} (${vote.actor.aws ?? vote.actor.id}): ${vote.reason ?? ''}`).join('; ');
  return alarm(`BREAK GLASS: "${gate.title}" was answered with ${label} DESPITE ITS RULES by ${first} and ${who}: ${reason}.`);
}

const withArn = (actor: Actor): string => `${actorName(actor)}${actor.aws === undefined ? '' : ` (${actor.aws})`}`;
