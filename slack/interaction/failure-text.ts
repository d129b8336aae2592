/** Failures in words: for the log, and for the person who acted. */
import type { Log } from '../api/log.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { somethingFailed } from '../messages/refusals.ts';

/** What the person is told: a failure of upgrades is written for people; of any other, details go to the log only. `doing` is for the log. */
export function failureSentence(error: unknown, log: Log, doing: string): string {
  if (error instanceof UpgradesError) return error.message;
  log.error(`${doing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return somethingFailed();
}
