/** A look at a store serves all that is asked for at about the same time. */

/** A wave of pods is not to write a file each. */
const MOMENT_MS = 5_000;

/** `look` at most once in a moment, for as long as it succeeds. A failure is not remembered. `nowMs` is injected by tests. */
export function onceAMoment(look: () => Promise<void>, nowMs: () => number = () => performance.now()): () => Promise<void> {
  let seenMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  return async () => {
    if (nowMs() - seenMs < MOMENT_MS) return;
    const startMs = nowMs();
    looking ??= look()
      .then(() => void (seenMs = startMs))
      .finally(() => void (looking = undefined));
    await looking;
  };
}
