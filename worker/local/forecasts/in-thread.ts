/** Long computing beside the event loop: a module in a thread of its own, which answers once. A process whose loop stands still is ended (worker/temporal/stall). */
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { failureOf, failureType } from '../../../activities/runtime/translate-errors.ts';
import type { FailureType } from '../../../domain/core/failure-types.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';

type Said<Result> =
  | { kind: 'progress'; doing: string }
  | { kind: 'done'; result: Result }
  /** Classes of errors do not cross threads. */
  | { kind: 'failed'; type: FailureType; message: string };

export interface ThreadOptions {
  signal: AbortSignal;
  onProgress: (doing: string) => void;
  /** More than that ends the thread alone. */
  memoryMb: number;
}

/** Runs a module that calls `answerFromThread`. Throws its failure; `signal`'s reason once that aborts, with the thread ended; `Unavailable` where it ends without an answer. */
export async function inThread<Job, Result>(path: string, job: Job, { signal, onProgress, memoryMb }: ThreadOptions): Promise<Result> {
  signal.throwIfAborted();
  const thread = new Worker(path, { workerData: job, resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  thread.on('message', (said: Said<Result>) => {
    if (said.kind === 'progress') onProgress(said.doing);
    else if (said.kind === 'done') resolve(said.result);
    else reject(failureOf(said.type, said.message));
  });
  thread.on('error', (error) => reject(failureOf('Unavailable', whyEnded(error, memoryMb), { cause: error })));
  thread.on('exit', (code) => reject(failureOf('Unavailable', `the thread that computes it ended with code ${code}`)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}

function whyEnded(error: unknown, memoryMb: number): string {
  return field(error, 'code') === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `computing it takes more than ${memoryMb} MB of memory: give the worker more, or run it from the command line where there is more`
    : messageOf(error);
}

/** In the thread: does the job that it was given, and answers. */
export async function answerFromThread<Job, Result>(
  work: (job: Job, onProgress: (doing: string) => void) => Promise<Result>,
): Promise<void> {
  const say = (said: Said<Result>): void => parentPort?.postMessage(said);
  try {
    say({ kind: 'done', result: await work(workerData as Job, (doing) => say({ kind: 'progress', doing })) });
  } catch (error) {
    say({ kind: 'failed', type: failureType(error) ?? 'Unknown', message: messageOf(error) });
  }
}
