/** Looks at something again and again, and shows it each second: seldom where nothing changes, more seldom where nobody answers. */
import { setTimeout as sleep } from 'node:timers/promises';

/** One question at a time, and none sooner than this: each is a task for a worker. */
const EVERY_MS = 1_000;
/** Where nothing has changed for a while, where Temporal answers in a worker's place, and where nobody answers. */
const QUIET_MS = 5_000;
const AWAY_MS = 10_000;
const SLOWER = 1.3;
/** Temporal knows that a run has ended, a worker knows how: one that is busy may answer the next look. */
const SECOND_HAND_ENDS = 3;
const DRAW_MS = 1_000;

export interface Watched<T> {
  look(): Promise<T>;
  /** Did the answer come from what Temporal knows, as no worker answers? */
  isSecondHand?(value: T): boolean;
  isOver(value: T): boolean;
  /** After each answer, and each second in between. `trouble`: why the last look failed, and since when nothing newer is known. */
  show(value: T, trouble: { why: string; sinceMs: number } | undefined): void;
  /** A sentence where a failed look is to be tried again; undefined: it is thrown. */
  transient(error: unknown): string | undefined;
  nowMs?: () => number;
  /** For tests. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The last answer once it is over; undefined where the signal came first. Throws what a look throws, and any failure of the first one. */
export async function watch<T>(watched: Watched<T>, signal: AbortSignal): Promise<T | undefined> {
  const { nowMs = Date.now, pause = pauseFor } = watched;
  let known: { value: T; text: string; atMs: number } | undefined;
  let waitMs = EVERY_MS;
  let secondHandEnds = 0;
  while (!signal.aborted) {
    let trouble: { why: string; sinceMs: number } | undefined;
    try {
      const value = await untilAborted(watched.look(), signal);
      if (value === undefined) return undefined;
      const text = JSON.stringify(value.got);
      waitMs = known?.text === text ? Math.min(QUIET_MS, waitMs * SLOWER) : EVERY_MS;
      if (watched.isSecondHand?.(value.got) === true) waitMs = QUIET_MS;
      known = { value: value.got, text, atMs: nowMs() };
    } catch (error) {
      const why = watched.transient(error);
      if (known === undefined || why === undefined) throw error;
      trouble = { why, sinceMs: known.atMs };
      waitMs = Math.min(AWAY_MS, waitMs * 2);
    }
    watched.show(known.value, trouble);
    if (trouble === undefined && watched.isOver(known.value)) {
      if (watched.isSecondHand?.(known.value) !== true) return known.value;
      secondHandEnds += 1;
      if (secondHandEnds === SECOND_HAND_ENDS) return known.value;
    }
    for (let leftMs = waitMs; leftMs > 0 && !signal.aborted; leftMs -= DRAW_MS) {
      await pause(Math.min(DRAW_MS, leftMs), signal);
      if (!signal.aborted && leftMs > DRAW_MS) watched.show(known.value, trouble);
    }
  }
  return undefined;
}

const pauseFor = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);

/** undefined: the signal came before the answer, which nobody waits for then. */
async function untilAborted<T>(looking: Promise<T>, signal: AbortSignal): Promise<{ got: T } | undefined> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener('abort', stop, { once: true });
  });
  looking.catch(() => undefined);
  try {
    return await Promise.race([looking.then((got) => ({ got })), aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}
