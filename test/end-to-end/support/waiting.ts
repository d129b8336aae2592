/** Waits for what the twin or Temporal will show; says what was waited for where it does not come. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 25;

export async function eventually<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 45_000,
): Promise<T> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > endMs) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
    await sleep(LOOK_MS);
  }
}

/** Waits no longer than that, whatever comes of it. */
export async function within(limitMs: number, end: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([end, sleep(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}
