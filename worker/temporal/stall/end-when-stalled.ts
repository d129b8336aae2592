/**
 * Ends a process whose event loop stands still. The SDK's core has threads of its own, which go on taking tasks that nobody would do:
 * other workers would get them only after time-outs, again and again.
 */
import { Worker } from 'node:worker_threads';
import { modulePath } from '../../config/module-path.ts';

/** Longer than any pause of a healthy worker, so that a slow machine is not taken for a stalled one. */
const LIMIT_MS = 30_000;

/** What the thread is given. */
export interface StallWatch {
  /** One number, which the event loop counts up. */
  beats: Int32Array<SharedArrayBuffer>;
  /** So often the event loop counts, and the thread looks. */
  everyMs: number;
  /** Looks without a beat after which the process is ended. */
  looks: number;
}

/** Watches from a thread until the returned function is called; the process is ended by SIGKILL, after one line on stderr. */
export function endWhenStalled(limitMs = LIMIT_MS): () => Promise<unknown> {
  const watch: StallWatch = { beats: new Int32Array(new SharedArrayBuffer(4)), everyMs: limitMs / 10, looks: 10 };
  const timer = setInterval(() => void Atomics.add(watch.beats, 0, 1), watch.everyMs);
  timer.unref();
  const thread = new Worker(modulePath(import.meta.url, 'watch-thread'), { workerData: watch });
  thread.unref();
  return async () => {
    clearInterval(timer);
    return await thread.terminate();
  };
}
