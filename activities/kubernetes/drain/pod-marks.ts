/** karpenter.sh/do-not-disrupt on pods, as Karpenter reads it (sigs.k8s.io/karpenter, pkg/utils/pod/scheduling.go, IsDoNotDisruptActive). */
import { parseDurationMs } from '../../../domain/core/parse-duration.ts';
import type { Pod } from '../../clients/kubernetes/objects.ts';
import { DO_NOT_DISRUPT } from './draining-nodes.ts';

/** Go's durations have no days. */
const NO_DAYS = /^[^d]+$/;

/**
 * What the annotation says while it protects the pod; undefined: it does not. "true" always does, a duration such as "30m" (in newer versions) for so
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
