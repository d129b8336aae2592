/** The surroundings of running code: Temporal's activity context inside a worker, an injected or empty one in the CLI and in tests. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { asyncLocalStorage, type Context } from '@temporalio/activity';

/** What code may ask of its surroundings. */
export interface Surroundings {
  signal: AbortSignal;
  /** Where the work stands; kept for the next attempt. */
  beat(details: unknown): void;
  /** Details of the previous attempt's last heartbeat. */
  lastBeat: unknown;
  /** 1 for the first attempt. */
  attempt: number;
  /** When the workflow asked for it, epoch, by the server's clock; undefined outside of an activity. */
  scheduledAtMs: number | undefined;
}

/** The newest details of each running activity: a heartbeat that only says "alive" must not lose them. */
const newest = new WeakMap<Context, unknown>();

const injected = new AsyncLocalStorage<Surroundings>();

/** Runs `work` with the given surroundings instead of Temporal's: tests cancel it and watch the heartbeats. */
export function runWithin<T>(surroundings: Partial<Surroundings>, work: () => Promise<T>): Promise<T> {
  return injected.run({ ...nowhere(), ...surroundings }, work);
}

/** Aborts when the activity is cancelled, its worker shuts down, or the injected signal says so. Outside of all: never. */
export function currentSignal(): AbortSignal {
  return surroundings().signal;
}

/** Heartbeats with details; nothing outside of an activity. */
export function beat(details?: unknown): void {
  surroundings().beat(details);
}

/** Details of the previous attempt's last heartbeat; undefined at the first attempt and outside of an activity. */
export function lastHeartbeat(): unknown {
  return surroundings().lastBeat;
}

/** Which attempt this is, counted from 1. */
export function currentAttempt(): number {
  return surroundings().attempt;
}

/** When the workflow asked for this activity, whichever attempt it is: epoch, by the server's clock. undefined outside of an activity. */
export function scheduledAtMs(): number | undefined {
  return surroundings().scheduledAtMs;
}

/** Heartbeats with the newest details again; those of the attempt before where there are none yet. */
export function stayAlive(context: Context): void {
  context.heartbeat(newest.has(context) ? newest.get(context) : context.info.heartbeatDetails);
}

function surroundings(): Surroundings {
  const given = injected.getStore();
  if (given !== undefined) return given;
  const context = asyncLocalStorage.getStore();
  if (context === undefined) return nowhere();
  return {
    signal: context.cancellationSignal,
    beat: (details) => {
      newest.set(context, details);
      context.heartbeat(details);
    },
    lastBeat: context.info.heartbeatDetails,
    attempt: context.info.attempt,
    scheduledAtMs: context.info.scheduledTimestampMs,
  };
}

function nowhere(): Surroundings {
  return { signal: new AbortController().signal, beat: () => {}, lastBeat: undefined, attempt: 1, scheduledAtMs: undefined };
}
