import { setTimeout as sleep } from 'node:timers/promises';

/** Waits no longer than that, whatever comes of it. */
export async function within(limitMs: number, end: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([end, sleep(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}
