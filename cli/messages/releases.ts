/** What `belay upgrade-self` says of open runs and the release that is to be deployed. */
import { agree, count } from '../../domain/core/text.ts';

export const noOpenRuns = (release: string, namespace: string): string =>
  `No run is open in namespace "${namespace}": ${release} can be deployed.`;

export const allReplay = (runCount: number, release: string): string =>
  `${runCount === 1 ? 'The open run replays' : `All ${runCount} open runs replay`} on ${release}: it can be deployed.`;

export const someStay = (pinnedCount: number, release: string): string =>
  `No open run would break on ${release}: it can be deployed beside the workers to which ${count(pinnedCount, 'open step')} ${agree(pinnedCount, 'is', 'are')} pinned.`;

/** `release`: undefined where no history tells it. */
export const startedBy = (release: string | undefined): string => `started by ${release ?? 'an unknown release'}`;

export const wouldBreak = (names: readonly string[], runCount: number, release: string): string =>
  `${names.length} of ${count(runCount, 'open run')} would break on ${release}: ${names.join(', ')}. Do not deploy it before ${agree(names.length, 'it has', 'they have')} ended.`;

export const notAllReplayed = (names: readonly string[], runCount: number, release: string): string =>
  `${names.length} of ${count(runCount, 'open run')} could not be replayed on ${release}: ${names.join(', ')}. Fix the errors above, then check again.`;
