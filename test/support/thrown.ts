/** What an error says that bad input has to cause. */
import { messageOf } from '../../domain/core/unknown.ts';

export function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return messageOf(error);
  }
  return '(nothing was thrown)';
}

/** What it rejects with; undefined: it did not. */
export function rejection(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
