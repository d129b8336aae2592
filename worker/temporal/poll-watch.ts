/** Whether this worker still gets work: Temporal itself says when it was last polled. Ready is a file, which probes look for. */
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from '../config/log.ts';
import { isRefusal, why } from './connection.ts';
import { pollersOf, type Queue } from './pollers.ts';

/** A poll waits for a minute, and this watch looks every quarter of one. */
const SILENT_MS = 2 * 60_000;
const LOOK_MS = 15_000;
const FIRST_LOOKS_MS = 2_000;

/** What is known of this worker's polls, for whoever asks the process. */
export interface PollState {
  ready: boolean;
  /** Temporal refuses this worker's credentials. */
  refused: boolean;
  /** When Temporal last saw a poll, by its own clock, in seconds since 1970. */
  polledAtS?: number;
}

export const noPolls = (): PollState => ({ ready: false, refused: false });

/** For /readyz; undefined: this worker gets work. */
export function whyNotReady({ ready, refused, polledAtS }: PollState): string | undefined {
  if (ready) return undefined;
  if (refused) return 'Temporal refuses the credentials of this worker.';
  return polledAtS === undefined ? 'This worker has not polled Temporal yet.' : 'Temporal has seen no poll of this worker for 2 minutes.';
}

export interface PollWatch {
  /** The one that is used now: it may be replaced. */
  connection: () => Pick<NativeConnection, 'workflowService'> | undefined;
  namespace: string;
  queue: Queue;
  /** Of the worker, as Temporal knows it. */
  identity: string;
  log: Logger;
  readyFile: string | undefined;
  /** Kept up to date. */
  state: PollState;
}

export const readyFileOf = (env: NodeJS.ProcessEnv): string | undefined => env['BELAY_READY_FILE'] || undefined;

/** A file that a process before this one has left says nothing. */
export function notReady(readyFile: string | undefined): void {
  if (readyFile !== undefined) rmSync(readyFile, { force: true });
}

/** Looks until the signal aborts. The core tries polls that are refused again and again without a word, so nobody else would say it. */
export async function watchPolls(watch: PollWatch, signal: AbortSignal): Promise<void> {
  const { log, readyFile, state } = watch;
  let seenMs: number | undefined;
  while (!signal.aborted) {
    try {
      const atS = await lastPoll(watch);
      if (atS !== undefined && atS !== state.polledAtS) {
        state.polledAtS = atS;
        seenMs = performance.now();
        if (state.refused) log.info({}, 'Temporal accepts the polls of this worker again');
        state.refused = false;
      }
    } catch (error) {
      if (isRefusal(error)) {
        // What was seen before the refusal says nothing about the time after it.
        if (!state.refused) log.error({ why: why(error) }, `Temporal refuses this worker, which gets no work meanwhile. ${MEND}`);
        state.refused = true;
        seenMs = undefined;
      }
    }
    state.ready = !state.refused && seenMs !== undefined && performance.now() - seenMs < SILENT_MS;
    if (state.ready && readyFile !== undefined) writeFileSync(readyFile, `${new Date().toISOString()}\n`);
    else notReady(readyFile);
    await sleep(state.ready ? LOOK_MS : FIRST_LOOKS_MS, undefined, { signal }).catch(() => undefined);
  }
  state.ready = false;
  notReady(readyFile);
}

const MEND =
  'Write a valid key into the file of TEMPORAL_API_KEY_FILE, or new certificates into those of TEMPORAL_TLS_*, which are read at once; with TEMPORAL_API_KEY restart the worker with another one.';

/** By the server's clock, in seconds since 1970; undefined: it does not know this worker (yet). */
async function lastPoll({ connection, namespace, queue, identity }: PollWatch): Promise<number | undefined> {
  const now = connection();
  return now === undefined ? undefined : (await pollersOf(now, namespace, queue)).find((poller) => poller.identity === identity)?.atS;
}
