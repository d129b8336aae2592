/**
 * Starts that were taken: a proof of a start is good for one run. Without this a start that was recorded could be sent again, for as long as its time is
 * near enough, once its run has ended or was terminated.
 */
import { createHash } from 'node:crypto';
import { field } from '../../../domain/core/unknown.ts';
import type { RecordStore } from '../../contract/records.ts';

/** Beside the records of runs, and none of them. */
export const STARTS = 'starts_';
/** A start is timely for minutes; a cluster has a few runs a day. */
const KEPT = 200;

interface Taken {
  /** SHA-256 of what was signed, which has an id that is used once. */
  sum: string;
  runId: string;
}

export interface StartLedger {
  /** Whether it is this run's: taken by it now or before. Throws where the ledger cannot be read or written. */
  take(words: string, of: { workflowId: string; runId: string }): Promise<boolean>;
}

/** One workflow has one run at a time; a worker that is slow to die must not put back an older ledger all the same. */
export function createStartLedger(store: Pick<RecordStore, 'find' | 'write'>): StartLedger {
  return {
    async take(words, { workflowId, runId }) {
      const name = `${STARTS}${workflowId}`;
      const sum = createHash('sha256').update(words).digest('hex');
      const found = await store.find(name);
      const taken = takenIn(found?.json);
      const before = taken.find((each) => each.sum === sum);
      // A worker that died after it wrote asks again.
      if (before !== undefined) return before.runId === runId;
      const json = JSON.stringify({ taken: [...taken, { sum, runId }].slice(-KEPT) });
      await store.write(name, json, found === undefined ? 'absent' : { stamp: found.stamp });
      return true;
    },
  };
}

function takenIn(json: unknown): Taken[] {
  const taken = field(json, 'taken');
  return Array.isArray(taken) ? taken.filter(isTaken) : [];
}

const isTaken = (value: unknown): value is Taken => typeof field(value, 'sum') === 'string' && typeof field(value, 'runId') === 'string';
