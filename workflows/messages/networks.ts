/** Task queues of networks: that nobody takes from one, and that somebody does again. */
import { alarm, info, type Note, warning } from './note.ts';

/** "belay-dmz" is polled by "belay worker --network dmz". */
const command = (queue: string): string => `belay worker --network ${queue.slice(queue.indexOf('-') + 1)}`;

/** To whoever asked for a plan, a check or a list. `again`: of a campaign, which asks again by itself. */
export const notTaken = (queue: string, seconds: number, again?: 'by itself'): string =>
  `no worker of task queue "${queue}" took the request within ${seconds} s. Start "${command(queue)}" in that network${again === undefined ? ', then ask again' : ''}`;

/** In a campaign's thread: clusters of other networks go on. */
export const networkUnanswered = (queue: string): Note =>
  alarm(
    `No worker of task queue "${queue}" answers. This campaign starts no cluster of that network, and time without an answer does not count as soak. Start "${command(queue)}" in that network; the campaign then continues there by itself.`,
  );

/** One line of the board and of belay status. */
export const waitsForWorker = (queue: string): string => `No worker polls task queue "${queue}": the cluster cannot be reached`;

export const pollersUnknown = (queue: string, why: string): string => `UNKNOWN whether a worker polls task queue "${queue}": ${why}`;

export const queueUnpolled = (queue: string, cluster: string): Note =>
  alarm(
    `${waitsForWorker(queue)}. Belay cannot watch what is under way on ${cluster}, and changes nothing there. Start "${command(queue)}" in that network; the run then continues by itself.`,
  );

export const queueUnread = (queue: string, why: string): Note => warning(pollersUnknown(queue, why));

export const queuePolled = (queue: string): Note => info(`A worker polls task queue "${queue}" again. The run continues.`);
