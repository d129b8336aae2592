/** BELAY_AFTER_RESTORE: when Temporal's database was restored from a backup, said by whoever has done it. */
import type { RestoreNotice } from '../../domain/run/restores/restored.ts';

const FORM = 'Write the time of the restore in UTC, such as 2026-11-26T04:30:00Z.';
/** ISO 8601, in UTC: another zone is easily got wrong at such a moment. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z$/;

/** BELAY_AFTER_RESTORE cannot be used. */
export class AfterRestoreError extends Error {
  override readonly name = 'AfterRestoreError';

  constructor(why: string) {
    super(`BELAY_AFTER_RESTORE: ${why}. ${FORM}`);
  }
}

/** Runs that began before ask before their next change. undefined where the variable is absent or empty. Throws AfterRestoreError, for what lies ahead, too. */
export function afterRestore(env: NodeJS.ProcessEnv, nowMs: number): RestoreNotice | undefined {
  const text = (env['BELAY_AFTER_RESTORE'] ?? '').trim();
  if (text === '') return undefined;
  const atMs = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs)) throw new AfterRestoreError(`"${text}" is not a time`);
  if (atMs > nowMs) throw new AfterRestoreError(`${text} lies ahead: runs that are still to begin have lost nothing`);
  const at = new Date(atMs).toISOString();
  return { at, why: `BELAY_AFTER_RESTORE says that it was restored at ${text}` };
}
