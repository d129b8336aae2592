/** The guard's watch over a freeze, and how it gets it back after it could not look or could not put it back. */
import { CancelledFailure } from '@temporalio/common';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import { lastHeartbeat } from '../../runtime/context.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import type { FreezeState, KarpenterActivities } from '../../contract/karpenter.ts';

type WatchInput = Parameters<KarpenterActivities['watchFreeze']>[0];

/** A guard without rights looks this many check intervals apart at most: two hours where it checks every minute. */
const RAREST_LOOK_CHECKS = 120;

/** Looks every `everyMs` until something is not as it should be. */
export async function watchFreeze(
  { timing, nodes }: Pick<WatchInput, 'timing' | 'nodes'>,
  everyMs: number,
  look: () => Promise<FreezeState>,
): Promise<FreezeState> {
  let last: FreezeState = { intact: true, reverted: [], pools: [] };
  const looked = lastLook();
  await waitUntil<FreezeState>(
    {
      timing: { ...timing, pollMinMs: everyMs, pollMaxMs: everyMs },
      timeoutMs: Number.POSITIVE_INFINITY,
      doing: `guarding the freeze at ${nodes}`,
      details: () => ({ pools: last.pools.length, ...looked.said() }),
    },
    async () => {
      last = await look();
      looked.now();
      return last.intact ? { done: false, note: 'the freeze stands' } : { done: true, value: last };
    },
  );
  return last;
}

/**
 * Ends once `repair` leaves the freeze intact. Each look waits as long as all before it together, so that missing rights cost the API server, its audit
 * log and the guard's history next to nothing. Only a cluster that is another one ends it with a failure.
 */
export async function recoverFreeze(
  { timing, nodes }: Pick<WatchInput, 'timing' | 'nodes'>,
  repair: () => Promise<FreezeState>,
): Promise<FreezeState> {
  const looked = lastLook();
  const rarestMs = RAREST_LOOK_CHECKS * timing.freezeCheckMs;
  const result = await waitUntil<FreezeState>(
    {
      timing: { ...timing, pollShare: 1, pollMinMs: timing.freezeCheckMs, pollMaxMs: rarestMs },
      timeoutMs: Number.POSITIVE_INFINITY,
      doing: `getting the freeze back to ${nodes}`,
      details: looked.said,
    },
    async () => {
      try {
        const state = await repair();
        looked.now();
        return state.intact ? { done: true, value: state } : { done: false, note: `not frozen: ${state.reverted.join(', ')}` };
      } catch (error) {
        if (error instanceof CancelledFailure || failureType(error) === 'ClusterReplaced') throw error;
        return { done: false, note: messageOf(error) };
      }
    },
  );
  return result.kind === 'done' ? result.value : { intact: false, reverted: [], pools: [] };
}

/** When the NodePools were last seen, for heartbeats: they go on while looks fail, so that they show a worker and no look. An attempt goes on from the one before. */
function lastLook(): { now: () => void; said: () => { lookedAt?: string } } {
  const before = field(field(lastHeartbeat(), 'details'), 'lookedAt');
  let at = typeof before === 'string' ? before : undefined;
  return {
    now: () => void (at = new Date().toISOString()),
    said: () => (at === undefined ? {} : { lookedAt: at }),
  };
}
