/** Asks a run itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { UpgradeStatus } from '../domain/run/record/status.ts';
import { upgradeStatus } from '../workflows/contract/messages.ts';
import { READ_AGAIN } from '../workflows/contract/read-again.ts';
import { rootMessage } from './temporal-calls.ts';

const TRIES = 5;
const PAUSE_MS = 100;

/** A run that has to read its history anew first is asked again. Rejects as Temporal does. */
export const queryStatus = (handle: Pick<WorkflowHandle, 'query'>): Promise<UpgradeStatus> => readAgain(() => handle.query(upgradeStatus));

/** Asks again where that is what the answer says. */
export async function readAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES || !rootMessage(error).includes(READ_AGAIN)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
