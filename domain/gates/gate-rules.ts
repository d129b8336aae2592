/** The rules of a gate as pure functions: what may be decided, by whom, and what the clicker is told. Idempotent on decisionId. */
import { revisionIn } from './identity-proof.ts';
import { type ApproverRight, isMet, MAIN_RULE, progressOf, progressText, type RuleProgress } from './approvals.ts';
import {
  type DecideGateInput,
  type Decision,
  type DecisionReply,
  type Extension,
  type GateChoice,
  type GateDefinition,
  type GateState,
  type OpenGate,
  reasonProblem,
  WITHDRAW_VOTE,
} from './gate.ts';
import { type Actor, actorName, isSamePerson } from './actor.ts';
import { termsOf } from './bundling.ts';
import { defined } from '../core/defined.ts';

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

/** Answers a repeated decision like the first time; undefined for a new one. What nobody is proved to have sent answers for nobody. */
export function seenBefore(state: GateState, decisionId: string): DecisionReply | undefined {
  if (state.votes.some((vote) => vote.decisionId === decisionId)) return accepted(`Your decision for ${state.gate.id} is recorded.`);
  if (state.kind === 'open') {
    const earlier = state.refused.find(({ decision }) => decision.decisionId === decisionId && decision.actor.unproven !== true);
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
  const tooLong = reasonProblem(input.reason);
  if (tooLong !== undefined) return tooLong;
  const { gate } = state;
  if (input.choice !== WITHDRAW_VOTE) {
    const choice = gate.choices.find((candidate) => candidate.id === input.choice);
    if (choice === undefined) {
      return `"${input.choice}" is not a choice at gate ${input.gateId}; choose one of ${gate.choices.map((c) => c.id).join(', ')}.`;
    }
    const needsReason = choice.needsReason === true || input.breakGlass === true;
    if (needsReason && (input.reason ?? '').trim() === '')
      return `"${choice.label}"${input.breakGlass === true ? ' despite the rules' : ''} needs a reason.`;
  }
  const revision = revisionIn(input.decisionId);
  // Older ones are fine: two people who press the same message at once are both heard.
  if (!(revision <= gate.revision)) return `This message is out of date: gate ${input.gateId} has changed since. Use its newest message.`;
  if (input.breakGlass === true && input.planHash !== gate.planHash)
    return `Break-glass is for the plan that gate ${input.gateId} is about, ${gate.planHash ?? 'none'}, and for no other.`;
  if (input.planHash !== undefined && gate.planHash !== undefined && input.planHash !== gate.planHash)
    return `This message shows plan ${input.planHash}, and gate ${input.gateId} is about plan ${gate.planHash}. Look at the newest message.`;
  return undefined;
}

/** Takes a decision whose actor's right has been read. Looks at the gate again: it may have closed meanwhile. */
export function reduceDecision(state: GateState, decision: Decision, right: ApproverRight): { state: GateState; reply: DecisionReply } {
  const before = seenBefore(state, decision.decisionId);
  if (before !== undefined) return { state, reply: before };
  if (state.kind !== 'open') return { state, reply: refused(closedBecause(state)) };
  if (!right.allowed)
    return { state: withRefused(state, decision, right.why), reply: { ...refused(right.why), ...defined({ ask: right.ask }) } };
  if (decision.choice === WITHDRAW_VOTE) return withoutVote(state, decision);
  const choice = state.gate.choices.find((candidate) => candidate.id === decision.choice);
  if (choice === undefined) return { state, reply: refused(`"${decision.choice}" is not a choice at gate ${state.gate.id}.`) };
  const vote: Decision = right.rules === undefined ? decision : { ...decision, rules: right.rules };
  // One vote per person: the latest counts.
  const votes = [...state.votes.filter(({ actor }) => !isSamePerson(actor, vote.actor)), vote];
  const progress = choice.needsQuorum === false ? [] : progressOfGate(state.gate, votes, choice.id);
  if (!isMet(progress))
    return { state: stillOpen({ ...state, votes }), reply: accepted(`Recorded: ${choice.label}, ${progressText(progress)}.`) };
  return { state: { kind: 'decided', gate: state.gate, votes, decision: vote }, reply: accepted(`Recorded: ${choice.label}.`) };
}

/** So many different people pass a gate despite its rules. */
const GLASS_PEOPLE = 2;

/**
 * Takes a decision that is given despite the gate's rules. `person`: who AWS says it is; undefined where nobody is known, by `why`. Neither an expired gate
 * nor another plan is passed so, and one person is one vote whichever way it came.
 */
export function reduceBreakGlass(
  state: GateState,
  decision: Decision,
  { person, why, delayMs = 0 }: { person?: Actor; why: string; delayMs?: number },
): { state: GateState; reply: DecisionReply } {
  const before = seenBefore(state, decision.decisionId);
  if (before !== undefined) return { state, reply: before };
  if (state.kind !== 'open') return { state, reply: refused(closedBecause(state)) };
  if (person === undefined) return { state: withRefused(state, decision, why), reply: refused(why) };
  // It counts for no rule, whatever its giver could stand for.
  const vote: Decision = { ...decision, actor: person, rules: [], breakGlass: true };
  if (decision.choice === WITHDRAW_VOTE) return withoutVote(state, vote);
  const choice = state.gate.choices.find(({ id }) => id === decision.choice);
  if (choice === undefined) return { state, reply: refused(`"${decision.choice}" is not a choice at gate ${state.gate.id}.`) };
  const votes = [...state.votes.filter(({ actor }) => !isSamePerson(actor, person)), vote];
  const together = glassVotes(votes, choice.id);
  if (together.length < GLASS_PEOPLE) {
    const message = `Recorded: ${choice.label} despite the rules, 1 of ${GLASS_PEOPLE}. Another person has to send the same.`;
    return { state: stillOpen({ ...state, votes }), reply: accepted(message) };
  }
  if (delayMs > 0) {
    const at = new Date(Date.parse(decision.at) + delayMs).toISOString();
    // Who sends the same again does not win time.
    const glass = state.gate.glass?.choice === choice.id ? state.gate.glass : { choice: choice.id, at };
    const effect = expiresBefore(state.gate, glass.at)
      ? `It would take effect at ${glass.at}, but the gate expires first, at ${state.gate.expiresAt}: give it more time, or it ends unanswered.`
      : `It takes effect at ${glass.at}, unless an approver rejects the gate.`;
    const message = `Recorded: ${choice.label} despite the rules. ${effect}`;
    return { state: stillOpen({ ...state, votes, gate: { ...state.gate, glass } }), reply: accepted(message) };
  }
  return {
    state: { kind: 'decided', gate: state.gate, votes, decision: vote },
    reply: accepted(`Recorded: ${choice.label} despite the rules.`),
  };
}

/** Passes the gate despite its rules where that is due, and two people still want it. */
export function breakGlassNow(state: GateState, nowMs: number): GateState {
  if (state.kind !== 'open' || state.gate.glass === undefined) return state;
  const { glass } = state.gate;
  if (nowMs < Date.parse(glass.at)) return state;
  const together = glassVotes(state.votes, glass.choice);
  const decision = together.at(-1);
  if (decision === undefined || together.length < GLASS_PEOPLE) return state;
  return { kind: 'decided', gate: state.gate, votes: state.votes, decision };
}

/** A gate that has expired is not passed: its rules are not broken afterwards either. */
export const expiresBefore = ({ expiresAt }: Pick<GateDefinition, 'expiresAt'>, at: string): boolean =>
  Date.parse(expiresAt) <= Date.parse(at);

const glassVotes = (votes: readonly Decision[], choice: string): Decision[] =>
  votes.filter((one) => one.breakGlass === true && one.choice === choice);

/** Without the promise to pass it despite its rules, where fewer than two still want that. */
function withoutGlass(state: Open): Open {
  const { glass, ...gate } = state.gate;
  return glass === undefined || glassVotes(state.votes, glass.choice).length >= GLASS_PEOPLE ? state : { ...state, gate };
}

/** How far the votes for a choice have come; people who may stand for several rules stand for the one where it helps. */
export function progressOfGate(gate: GateDefinition, votes: readonly Decision[], choice: string): RuleProgress[] {
  return progressOf(
    gate.rules ?? [{ name: MAIN_RULE, quorum: gate.quorum }],
    votes.filter((vote) => vote.choice === choice),
  );
}

/** Of the choices that need the gate's rules, the one with the most votes; the first of them where none has more. */
export function leadingChoice({ choices }: GateDefinition, votes: readonly Decision[]): GateChoice | undefined {
  const votesFor = ({ id }: GateChoice): number => votes.filter(({ choice }) => choice === id).length;
  return choices
    .filter(({ needsQuorum }) => needsQuorum !== false)
    .reduce<GateChoice | undefined>((best, each) => (best === undefined || votesFor(each) > votesFor(best) ? each : best), undefined);
}

type Open = Extract<GateState, { kind: 'open' }>;

/** What a status says of it. */
export function openGate({ gate, votes }: Open): OpenGate {
  const { id, title, openedAt, expiresAt, revision, planHash, byItself, next, evidence, undo } = gate;
  const voted = votes.flatMap(({ actor }) => (actor.kind === 'slack' ? [actor.id] : []));
  const main = gate.quorum > 1 ? leadingChoice(gate, votes) : undefined;
  const progress = main === undefined ? undefined : progressText(progressOfGate(gate, votes, main.id));
  return {
    id,
    title,
    choices: gate.choices.map((choice) => choice.id),
    offers: gate.choices.map(({ label, does, style, needsReason }) => ({ label, does, ...defined({ style, needsReason }) })),
    openedAt,
    expiresAt,
    ...(voted.length === 0 ? {} : { voted }),
    revision,
    planHash,
    progress,
    next,
    evidence,
    undo,
    ...defined({ byItself, terms: termsOf(gate), extended: gate.extended?.map(({ at, byMs }) => ({ at, byMs })) }),
  };
}

/** Temporal answers a repeated update id as it did the first time: only a new revision lets the same person press again. */
function stillOpen(given: Open): Open {
  const state = withoutGlass(given);
  return { ...state, gate: { ...state.gate, revision: state.gate.revision + 1 } };
}

function withRefused(state: Open, decision: Decision, why: string): Open {
  return stillOpen({ ...state, refused: [...state.refused, { decision, why }] });
}

/** Without the vote of somebody who may not decide any more. */
export function dropVote(state: GateState, { decisionId }: Decision): GateState {
  if (state.kind !== 'open') return state;
  const votes = state.votes.filter((vote) => vote.decisionId !== decisionId);
  return votes.length < state.votes.length ? stillOpen({ ...state, votes }) : state;
}

function withoutVote(state: Open, decision: Decision): { state: GateState; reply: DecisionReply } {
  const votes = state.votes.filter(({ actor }) => !isSamePerson(actor, decision.actor));
  if (votes.length < state.votes.length) return { state: stillOpen({ ...state, votes }), reply: accepted('Your vote is withdrawn.') };
  return { state, reply: refused(`You have no vote at gate ${state.gate.id}.`) };
}

/** Nobody decides by forgetting: more time ends a week from now at the latest. */
export const LONGEST_EXTENSION_MS = 7 * 24 * 60 * 60 * 1000;

/** Moves the deadline of an open gate. */
export function reduceExtension(state: GateState, extension: Extension): { state: GateState; reply: DecisionReply } {
  if (state.kind !== 'open') return { state, reply: refused(closedBecause(state)) };
  const { gate } = state;
  const expiresMs = Date.parse(gate.expiresAt) + extension.byMs;
  if (!(extension.byMs > 0)) return { state, reply: refused('Say by how much, such as 2h or 1d.') };
  if (expiresMs - Date.parse(extension.at) > LONGEST_EXTENSION_MS)
    return { state, reply: refused(`Gate ${gate.id} waits until ${gate.expiresAt}; more time may end a week from now at the latest.`) };
  const expiresAt = new Date(expiresMs).toISOString();
  const extended = stillOpen({ ...state, gate: { ...gate, expiresAt, extended: [...(gate.extended ?? []), extension] } });
  return { state: extended, reply: accepted(`Gate ${gate.id} now waits until ${expiresAt}.`) };
}

export function expireGate(state: GateState, at: string): GateState {
  return state.kind === 'open' ? { kind: 'expired', gate: state.gate, votes: state.votes, at } : state;
}

export function withdrawGate(state: GateState, at: string, why: string): GateState {
  return state.kind === 'open' ? { kind: 'withdrawn', gate: state.gate, votes: state.votes, at, why } : state;
}
