/** Whether this worker still gets work: Temporal itself says when it was last polled. Ready is a file, which probes look for. */
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import proto from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import type { Logger } from '../config/log.ts';
import { isRefusal, why } from './connection.ts';

const WORKFLOW = proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW;
/** A poll waits for a minute, and the server spreads them over partitions. */
const SILENT_MS = 3 * 60_000;
const LOOK_MS = 15_000;
const FIRST_LOOKS_MS = 2_000;

export interface PollWatch {
  /** The one that is used now: it may be replaced. */
  connection: () => Pick<NativeConnection, 'workflowService'> | undefined;
  namespace: string;
  /** Of the worker, as Temporal knows it. */
  identity: string;
  log: Logger;
  readyFile: string | undefined;
}

export const readyFileOf = (env: NodeJS.ProcessEnv): string | undefined => env['BELAY_READY_FILE'] || undefined;

/** A file that a process before this one has left says nothing. */
export function notReady(readyFile: string | undefined): void {
  if (readyFile !== undefined) rmSync(readyFile, { force: true });
}

/** Looks until the signal aborts. The core tries polls that are refused again and again without a word, so nobody else would say it. */
export async function watchPolls(watch: PollWatch, signal: AbortSignal): Promise<void> {
  const { log, readyFile } = watch;
  let refused = false;
  let seen: string | undefined;
  let polledMs: number | undefined;
  let ready = false;
  while (!signal.aborted) {
    try {
      const server = await lastPoll(watch);
      if (server !== undefined && server !== seen) {
        seen = server;
        polledMs = performance.now();
        if (refused) log.info({}, 'Temporal accepts the polls of this worker again');
        refused = false;
      }
    } catch (error) {
      if (isRefusal(error)) {
        // What was seen before the refusal says nothing about the time after it.
        if (!refused) log.error({ why: why(error) }, `Temporal refuses this worker, which gets no work meanwhile. ${MEND}`);
        refused = true;
        polledMs = undefined;
      }
    }
    ready = !refused && polledMs !== undefined && performance.now() - polledMs < SILENT_MS;
    if (ready && readyFile !== undefined) writeFileSync(readyFile, `${new Date().toISOString()}\n`);
    else notReady(readyFile);
    await sleep(ready ? LOOK_MS : FIRST_LOOKS_MS, undefined, { signal }).catch(() => undefined);
  }
  notReady(readyFile);
}

const MEND =
  'Write a valid key into the file of TEMPORAL_API_KEY_FILE, or new certificates into those of TEMPORAL_TLS_*, which are read at once; with TEMPORAL_API_KEY restart the worker with another one.';

/** By the server's clock; undefined: it does not know this worker (yet). */
async function lastPoll({ connection, namespace, identity }: PollWatch): Promise<string | undefined> {
  const queue = { namespace, taskQueue: { name: TASK_QUEUE }, taskQueueType: WORKFLOW };
  const at = (await connection()?.workflowService.describeTaskQueue(queue))?.pollers?.find(
    (poller) => poller.identity === identity,
  )?.lastAccessTime;
  return at == null ? undefined : `${String(at.seconds)}.${at.nanos ?? 0}`;
}
