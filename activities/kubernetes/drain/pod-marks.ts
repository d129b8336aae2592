/** Which pods Karpenter evicts, and what karpenter.sh/do-not-disrupt on pods says to it (sigs.k8s.io/karpenter, pkg/utils/pod/scheduling.go). */
import { parseDurationMs } from '../../../domain/core/parse-duration.ts';
import { toleratesKarpentersDrain } from '../../../domain/facts/disruption/tolerations.ts';
import { controllerOf, isLive, type Pod } from '../../clients/kubernetes/objects.ts';
import { DO_NOT_DISRUPT } from './draining-nodes.ts';

/** Go's durations have no days. */
const NO_DAYS = /^[^d]+$/;

/**
 * Unlike kubectl's drain Karpenter evicts pods of DaemonSets as well, and waits for them; pods that tolerate the taint under which it drains a node, and
 * static ones, stay on it to the end (IsEvictable, IsDrainable). do-not-disrupt is looked at by itself.
 */
export const karpenterEvicts = (pod: Pod): boolean =>
  isLive(pod) && controllerOf(pod)?.kind !== 'Node' && !toleratesKarpentersDrain(pod.spec?.tolerations);

/**
 * What the annotation says (IsDoNotDisruptActive) while it protects the pod; undefined: it does not. "true" always does, a duration such as "30m" (in newer versions) for so
 * long after the pod's start; anything else counts for nothing.
 */
export function protectionOf({ metadata, status }: Pod, nowMs: number): string | undefined {
  const mark = metadata.annotations?.[DO_NOT_DISRUPT];
  if (mark === undefined || mark === 'true') return mark;
  const lastsMs = NO_DAYS.test(mark) ? parseDurationMs(mark) : undefined;
  if (lastsMs === undefined || lastsMs === 0) return undefined;
  const startMs = Date.parse(status?.startTime ?? '');
  return Number.isNaN(startMs) || nowMs - startMs < lastsMs ? mark : undefined;
}
