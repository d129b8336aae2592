/** Waits for what the twin or Temporal will show; says what was waited for where it does not come. */

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
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
