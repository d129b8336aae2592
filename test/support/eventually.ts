/** Waits for what other processes will show; says what was waited for where it does not come. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 25;

/**
 * How many times as long tests wait as on a machine of their own: CI plays several suites beside each other, on whatever machine there is.
 * Nothing is asserted by how long a test waits in vain.
 */
export const PATIENCE = Number(process.env['BELAY_TEST_PATIENCE'] ?? 1);

type Look<T> = () => T | undefined | false | Promise<T | undefined | false>;

/** What `look` shows at last; looks without a name are named by their text. */
export async function eventually<T>(look: Look<T>, limitMs?: number): Promise<T>;
export async function eventually<T>(what: string, look: Look<T>, limitMs?: number): Promise<T>;
export async function eventually<T>(what: string | Look<T>, second?: Look<T> | number, third?: number): Promise<T> {
  const [name, look, limitMs = 45_000] =
    typeof what === 'string' ? [what, second as Look<T>, third] : [String(what), what, second as number | undefined];
  const endMs = performance.now() + limitMs * PATIENCE;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > endMs) throw new Error(`not within ${(limitMs * PATIENCE) / 1000} s: ${name}`);
    await sleep(LOOK_MS);
  }
}
