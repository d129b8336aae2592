/** Creates and deletes a controller's pods, and tells it in events about the workload. Where the API server refuses, the other workloads go on. */
import { recordEvent } from '../../events.ts';
import { type KubeObject, type ObjectStore, StoreError } from '../../store.ts';

/** World time between two attempts at least, as long as nothing changes; and between two events of the same words about a workload. */
const AGAIN_MS = 1_000;
const EVENT_EVERY_MS = 10_000;

export type Created = { pod: KubeObject } | { pod: undefined; againMs: number };

/** `owner`: whose controller creates. A webhook that cannot be called is the usual refusal. */
export function createPod(store: ObjectStore, owner: KubeObject, pod: KubeObject, nowMs: number): Created {
  try {
    const created = store.create('pods', pod);
    tell(store, owner, { type: 'Normal', reason: 'SuccessfulCreate', message: done(owner, created, 'create', 'Created'), nowMs });
    return { pod: created };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const message = `Error creating: ${error.message}`;
    tell(store, owner, { type: 'Warning', reason: 'FailedCreate', message, nowMs, quietMs: EVENT_EVERY_MS });
    return { pod: undefined, againMs: nowMs + AGAIN_MS };
  }
}

/** `owner`: whose controller gives the pod up. */
export function deletePod(store: ObjectStore, owner: KubeObject, pod: KubeObject, nowMs: number): void {
  store.delete('pods', pod.metadata.name, pod.metadata.namespace);
  tell(store, owner, { type: 'Normal', reason: 'SuccessfulDelete', message: done(owner, pod, 'delete', 'Deleted'), nowMs });
}

/** StatefulSets have words of their own. */
function done(owner: KubeObject, pod: KubeObject, verb: string, past: string): string {
  const { name } = pod.metadata;
  return owner.kind === 'StatefulSet' ? `${verb} Pod ${name} in StatefulSet ${owner.metadata.name} successful` : `${past} pod: ${name}`;
}

interface Told {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  nowMs: number;
  quietMs?: number;
}

function tell(store: ObjectStore, owner: KubeObject, told: Told): void {
  recordEvent(store, { about: owner, component: `${owner.kind.toLowerCase()}-controller`, ...told });
}
