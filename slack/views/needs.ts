/** What waits for one person, a page at a time: gates first, then clusters of campaigns that need somebody. */
import type { KnownBlock, ModalView } from '@slack/types';
import { gateBlocks, type HomeGate, type HomeTrouble } from '../blocks/home.ts';
import { actions, button, context, sections } from '../blocks/kit/elements.ts';
import { link, LIMITS, mrkdwn, plain } from '../blocks/kit/text.ts';
import { needsShown, needsYou, nothingForYou, readingNeeds, troubleIn } from '../messages/home.ts';

/** An action id appears once in a block. */
export const NEEDS_ACTIONS = { earlier: 'needs/earlier', later: 'needs/later' } as const;
/** Things on a page. */
export const NEEDS_PAGE = 10;

export interface Needs {
  gates: readonly HomeGate[];
  troubles: readonly HomeTrouble[];
  /** From 0. */
  page: number;
  /** Things on all pages. */
  count: number;
  /** Sentences about what could not be read. */
  problems: readonly string[];
}

/** undefined: still being read. */
export function needsView(needs: Needs | undefined): ModalView {
  return {
    type: 'modal',
    callback_id: 'needs',
    title: { type: 'plain_text', text: plain(needsYou(needs?.count ?? 0), LIMITS.modalTitle) },
    close: { type: 'plain_text', text: 'Close' },
    blocks: needs === undefined ? sections([readingNeeds()]) : blocksOf(needs),
  };
}

function blocksOf({ gates, troubles, page, count, problems }: Needs): KnownBlock[] {
  const shown = gates.length + troubles.length;
  const from = page * NEEDS_PAGE;
  const move = (actionId: string, label: string, to: number): ReturnType<typeof button>[] => [
    button({ actionId, label, value: { page: to } }),
  ];
  const buttons = [
    ...(page > 0 ? move(NEEDS_ACTIONS.earlier, 'Earlier', page - 1) : []),
    ...(from + shown < count ? move(NEEDS_ACTIONS.later, 'Later', page + 1) : []),
  ].filter((each) => each !== undefined);
  return [
    ...(shown === 0 ? sections([nothingForYou()]) : []),
    ...gates.flatMap((gate, index) => gateBlocks(onPage(gate, page), String(index))),
    ...troubles.flatMap((trouble) => sections(troubleLines(trouble))),
    ...context(problems.slice(0, 5).map((problem) => `⚠ ${mrkdwn(problem, 300)}`)),
    ...(count > NEEDS_PAGE ? context([needsShown(from + 1, from + shown, count)]) : []),
    ...actions(buttons),
  ];
}

/** What its modal goes back to. */
const onPage = (gate: HomeGate, page: number): HomeGate =>
  gate.review === undefined ? gate : { ...gate, review: { ...gate.review, page } };

function troubleLines({ cluster, campaign, ring, what, url }: HomeTrouble): string[] {
  const where = url === undefined ? '' : ` · ${link(url, 'Open the thread')}`;
  return [`🚨 *${mrkdwn(cluster, 100)}*: ${mrkdwn(what, 500)}`, `${troubleIn(mrkdwn(campaign, 60), mrkdwn(ring, 60))}${where}`];
}
