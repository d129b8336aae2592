/** Kubernetes events about objects; those about cluster-scoped ones live in the namespace default. */
import type { KubeObject, ObjectStore } from './store.ts';

export interface EventInput {
  about: KubeObject;
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** Who says so: default-scheduler, karpenter. */
  component: string;
  /** World time, RFC 3339. */
  at: string;
}

/** Stores an event, or counts it up where the same one is already there. */
export function recordEvent(store: ObjectStore, input: EventInput): KubeObject {
  const { about, type, reason, message, component, at } = input;
  const namespace = about.metadata.namespace ?? 'default';
  const same = store
    .list('events', { namespace })
    .find((event) => event.involvedObject?.uid === about.metadata.uid && event.reason === reason && event.message === message);
  if (same) {
    return store.update('events', same.metadata.name, namespace, (copy) => {
      copy.count += 1;
      copy.lastTimestamp = at;
    });
  }
  return store.create('events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: '', generateName: `${about.metadata.name}.`, namespace },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name: about.metadata.name,
      ...(about.metadata.namespace ? { namespace: about.metadata.namespace } : {}),
      uid: about.metadata.uid,
      resourceVersion: about.metadata.resourceVersion,
    },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  });
}
