/** What a typed command is answered with before it does what cannot be taken back, or posts: what will happen, and two buttons. */
import type { Button } from '@slack/types';
import type { QuestionValue } from './kit/button-values.ts';
import { actions, button, context, header, message, type Rendered, sections } from './kit/elements.ts';
import { mrkdwn } from './kit/text.ts';

export const QUESTION_ACTIONS = { does: 'question/does', cancels: 'question/cancels' } as const;

export interface Question {
  /** The question itself, in words that are escaped here. */
  title: string;
  /** mrkdwn, as `small`. */
  lines: readonly string[];
  small?: readonly string[];
  /** Of the button that does it. */
  label: string;
  style: NonNullable<Button['style']>;
}

/** undefined where the button would be cut: it would say something else than was typed. */
export function questionBlocks({ title, lines, small = [], label, style }: Question, value: QuestionValue): Rendered | undefined {
  const does = button({ actionId: QUESTION_ACTIONS.does, label, value, style });
  const cancels = button({ actionId: QUESTION_ACTIONS.cancels, label: 'Cancel', value });
  if (does === undefined || cancels === undefined) return undefined;
  return message(mrkdwn(title, 300), [header(title), ...sections(lines), ...context(small), ...actions([does, cancels])]);
}
