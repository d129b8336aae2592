/** The direct message about a gate, and the one by which Belay knows who asked for such messages. */
import { z } from 'zod';
import { progressText } from '../../domain/gates/approvals.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import { leadingChoice, progressOfGate } from '../../domain/gates/gate-rules.ts';
import { campaignNameOf } from '../../workflows/contract/campaign.ts';
import { clusterNameOf } from '../../workflows/contract/ids.ts';
import { gateWaitsForYou, stopMessagingLabel, subscribed, unsubscribed, whoMayDecide } from '../messages/direct.ts';
import { reviewLabel } from '../messages/gates.ts';
import { gateBlocks, type GateInput, joined } from './gate.ts';
import { NOTIFY_ACTIONS, REVIEW_OPENS } from './home.ts';
import type { ReviewValue } from './kit/button-values.ts';
import { actions, button, message, type Rendered, sections } from './kit/elements.ts';
import { link, mentions, mrkdwn } from './kit/text.ts';
import { when } from './kit/time.ts';

/** One form for open and closed: the closed one has no buttons. `url`: of the gate's message. */
export function directGateBlocks(input: GateInput, url: string | undefined): Rendered {
  const { state, workflowId, run, mention } = input;
  const { gate } = state;
  const name = mrkdwn(campaignNameOf(workflowId) ?? clusterNameOf(workflowId), 100);
  const more = url === undefined ? [] : [link(url, 'Open its message')];
  if (state.kind !== 'open') {
    const { text } = gateBlocks(input);
    return message(`${name}: ${text}`, sections([`*${name}*: ${text}`, ...more]));
  }
  const who = mentions(mention);
  const value: ReviewValue = { workflowId, gate: gate.id, run };
  const review = button({ actionId: `${REVIEW_OPENS}direct`, label: reviewLabel(), value, style: 'primary' });
  const lines = [
    gateWaitsForYou(name, mrkdwn(gate.title, 300)),
    joined(`Decide by ${when(gate.expiresAt)}`, progress(state)),
    ...(who === '' ? [] : [whoMayDecide(who)]),
    ...more,
  ];
  return message(`${name}: ${mrkdwn(gate.title, 300)}`, [...sections(lines), ...actions(review === undefined ? [] : [review])]);
}

function progress({ gate, votes }: Extract<GateState, { kind: 'open' }>): string {
  const main = leadingChoice(gate, votes);
  return main === undefined || gate.quorum <= 1 ? '' : mrkdwn(progressText(progressOfGate(gate, votes, main.id)), 300);
}

/** Its button names whom it is for. */
export function subscribedBlocks(user: string): Rendered {
  const text = subscribed(`<@${user}>`);
  const stop = button({ actionId: NOTIFY_ACTIONS.off, label: stopMessagingLabel(), value: { user } });
  return message(text, [...sections([text]), ...actions(stop === undefined ? [] : [stop])]);
}

export function unsubscribedBlocks(): Rendered {
  const text = unsubscribed();
  return message(text, sections([text]));
}

const stopShape = z.object({ action_id: z.literal(NOTIFY_ACTIONS.off), value: z.string() });
const valueShape = z.object({ user: z.string().regex(/^[UW][A-Z0-9]{2,20}$/) });

/** Whom a message of `subscribedBlocks` is for; undefined: it is none. */
export function subscribedUser(blocks: readonly { elements?: readonly object[] }[]): string | undefined {
  for (const element of blocks.flatMap(({ elements = [] }) => elements)) {
    const stop = stopShape.safeParse(element).data;
    if (stop === undefined) continue;
    try {
      return valueShape.safeParse(JSON.parse(stop.value)).data?.user;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
