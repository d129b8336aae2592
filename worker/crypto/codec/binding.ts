/** Which workflow a ciphertext is for. It is authenticated with the ciphertext, so what was recorded in one workflow cannot be used in another. */
import { createHash } from 'node:crypto';
import type { SerializationContext } from '@temporalio/common';

/** First of what is hashed: nothing else that is hashed for Belay begins so. */
const WHAT = 'belay-payload-1';

/**
 * Hash of namespace, workflow id and activity id, 32 bytes. It stands in the payload's metadata, too: a codec server has no context to compute it from.
 * The SDK gives the target's context for whatever is sent to another workflow (a child's input, a signal), and the child's for its result.
 */
export function bindingOf(context: SerializationContext | undefined): Buffer {
  const activity = context?.type === 'activity' ? (context.activityId ?? null) : null;
  const place = context === undefined ? null : [context.namespace, context.workflowId ?? null, context.type, activity];
  return createHash('sha256')
    .update(JSON.stringify([WHAT, place]))
    .digest();
}
