/** Kubernetes events about objects; those about cluster-scoped ones live in the namespace default. */
import { shortHash } from './names.ts';
import { isTerminating, kubeTime } from './pods/pods.ts';
import type { KubeObject, ObjectStore } from './store.ts';

export interface EventInput {
  about: KubeObject;
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** Who says so: default-scheduler, karpenter. */
  component: string;
  /** World time. */
  nowMs: number;
  /** The same event within this time is not recorded again. */
  quietMs?: number;
}

/** Stores an event, or counts it up where the same one is already there. Nothing new comes into a namespace that is going. */
export function recordEvent(store: ObjectStore, input: EventInput): void {
  const { about, type, reason, message, component, nowMs, quietMs = 0 } = input;
  const { apiVersion, kind, metadata } = about;
  const namespace = metadata.namespace ?? 'default';
  const home = store.get('namespaces', namespace);
  if (home && isTerminating(home)) return;
  const name = `${metadata.name}.${shortHash(`${metadata.uid}/${reason}/${message}`)}`;
  const at = kubeTime(nowMs);
  const same = store.get('events', name, namespace);
  if (same !== undefined) {
    if (nowMs - Date.parse(String(same.lastTimestamp)) < quietMs) return;
    store.update('events', name, namespace, (copy) => {
      copy.count += 1;
      copy.lastTimestamp = at;
    });
    return;
  }
  store.create('events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: {
      apiVersion,
      kind,
      name: metadata.name,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
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
