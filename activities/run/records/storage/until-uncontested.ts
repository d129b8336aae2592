/** Writes what several workers may write: who was overtaken between reading and writing does both again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { failureType } from '../../../runtime/translate-errors.ts';

/** They are in each other's way no more often; a pause of random length lets one of them pass. */
const MOST_ATTEMPTS = 8;
const PAUSE_MS = 50;

/** `work` reads and writes. Throws what it throws, `Conflict` only after eight attempts. */
export async function untilUncontested<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (failureType(error) !== 'Conflict' || attempt === MOST_ATTEMPTS) throw error;
      await sleep(Math.random() * PAUSE_MS * attempt);
    }
  }
}
