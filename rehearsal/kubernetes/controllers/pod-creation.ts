/** Creates a controller's pod; where the API server refuses, the workload gets an event and the others go on. */
import { recordEvent } from '../events.ts';
import { kubeTime } from '../pods.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { StoreError } from '../store.ts';

/** World time between two attempts at least, as long as nothing changes; and between two events about the same workload. */
const AGAIN_MS = 1_000;
const EVENT_EVERY_MS = 10_000;

const lastEvents = new WeakMap<ObjectStore, Map<string, number>>();

export type Created = { pod: KubeObject } | { pod: undefined; againMs: number };

/** `owner`: whose controller creates. A webhook that cannot be called is the usual refusal. */
export function createPod(store: ObjectStore, owner: KubeObject, pod: KubeObject, nowMs: number): Created {
  try {
    return { pod: store.create('pods', pod) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    tell(store, owner, error.message, nowMs);
    return { pod: undefined, againMs: nowMs + AGAIN_MS };
  }
}

function tell(store: ObjectStore, owner: KubeObject, why: string, nowMs: number): void {
  const known = lastEvents.get(store) ?? new Map<string, number>();
  lastEvents.set(store, known);
  const uid = owner.metadata.uid ?? '';
  if (nowMs - (known.get(uid) ?? Number.NEGATIVE_INFINITY) < EVENT_EVERY_MS) return;
  known.set(uid, nowMs);
  recordEvent(store, {
    about: owner,
    type: 'Warning',
    reason: 'FailedCreate',
    message: `Error creating: ${why}`,
    component: `${owner.kind.toLowerCase()}-controller`,
    at: kubeTime(nowMs),
  });
}
