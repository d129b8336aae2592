/** What an error says that bad input has to cause. */
import { messageOf } from '../../domain/unknown.ts';

export function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return messageOf(error);
  }
  return '(nothing was thrown)';
}
