/** How an object that is deleted goes: at once, or marked as ending until what holds it has let go. */
import { isFinished, kubeTime } from './pods/pods.ts';
import type { DeleteOptions, KubeObject, ResourceType } from './store.ts';

/** The garbage collector takes them off when it has done its part. */
const FINALIZER_OF: Record<string, string | undefined> = { Foreground: 'foregroundDeletion', Orphan: 'orphan' };

/** Marks a copy of an object as ending. False: it is ending already, and no sooner by this. */
export function markEnding(type: ResourceType, object: KubeObject, options: DeleteOptions, nowMs: number): boolean {
  if (isNamespace(type)) return markNamespace(object, nowMs);
  const graceSeconds = graceSecondsOf(type, object, options);
  if (graceSeconds === 'as it is') return false;
  const { metadata } = object;
  const known = metadata.deletionGracePeriodSeconds;
  const waitsFor = FINALIZER_OF[options.propagationPolicy ?? 'Background'];
  if (waitsFor !== undefined && !metadata.finalizers?.includes(waitsFor)) metadata.finalizers = [...(metadata.finalizers ?? []), waitsFor];
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = kubeTime(nowMs + graceSeconds * 1000);
    // What is desired has changed: it is to go.
    if (metadata.generation !== undefined) metadata.generation += 1;
  } else if (known !== undefined && graceSeconds < known) {
    const sinceMs = Date.parse(metadata.deletionTimestamp) - known * 1000;
    metadata.deletionTimestamp = kubeTime(Math.max(nowMs, sinceMs + graceSeconds * 1000));
  }
  metadata.deletionGracePeriodSeconds = graceSeconds;
  return true;
}

/** Does nothing hold an ending object any more? A namespace has no grace period, and a finalizer of its own for what is in it. */
export function isFree(type: ResourceType, { metadata, spec }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined || metadata.finalizers) return false;
  return isNamespace(type) ? !spec?.finalizers?.length : metadata.deletionGracePeriodSeconds === 0;
}

const isNamespace = ({ plural, group }: ResourceType): boolean => plural === 'namespaces' && group === '';

/** Whatever the request wants: what is in it goes first. */
function markNamespace(namespace: KubeObject, nowMs: number): boolean {
  if (namespace.metadata.deletionTimestamp !== undefined) return false;
  namespace.metadata.deletionTimestamp = kubeTime(nowMs);
  namespace.status = { ...namespace.status, phase: 'Terminating' };
  return true;
}

/** Only pods on a node take their time; an ending pod's time can only be shortened. */
function graceSecondsOf(type: ResourceType, object: KubeObject, { gracePeriodSeconds }: DeleteOptions): number | 'as it is' {
  if (type.plural !== 'pods') return 0;
  const known = object.metadata.deletionTimestamp === undefined ? undefined : (object.metadata.deletionGracePeriodSeconds ?? 0);
  if (known !== undefined && known > 0) {
    return gracePeriodSeconds !== undefined && gracePeriodSeconds < known ? gracePeriodSeconds : 'as it is';
  }
  if (known === 0 || !object.spec?.nodeName || isFinished(object)) return 0;
  return gracePeriodSeconds ?? object.spec.terminationGracePeriodSeconds ?? 30;
}
