/** What a campaign has to take back of a cluster, by what became of it. */
import type { MemberState } from './state.ts';

/** undefined: it may have moved it, and EKS says whether the control plane can go back. */
export function whyNotTakenBack(is: MemberState, cluster: string): string | undefined {
  switch (is.kind) {
    case 'planned':
    case 'held':
    case 'waiting':
      return 'the campaign has not started it';
    case 'running':
    case 'needs-people':
    case 'stuck':
      return `its run has not ended: abort it first (belay abort ${cluster})`;
    case 'ahead':
      return `it was already ahead of the target: belay rollback ${cluster} rolls it back by itself`;
    case 'done':
      return is.by === 'run' ? undefined : `the campaign did not upgrade it: belay rollback ${cluster} rolls it back by itself`;
    case 'rolled-back':
      return 'it was already rolled back';
    case 'removed':
      return `it was removed: ${is.why}`;
    case 'failed':
    case 'unknown':
      return undefined;
  }
}
