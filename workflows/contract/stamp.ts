/**
 * Messages between workflows of a run. What is encrypted can be made by nobody outside, but whoever reaches Temporal can send again what was sent before:
 * so each carries what it is, when it was sent, and an id that is used once.
 */
import { uuid4, workflowInfo } from '@temporalio/workflow';

export interface Stamp {
  /** Name of the signal: what was sent as one is not taken as another. */
  as: string;
  /** By the sender's workflow time. */
  atMs: number;
  id: string;
}

/** Whatever is sent as a signal between workflows. */
export interface Stamped {
  stamp?: Stamp;
}

/** A message may be on its way in the moment in which its receiver starts. */
const START_GRACE_MS = 1_000;

export function stamped<T extends object>(signal: { name: string }, message: T): T & Stamped {
  return { ...message, stamp: { as: signal.name, atMs: Date.now(), id: uuid4() } };
}

/** What one workflow has heard. */
export class Heard {
  readonly #ids = new Set<string>();

  /** false: it was sent for an earlier run of this workflow, as something else, or once before. */
  isNew(signal: { name: string }, { stamp }: Stamped): boolean {
    if (stamp === undefined || stamp.as !== signal.name || this.#ids.has(stamp.id)) return false;
    if (stamp.atMs < workflowInfo().startTime.getTime() - START_GRACE_MS) return false;
    this.#ids.add(stamp.id);
    return true;
  }

  /** Calls `take` with what is new. */
  only<T extends Stamped, R>(signal: { name: string }, take: (message: T) => R): (message: T) => R | undefined {
    return (message) => (this.isNew(signal, message) ? take(message) : undefined);
  }
}
