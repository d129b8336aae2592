/** Waits for something for a while, and goes on without. */

/** undefined: it took longer, or has failed. */
export async function inTime<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => void (timer = setTimeout(() => resolve(undefined), limitMs)));
  try {
    return await Promise.race([work.catch(() => undefined), limit]);
  } finally {
    clearTimeout(timer);
  }
}
