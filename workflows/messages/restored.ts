/** What a run says once Temporal's database was restored from a backup. */
import type { Restored } from '../../domain/run/restores/restored.ts';
import { CHOICES } from './choices.ts';
import { type GateText, type Note, quietAlarm, warning } from './note.ts';

/** `step`: the title of the one whose next change was held. */
export function restoredGate(step: string, { at, why, forgotten, record }: Restored, undo: string): GateText {
  const lines = (title: string, found: string[]): GateText['evidence'] => (found.length === 0 ? [] : [{ title, lines: found }]);
  return {
    title: `Temporal was restored from a backup: continue with ${step}?`,
    next: 'Before each change Belay reads the cluster, adopts what is already done, and does only what is missing.',
    evidence: [
      { title: 'How it was noticed', lines: [`${at}: ${why}`] },
      ...lines('Done before the restore, but missing in this run’s history', forgotten),
      ...lines('Latest in the audit record', record),
      { title: 'Before you decide', lines: ['Check that nobody has changed the cluster since the backup, by another run or by hand.'] },
    ],
    undo,
    choices: [
      {
        id: 'continue',
        label: 'Continue',
        style: 'danger',
        needsReason: true,
        does: 'Continues from where the backup was made. Applies to the whole run.',
      },
      CHOICES.abort,
    ],
  };
}

export const restoreAccepted = (): Note =>
  warning('Continues after a restore of Temporal’s database. What is already done is adopted, not repeated.');

/** Reason of an abort. */
export const restoreRefused = (): string => 'Temporal’s database was restored from a backup';

export const restoreUndecided = (step: string): string =>
  `${step}: Temporal’s database was restored from a backup, and nobody decided in time whether to continue`;

/** Told once by the run whose audit record is newer than its history. */
export const recordIsNewer = (entries: number): Note =>
  quietAlarm(
    `Temporal’s database was restored from a backup: the audit record has ${entries} newer ${entries === 1 ? 'entry' : 'entries'} than this run’s history. Belay asks before the next change.`,
  );
