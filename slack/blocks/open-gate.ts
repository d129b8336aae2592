/** An open gate as a status knows it, for one person: as a message that only they see, and in a modal. */
import type { KnownBlock } from '@slack/types';
import type { OpenGate } from '../../domain/gates/gate.ts';
import { decideBy, moreInThread, toDecide, votesSoFar } from '../messages/gates.ts';
import { type Asked, choiceButtons, joined, planText, withdrawing } from './gate.ts';
import { gateDetails } from './gate-body.ts';
import { actions, context, header, message, type Rendered, sections } from './kit/elements.ts';
import { LIMITS, mentions, mrkdwn } from './kit/text.ts';
import { when } from './kit/time.ts';

type Known = OpenGate & { workflowId: string };

/** What buttons of a modal begin with: a press there has a view, and neither a message nor a channel. */
export const REVIEW_CHOICES = 'review/choose/';

/** All that an open gate says, and its buttons. `run`: run id of the upgrade. */
export function openGateBlocks(gate: Known, run: string): Rendered {
  return message(toDecide(mrkdwn(gate.title, 300)), [
    ...headOf(gate),
    ...gateDetails(gate),
    ...context([joined(mrkdwn(gate.progress ?? '', 300), planText(gate))]),
    ...actions(choiceButtons(boundTo(gate, run), askedOf(gate))),
  ]);
}

/** The same for a modal, with the votes. `user`: who looks, and may take a vote of their own back. */
export function reviewBlocks(gate: Known, run: string, user: string): KnownBlock[] {
  const { id, progress = '', voted = [] } = gate;
  const bound = boundTo(gate, run);
  const own = voted.filter((each) => each === user);
  const head = headOf(gate);
  const votes = voted.length === 0 ? '' : votesSoFar(mentions({ users: voted, groups: [] }));
  const tail = [
    ...context([joined(mrkdwn(progress, 300), votes, planText(gate))]),
    ...actions([...choiceButtons(bound, askedOf(gate), REVIEW_CHOICES), ...withdrawing(bound, id, own, REVIEW_CHOICES)]),
  ];
  const body = gateDetails(gate);
  const room = LIMITS.modalBlocks - head.length - tail.length;
  if (body.length <= room) return [...head, ...body, ...tail];
  return [...head, ...body.slice(0, room - 1), ...context([moreInThread()]), ...tail];
}

const headOf = ({ title, expiresAt }: Known): KnownBlock[] => [header(`⏳ ${title}`), ...sections([decideBy('', when(expiresAt))])];

const boundTo = ({ workflowId, revision = 1 }: Known, run: string): { workflowId: string; revision: number; run: string } => ({
  workflowId,
  revision,
  run,
});

function askedOf({ id, title, next = '', planHash, choices, offers = [] }: Known): Asked {
  return {
    id,
    title,
    next,
    planHash,
    choices: choices.map((choice, index) => ({ label: choice, does: '', ...offers[index], id: choice })),
  };
}
