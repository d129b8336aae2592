/** Heartbeats while one long call runs, so that a dead worker is told from a slow one. */
import { beat } from './context.ts';

const BEAT_MS = 2_000;

/** `doing`: gerund and object, or what says it at each beat. */
export async function heartbeating<T>(doing: string | (() => string), work: () => Promise<T>): Promise<T> {
  const say = (): void => beat({ kind: 'working', doing: typeof doing === 'string' ? doing : doing() });
  say();
  const ticker = setInterval(say, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(ticker);
  }
}
