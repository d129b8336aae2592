/** Block Kit elements that keep every limit, whatever they are given. */
import type { ActionsBlock, Button, ContextBlock, HeaderBlock, KnownBlock, MrkdwnElement, SectionBlock } from '@slack/types';
import { LIMITS, packLines, plain } from './text.ts';
import { defined } from '../../../domain/core/defined.ts';
import { moreThanFits } from '../../messages/answers.ts';

/** A message: blocks, and the text for notifications and clients without blocks. */
export interface Rendered {
  text: string;
  blocks: KnownBlock[];
}

export function header(text: string): HeaderBlock {
  return { type: 'header', text: { type: 'plain_text', text: plain(text, LIMITS.headerText), emoji: true } };
}

/** One section per 3,000 characters; `lines` are escaped already and short. No lines, no section. */
export function sections(lines: readonly string[], maxSections = 1): SectionBlock[] {
  return packLines(lines, LIMITS.sectionText, maxSections)
    .filter((text) => text.trim() !== '')
    .map((text) => ({ type: 'section', text: markup(text) }));
}

/** Small print; lines are escaped already. */
export function context(lines: readonly string[]): ContextBlock[] {
  const texts = lines.filter((line) => line.trim() !== '').slice(0, LIMITS.contextElements);
  return texts.length === 0 ? [] : [{ type: 'context', elements: texts.map(markup) }];
}

/** Verbatim: else Slack looks for names, channels and addresses in what a cluster calls its things (docs.slack.dev: "Text object"). */
function markup(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** No buttons, no block: Slack refuses an empty one. */
export function actions(buttons: readonly ActionsBlock['elements'][number][]): ActionsBlock[] {
  return buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons.slice(0, LIMITS.actionElements) }];
}

export interface ButtonOptions {
  actionId: string;
  label: string;
  /** Becomes JSON; at most 2,000 characters. */
  value: object;
  style?: 'primary' | 'danger';
  /** Asked before the press counts. */
  confirm?: { title: string; text: string };
}

/** undefined where the id or the value would be cut: a button that says something else than it was made for is worse than none. */
export function button({ actionId, label, value, style, confirm }: ButtonOptions): Button | undefined {
  const json = JSON.stringify(value);
  if (actionId.length > LIMITS.actionId || json.length > LIMITS.buttonValue) return undefined;
  return {
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text: plain(label, LIMITS.buttonText), emoji: true },
    value: json,
    ...defined({ style }),
    ...(confirm === undefined
      ? {}
      : {
          confirm: {
            title: { type: 'plain_text', text: plain(confirm.title, LIMITS.confirmTitle) },
            text: { type: 'plain_text', text: plain(confirm.text, LIMITS.confirmText) },
            confirm: { type: 'plain_text', text: plain(label, LIMITS.confirmButton) },
            deny: { type: 'plain_text', text: 'Cancel' },
            ...(style === 'danger' ? { style: 'danger' } : {}),
          },
        }),
  };
}

/** Keeps within 50 blocks, and within what one message may hold: the last ones (buttons) stay, the middle gives way and says so. */
export function message(text: string, blocks: readonly KnownBlock[], keepLast = 2): Rendered {
  if (fits(blocks)) return { text, blocks: [...blocks] };
  const tail = withFewerButtons([...context([moreThanFits()]), ...blocks.slice(-keepLast)]);
  const head = blocks.slice(0, -keepLast);
  while (head.length > 0 && !fits([...head, ...tail])) head.pop();
  return { text, blocks: [...head, ...tail] };
}

/** Of buttons that alone are more than a message may hold, the first ones. */
function withFewerButtons(blocks: readonly KnownBlock[]): KnownBlock[] {
  const last = blocks.findLast((block) => block.type === 'actions');
  if (last === undefined || fits(blocks)) return [...blocks];
  const fewer = actions(last.elements.slice(0, -1));
  return withFewerButtons(blocks.flatMap((block) => (block === last ? fewer : [block])));
}

function fits(blocks: readonly KnownBlock[]): boolean {
  return blocks.length <= LIMITS.blocks && JSON.stringify(blocks).length <= LIMITS.messageBlocks;
}
