/** The thread that watches the event loop. Counts looks, not time: where the whole machine slept, the thread slept as well. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { StallWatch } from './end-when-stalled.ts';

const { beats, everyMs, looks }: StallWatch = workerData;
let seen = Atomics.load(beats, 0);
let silent = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  silent = now === seen ? silent + 1 : 0;
  seen = now;
  if (silent < looks) return;
  // Streams of a thread go through the event loop that stands still.
  writeSync(
    2,
    `belay: the event loop has been blocked for ${Math.round((everyMs * looks) / 1000)} s; this process exits, and other workers continue.\n`,
  );
  process.kill(process.pid, 'SIGKILL');
}, everyMs);
