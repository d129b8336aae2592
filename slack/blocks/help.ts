/** How `/eks-upgrade` is used. */
import type { Rendered } from './kit/elements.ts';
import { mrkdwn } from './kit/text.ts';
import { usage } from '../messages/commands.ts';

/** `problem`: what was wrong with the command, in plain words. */
export function helpText(problem?: string): Rendered {
  return { text: problem === undefined ? usage() : `${mrkdwn(problem, 300)}\n${usage()}`, blocks: [] };
}
