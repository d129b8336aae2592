/** Requests for the next page of a list, while there is work with this one. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Resolves once the request has left: it does so in a later turn of the event loop, and what comes next would hold it up. Its failure is heard of
 * here as well: whoever throws before it is awaited leaves it without anybody.
 */
export async function sentAhead(request: Promise<unknown>): Promise<void> {
  request.catch(() => {});
  await nextTurn();
}
