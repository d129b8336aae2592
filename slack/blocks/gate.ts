/** A gate's message: what is to be decided, on which evidence, what can be undone afterwards; and how it ended. */
import type { Button } from '@slack/types';
import { type AuditHead, headText } from '../../domain/gates/audit.ts';
import { progressText } from '../../domain/gates/approvals.ts';
import { type Decision, type GateChoice, type GateDefinition, type GateState, WITHDRAW_VOTE } from '../../domain/gates/gate.ts';
import { leadingChoice, progressOfGate } from '../../domain/gates/gate-rules.ts';
import { actions, button, context, header, message, type Rendered, sections } from './kit/elements.ts';
import { evidenceInShort, type GateBody, gateBody, undoText } from './gate-body.ts';
import { LIMITS, mentions, mrkdwn, mrkdwnLines, person } from './kit/text.ts';
import { when } from './kit/time.ts';
import { DETAILS_ACTION, type DetailsValue, type ExtendValue, type GateValue } from './kit/button-values.ts';
import {
  decideBy,
  decided,
  detailsLabel,
  gateExpired,
  gateWithdrawn,
  reminder,
  stillToDecide,
  toDecide,
  voteRefused,
  withdrawVote,
} from '../messages/gates.ts';

export interface GateInput {
  state: GateState;
  /** The workflow that waits for the gate. */
  workflowId: string;
  revision: number;
  mention: { users: string[]; groups: string[] };
  /** Run id of the upgrade. */
  run?: string;
  /** The newest entry of the run's audit record: the thread keeps it where nobody can change it. */
  record?: AuditHead;
}

export function gateBlocks(input: GateInput): Rendered {
  const { state } = input;
  const { gate } = state;
  switch (state.kind) {
    case 'open': {
      const who = mentions(input.mention);
      const parked = gate.byItself === true;
      const body = gateBody(gate);
      return message(parked ? mrkdwn(gate.title, 300) : `${who === '' ? '' : `${who} `}${toDecide(mrkdwn(gate.title, 300))}`, [
        header(`${parked ? '🅿' : '⏳'} ${gate.title}`),
        ...(parked ? [] : sections([decideBy(who, when(gate.expiresAt))])),
        ...body.blocks,
        ...context([
          joined(votesLine(gate, state.votes), planText(gate), recordText(input)),
          state.refused
            .slice(-3)
            .map(({ decision, why }) => voteRefused(person(decision.actor), mrkdwn(why, 150)))
            .join(' · '),
        ]),
        ...actions([
          ...choiceButtons(input, gate),
          ...withdrawing(input, gate.id, state.votes),
          ...detailing(input, gate, body),
          ...extending(input, gate),
        ]),
      ]);
    }
    case 'decided': {
      const line = decidedLine(gate, state.decision);
      const others = state.votes.filter((vote) => vote.decisionId !== state.decision.decisionId);
      return closed(input, iconOf(gate, state.decision), [line, ...others.map((vote) => decidedLine(gate, vote))]);
    }
    case 'expired':
      return closed(input, '⌛', [gateExpired(when(state.at))]);
    case 'withdrawn':
      return closed(input, '↩', [gateWithdrawn(when(state.at), mrkdwn(state.why, 400))]);
  }
}

/** A short nudge below the gate's own message, which has the buttons. */
export function reminderBlocks(input: GateInput): Rendered {
  const { gate } = input.state;
  if (input.state.kind !== 'open') return gateBlocks(input);
  const who = mentions(input.mention);
  const line = reminder(mrkdwn(gate.title, 200), who, when(gate.expiresAt));
  return message(stillToDecide(mrkdwn(gate.title, 300)), sections([line]));
}

export const planText = ({ planHash }: Pick<GateDefinition, 'planHash'>): string =>
  planHash === undefined ? '' : `plan ${mrkdwn(planHash, 12)}`;

export const joined = (...parts: string[]): string => parts.filter((part) => part !== '').join(' · ');

const recordText = ({ record }: GateInput): string => (record === undefined ? '' : headText(record));

function closed(input: GateInput, icon: string, lines: string[]): Rendered {
  const { gate } = input.state;
  return message(`${icon} ${mrkdwn(gate.title, 200)}: ${lines[0] ?? ''}`, [
    header(`${icon} ${gate.title}`),
    ...sections(lines),
    ...context([
      mrkdwnLines(gate.next, 1_000),
      // What weighed in the decision in short: the record has it all.
      ...gate.evidence.slice(0, 7).flatMap(evidenceInShort),
      undoText(gate.undo),
      recordText(input),
    ]),
  ]);
}

function votesLine(gate: GateDefinition, votes: Decision[]): string {
  const main = leadingChoice(gate, votes);
  if (main === undefined || gate.quorum <= 1) return '';
  const given = votes.slice(0, 5).map((vote) => `${labelOf(gate, vote.choice)} by ${person(vote.actor)}`);
  const progress = progressText(progressOfGate(gate, votes, main.id));
  return `${mrkdwn(main.label, 75)}: ${mrkdwn(progress, 300)}${given.length === 0 ? '' : ` (${given.join(', ')})`}`;
}

function decidedLine(gate: GateDefinition, decision: Decision): string {
  const { choice, actor, at, breakGlass, reason = '' } = decision;
  return decided(labelOf(gate, choice), {
    person: person(actor),
    at: when(at),
    despiteRules: breakGlass === true,
    reason: reason.trim() === '' ? undefined : mrkdwn(reason, 500),
  });
}

/** What the button of a choice says. */
export function labelOf(gate: GateDefinition, choice: string): string {
  return mrkdwn(choiceOf(gate, choice)?.label ?? choice, LIMITS.buttonText);
}

function choiceOf(gate: GateDefinition, choice: string): GateChoice | undefined {
  return gate.choices.find(({ id }) => id === choice);
}

function iconOf(gate: GateDefinition, decision: Decision): string {
  const style = choiceOf(gate, decision.choice)?.style;
  if (style === 'danger') return '🛑';
  return style === 'primary' ? '✅' : '☑';
}

/** Once somebody has voted and more have to. */
export function withdrawing(
  { workflowId, revision, run }: Pick<GateInput, 'workflowId' | 'revision' | 'run'>,
  gateId: string,
  votes: readonly unknown[],
  actionIds = 'gate/',
): Button[] {
  if (votes.length === 0) return [];
  const value: GateValue = { gateId, workflowId, choice: WITHDRAW_VOTE, revision, run };
  const element = button({ actionId: `${actionIds}${WITHDRAW_VOTE}`, label: withdrawVote(), value });
  return element === undefined ? [] : [element];
}

/** Where the message does not show everything. */
function detailing({ workflowId, run }: GateInput, { id }: GateDefinition, { isCut }: GateBody): Button[] {
  if (!isCut) return [];
  const value: DetailsValue = { workflowId, gate: id, run };
  const element = button({ actionId: DETAILS_ACTION, label: detailsLabel(), value });
  return element === undefined ? [] : [element];
}

/** For gates that expire; those that go on by themselves have no need of it. */
function extending({ workflowId, run }: GateInput, { id, title, expiresAt, byItself }: GateDefinition): Button[] {
  if (byItself === true) return [];
  const value: ExtendValue = { workflowId, gate: id, title: title.slice(0, 200), until: expiresAt, run };
  const element = button({ actionId: 'upgrade/extend', label: 'More time', value });
  return element === undefined ? [] : [element];
}

/** What buttons say of their gate. */
export interface Asked extends Pick<GateDefinition, 'id' | 'title' | 'next' | 'planHash'> {
  choices: (Omit<GateChoice, 'id'> & { id: string })[];
}

/** Repeats what will happen, for all that cannot be taken back by pressing something else. */
function confirmation(
  gate: Asked,
  { id, label, style, needsQuorum, does }: Asked['choices'][number],
): { title: string; text: string } | undefined {
  if (style === undefined && needsQuorum === false) return undefined;
  // What the best choice does is what the gate says happens next.
  const goesOn = style === 'primary' && id === gate.choices[0]?.id;
  return { title: `${label}: ${gate.title}`, text: goesOn ? gate.next : does };
}

/** Each carries all that its vote is bound to. `actionIds`: what they begin with. */
export function choiceButtons(
  { workflowId, revision, run }: Pick<GateInput, 'workflowId' | 'revision' | 'run'>,
  gate: Asked,
  actionIds = 'gate/',
): Button[] {
  return gate.choices
    .map((choice) => {
      const { id, label, style, needsReason, does } = choice;
      const asks = needsReason === true;
      const value: GateValue = {
        gateId: gate.id,
        workflowId,
        choice: id,
        revision,
        run,
        planHash: gate.planHash,
        ask: asks ? { label: label.slice(0, 75), does: does.slice(0, 400) } : undefined,
      };
      // The form for the reason asks once already.
      const confirm = asks ? undefined : confirmation(gate, choice);
      return button({ actionId: `${actionIds}${id}`, label, value, style, confirm });
    })
    .filter((element) => element !== undefined);
}
