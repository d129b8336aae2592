/** Status conditions and events, written as controllers write them. */
import { type Condition, conditionOf, kubeTime, setCondition as put } from '../kubernetes/pods.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { World } from '../world/world.ts';

const stamp = (world: World): string => kubeTime(world.clock.nowMs());

export const isTrue = (object: KubeObject, type: string): boolean => conditionOf(object, type)?.status === 'True';

/** Sets a condition on a copy inside store.update(). */
export function setCondition(
  world: World,
  copy: KubeObject,
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason = type,
  message = '',
): void {
  put(copy, { type, status, reason, message }, stamp(world));
}

export function clearCondition(copy: KubeObject, type: string): void {
  if (copy.status?.conditions === undefined) return;
  copy.status.conditions = copy.status.conditions.filter((c: Condition) => c.type !== type);
}

/** The same event is not recorded again within this time. */
const EVENT_REPEAT_MS = 60_000;

/** Events of cluster-scoped objects live in namespace default; the same event again only counts up. */
export function recordEvent(
  world: World,
  about: KubeObject,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
  component: string,
): void {
  const namespace = about.metadata.namespace ?? 'default';
  const name = `${about.metadata.name}.${digest(`${about.kind}/${reason}/${message}`)}`;
  const at = stamp(world);
  const known = world.store.get('events', name, namespace);
  if (known !== undefined) {
    if (world.clock.nowMs() - Date.parse(String(known.lastTimestamp)) < EVENT_REPEAT_MS) return;
    world.store.update('events', name, namespace, (copy) => {
      copy.count = Number(copy.count ?? 1) + 1;
      copy.lastTimestamp = at;
    });
    return;
  }
  const { apiVersion, kind, metadata } = about;
  world.store.create('events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { apiVersion, kind, name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
  });
}

function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
