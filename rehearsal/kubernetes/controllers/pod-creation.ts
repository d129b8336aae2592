/** Creates a controller's pod; where the API server refuses, the workload gets an event and the others go on. */
import { recordEvent } from '../events.ts';
import { type KubeObject, type ObjectStore, StoreError } from '../store.ts';

/** World time between two attempts at least, as long as nothing changes; and between two events of the same words about a workload. */
const AGAIN_MS = 1_000;
const EVENT_EVERY_MS = 10_000;

export type Created = { pod: KubeObject } | { pod: undefined; againMs: number };

/** `owner`: whose controller creates. A webhook that cannot be called is the usual refusal. */
export function createPod(store: ObjectStore, owner: KubeObject, pod: KubeObject, nowMs: number): Created {
  try {
    return { pod: store.create('pods', pod) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    recordEvent(store, {
      about: owner,
      type: 'Warning',
      reason: 'FailedCreate',
      message: `Error creating: ${error.message}`,
      component: `${owner.kind.toLowerCase()}-controller`,
      nowMs,
      quietMs: EVENT_EVERY_MS,
    });
    return { pod: undefined, againMs: nowMs + AGAIN_MS };
  }
}
