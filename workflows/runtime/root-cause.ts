/** What is behind a failure: activity and child failures wrap what matters. */
import { ApplicationFailure } from '@temporalio/common';

/** What the innermost failure says. */
export function messageOf(error: unknown): string {
  const root = rootCause(error);
  return root instanceof Error ? root.message : String(root);
}

/** The innermost failure. */
export function rootCause(error: unknown): unknown {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error && !(current instanceof ApplicationFailure)) current = current.cause;
  return current;
}
