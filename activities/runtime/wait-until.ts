/** The one polling loop: waits until a probe is done, heartbeats, outlasts transient API errors, and keeps its clock over attempts. */
import { CancelledFailure } from '@temporalio/common';
import { pollIntervalMs, type Timing } from '../../domain/policy/policy.ts';
import { beat, currentSignal, lastHeartbeat } from './context.ts';
import { failureType, retryDelayMs, translateError } from './translate-errors.ts';

/** Of a wait that ends with what it waits for, or is cancelled: its own workflow ends before it. */
export const FOR_EVER_MS = 400 * 24 * 60 * 60_000;

/** Heartbeat details of a wait: what the next attempt goes on from. */
export interface WaitingBeat {
  kind: 'waiting';
  doing: string;
  /** Time waited so far, over all attempts. */
  elapsedMs: number;
  /** Epoch milliseconds of the worker's clock when this was said, so that time between attempts counts. */
  atMs: number;
  note?: string;
  details?: Record<string, unknown>;
}

export interface WaitOptions {
  timing: Pick<Timing, 'pollMinMs' | 'pollMaxMs' | 'pollShare' | 'heartbeatTimeoutMs' | 'apiTransientMs'>;
  timeoutMs: number;
  /** Gerund and object: "waiting for the update of prod". Also the key under which an earlier attempt's clock is found. */
  doing: string;
  /** Small facts for the heartbeat, read at each one. */
  details?: () => Record<string, unknown>;
}

export type ProbeResult<T> = { done: true; value: T } | { done: false; note?: string };
export type WaitResult<T> = { kind: 'done'; value: T } | { kind: 'timed-out'; lastNote?: string };

/** Injected by tests. */
export interface WaitClock {
  nowMs(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * Polls `probe` at once and then every clamp(pollShare x elapsed, pollMinMs, pollMaxMs) until it is done or `timeoutMs` is over; the last
 * look is at the deadline itself. Retryable failures of the probe count as "not yet" for up to `timing.apiTransientMs` in a row and are
 * thrown after that; others are thrown at once. Throws CancelledFailure when the activity is cancelled.
 */
export async function waitUntil<T>(
  options: WaitOptions,
  probe: (elapsedMs: number) => Promise<ProbeResult<T>>,
  clock: WaitClock = systemClock,
): Promise<WaitResult<T>> {
  const signal = currentSignal();
  const startedMs = clock.nowMs() - carriedMs(options.doing, lastHeartbeat(), clock.nowMs());
  const elapsedMs = (): number => clock.nowMs() - startedMs;
  let note: string | undefined;
  const say = (): void => beat(waitingBeat(options, elapsedMs(), clock.nowMs(), note));
  let badSinceMs: number | undefined;

  // A ticker and not slices of sleep: a probe may take longer than the heartbeat timeout.
  const ticker = setInterval(say, Math.max(10, options.timing.heartbeatTimeoutMs / 3));
  try {
    for (;;) {
      throwIfCancelled(signal, options.doing);
      say();
      let pauseMs = 0;
      try {
        const result = await probe(elapsedMs());
        if (result.done) return { kind: 'done', value: result.value };
        badSinceMs = undefined;
        note = result.note;
      } catch (error) {
        throwIfCancelled(signal, options.doing, error);
        const failure = translateError(error, options.doing);
        badSinceMs ??= clock.nowMs();
        // Lost credentials come back more often than not; people are asked once they have lasted too long.
        const isFinal = failure.nonRetryable && failureType(failure) !== 'NoCredentials';
        if (isFinal || clock.nowMs() - badSinceMs >= options.timing.apiTransientMs) throw failure;
        note = `not answering: ${failure.message}`;
        pauseMs = retryDelayMs(failure);
      }
      const leftMs = options.timeoutMs - elapsedMs();
      if (leftMs <= 0) return { kind: 'timed-out', lastNote: note };
      await clock.sleep(Math.min(leftMs, Math.max(pauseMs, pollIntervalMs(options.timing, elapsedMs()))), signal);
    }
  } finally {
    clearInterval(ticker);
  }
}

/** Sleeps; ends early, without an error, when the signal aborts: the loop looks at the signal next. */
export function cancellableSleep(ms: number, signal: AbortSignal = currentSignal()): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

const systemClock: WaitClock = { nowMs: () => Date.now(), sleep: cancellableSleep };

function throwIfCancelled(signal: AbortSignal, doing: string, cause?: unknown): void {
  if (signal.aborted) throw new CancelledFailure(`${doing}: cancelled`, [], cause instanceof Error ? cause : undefined);
}

function waitingBeat(options: WaitOptions, elapsedMs: number, atMs: number, note: string | undefined): WaitingBeat {
  return {
    kind: 'waiting',
    doing: options.doing,
    elapsedMs,
    atMs,
    ...(note === undefined ? {} : { note: note.slice(0, 200) }),
    ...(options.details === undefined ? {} : { details: options.details() }),
  };
}

function carriedMs(doing: string, last: unknown, nowMs: number): number {
  if (!isWaitingBeat(last) || last.doing !== doing) return 0;
  return last.elapsedMs + Math.max(0, nowMs - last.atMs);
}

function isWaitingBeat(value: unknown): value is WaitingBeat {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'waiting' && 'elapsedMs' in value && 'atMs' in value
  );
}
