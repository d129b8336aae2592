/** Which steps of the last run can be undone, as text. */
import pc from 'picocolors';
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import { capital, duration } from '../../domain/core/text.ts';

export function renderUndoOptions(options: readonly UndoOption[]): string {
  if (options.length === 0) return 'There is no record of a run with a step that can be undone by itself.';
  return options.flatMap(lines).join('\n');
}

function lines({ step, title, possible, expectedMs = 0, cost = '', until = '', why }: UndoOption): string[] {
  const reasons = why.map((reason) => `    ${possible ? pc.yellow('stays') : pc.red('✗')} ${reason}`);
  if (!possible) return [`${pc.red('✗')} ${pc.bold(step)}: cannot be undone now`, ...reasons];
  return [
    `${pc.green('✓')} ${pc.bold(step)}: ${title ?? step}, about ${duration(expectedMs)}`,
    `    ${capital(cost)}. Until ${until}.`,
    ...reasons,
  ];
}
