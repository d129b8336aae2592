/** Which steps of the last run can be undone, each with the button that plans its way back. */
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import { capital, duration } from '../../domain/core/text.ts';
import { actions, button, message, type Rendered, sections } from './kit/elements.ts';
import { mrkdwn } from './kit/text.ts';
import type { UndoValue } from './kit/button-values.ts';
import { cannotUndo, nothingToUndo, undoable } from '../messages/cluster.ts';
import { planUndoMeans } from '../../client/calls/questions.ts';
import { planBackTitle } from '../messages/run.ts';

export function undoListBlocks(cluster: string, options: readonly UndoOption[]): Rendered {
  const name = mrkdwn(cluster, 100);
  if (options.length === 0) return message(nothingToUndo(name), []);
  const title = undoable(name);
  return message(title, [...sections([title]), ...options.flatMap((option) => [...sections(linesOf(option)), ...plans(cluster, option)])]);
}

/** As `belay rollback CLUSTER --list` has it. */
function linesOf({ step, title, possible, expectedMs = 0, cost = '', until = '', why }: UndoOption): string[] {
  const name = `*${mrkdwn(step, 60)}*`;
  const reasons = why.map((reason) => `• ${possible ? 'Stays: ' : ''}${mrkdwn(reason, 500)}`);
  if (!possible) return [cannotUndo(name), ...reasons];
  return [
    `✓ ${name}: ${mrkdwn(title ?? step, 200)}, about ${duration(expectedMs)}`,
    `${mrkdwn(capital(cost), 200)}. Until ${mrkdwn(until, 200)}.`,
    ...reasons,
  ];
}

function plans(cluster: string, { step, possible }: UndoOption): ReturnType<typeof actions> {
  if (!possible) return [];
  const value: UndoValue = { cluster, step };
  const made = button({
    actionId: 'undo/plan',
    label: `Plan to undo ${step}`,
    value,
    confirm: {
      title: planBackTitle(),
      text: planUndoMeans(step),
    },
  });
  return actions(made === undefined ? [] : [made]);
}
