/** The message of a step that rolls nodes: how fast, who says so, and buttons to change that. */
import type { Button } from '@slack/types';
import type { PaceView } from '../../domain/run/notifications.ts';
import { AUTOMATIC, paceLabel, paceText } from '../../domain/policy/pace.ts';
import { actions, button, context, message, type Rendered, sections } from './kit/elements.ts';
import { mrkdwn, person } from './kit/text.ts';
import { bar } from './kit/time.ts';
import type { PaceValue } from './kit/button-values.ts';
import { nodesReplaced, paceByPerson, paceByPlan, paceNow } from '../messages/run.ts';

/** `run`: run id of the upgrade. */
export function paceBlocks(view: PaceView, run: string): Rendered {
  const title = mrkdwn(view.title, 150);
  if (view.ended !== undefined) {
    const line = `🐢 *${title}*: ${mrkdwn(view.ended, 400)}`;
    return message(line, sections([line]));
  }
  const line = paceNow(title, mrkdwn(paceText(view.pace), 150), view.pace === 'freeze');
  return message(line, [...sections([line, ...whose(view)]), ...context([countLine(view)]), ...actions(buttons(view, run))]);
}

function whose({ by, reason, plan }: PaceView): string[] {
  const steps = [...plan, 'the original budgets'].map((pace) => mrkdwn(pace, 30)).join(', then ');
  if (by === undefined) return [paceByPlan(steps)];
  return [paceByPerson(person(by), { steps, reason: reason === undefined ? undefined : mrkdwn(reason, 300) })];
}

function countLine({ replacedCount, remainingCount }: PaceView): string {
  if (replacedCount === undefined || remainingCount === undefined) return '';
  return `${bar(replacedCount, replacedCount + remainingCount)} ${nodesReplaced(replacedCount, remainingCount)}`;
}

function buttons({ workflowId, offered, pace, by, revision }: PaceView, run: string): Button[] {
  const choices = [...offered, ...(by === undefined ? [] : [AUTOMATIC])].filter((choice) => by === undefined || choice !== pace);
  return choices
    .map((choice) => {
      const value: PaceValue = { workflowId, pace: choice, run, revision };
      const style = choice === 'freeze' ? ('danger' as const) : undefined;
      return button({ actionId: `pace/${choice}`, label: paceLabel(choice), value, style });
    })
    .filter((element) => element !== undefined);
}
