/** What was done for nodes that could not be replaced: one message of the thread, a line each. */
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { count, objectTitle } from '../../../domain/core/text.ts';

type Workload = NonNullable<BlockedNode['workload']>;
type Pod = Pick<NonNullable<BlockedNode['pod']>, 'namespace' | 'name'>;

const podTitle = (pod: Pod): string => objectTitle({ kind: 'Pod', ...pod });

export const workloadScaled = (workload: Workload, { before, after, ready }: { before: number; after: number; ready: boolean }): string =>
  `${objectTitle(workload)} scaled ${before} → ${after}${ready ? '' : ', but the new pod is not Ready'}`;

export const scalingCutOff = (workload: Workload): string => `${objectTitle(workload)}: scaling was interrupted`;

/** Follows what was done. */
export const scaledBack = ({ replicas }: Workload): string => `, and back at ${count(replicas, 'replica')}`;

/** Follows what was done. */
export const notScaledBack = (): string => '; not scaled back, because somebody else has changed it since';

export const podDeleted = (pod: Pod, isCordoned: boolean): string =>
  `${podTitle(pod)} deleted, as decided${isCordoned ? ', with its node cordoned' : ''}`;

export const podNotDeleted = (pod: Pod, why: string): string => `${podTitle(pod)} was NOT deleted: ${why}`;

/** `lines`: the newest, of which `earlierCount` are left out. */
export function blockedDeeds(
  lines: readonly string[],
  { scaledCount, backCount, earlierCount }: { scaledCount: number; backCount: number; earlierCount: number },
): string {
  if (lines.length === 1) return `${lines.join('')}.`;
  const back = backCount === 0 ? '' : ` (${backCount} of ${count(scaledCount, 'workload')} scaled back)`;
  const earlier = earlierCount > 0 ? [`${earlierCount} earlier ones`] : [];
  return [`Done for nodes that could not be replaced${back}:`, ...[...earlier, ...lines].map((line) => `• ${line}`)].join('\n');
}
