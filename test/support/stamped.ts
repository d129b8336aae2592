/** What one workflow tells another, as a test sends it. */
import { randomUUID } from 'node:crypto';
import type { Stamped } from '../../workflows/contract/stamp.ts';

export function stampedNow<T extends object>(signal: { name: string }, message: T): T & Stamped {
  return { ...message, stamp: { as: signal.name, atMs: Date.now(), id: randomUUID() } };
}
