/** The looks that are due before the running activity's first change: set by activities/run/protection, made by the clients. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Running {
  look: () => Promise<void>;
  /** The looks are made once in each attempt, whatever is changed side by side; those that failed are made again. */
  looked?: Promise<void>;
  refrozen: string[];
}

export const running = new AsyncLocalStorage<Running | undefined>();

/** Called before every change (activities/clients): makes the looks that are due. Throws NotProtected. */
export async function beforeChange(): Promise<void> {
  const now = running.getStore();
  if (now === undefined) return;
  // What a look changes itself, the freeze, is not looked at.
  now.looked ??= running.run(undefined, now.look);
  try {
    await now.looked;
  } catch (error) {
    now.looked = undefined;
    throw error;
  }
}
