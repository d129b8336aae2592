/** Which steps of the last run can be undone, as text. */
import pc from 'picocolors';
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import { capital, duration } from '../../domain/core/text.ts';
import { cannotUndo, nothingToUndo } from '../messages/views.ts';

export function renderUndoOptions(options: readonly UndoOption[]): string {
  if (options.length === 0) return nothingToUndo();
  return options.flatMap(lines).join('\n');
}

function lines({ step, title, possible, expectedMs = 0, cost = '', until = '', why }: UndoOption): string[] {
  const reasons = why.map((reason) => `    ${possible ? pc.yellow('stays') : pc.red('✗')} ${reason}`);
  if (!possible) return [`${pc.red('✗')} ${cannotUndo(pc.bold(step))}`, ...reasons];
  return [
    `${pc.green('✓')} ${pc.bold(step)}: ${title ?? step}, about ${duration(expectedMs)}`,
    `    ${capital(cost)}. Until ${until}.`,
    ...reasons,
  ];
}
