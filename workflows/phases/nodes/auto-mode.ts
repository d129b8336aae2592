/** EKS Auto Mode replaces its nodes itself: they are watched, and a gate asks about one that is blocked. */
import { CancellationScope } from '@temporalio/workflow';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import { autoModeReplaces, nodesReplaced } from '../../messages/nodes/nodes.ts';
import type { Phase } from '../base/phase.ts';
import { BlockedNodes } from './blocked-nodes.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export type AutoMode = NonNullable<Extract<StepParams, { phase: 'other-nodes' }>['autoMode']>;

/** Returns what is true afterwards, as a sentence without its full stop. */
export async function watchAutoMode(phase: Phase, to: string, { nodeCount, frozenPools }: AutoMode): Promise<string> {
  const blocked = new BlockedNodes(phase);
  const startedAt = new Date().toISOString();
  phase.now(autoModeReplaces(nodeCount, to));
  try {
    for (;;) {
      const outcome = await phase.activities.watch.watchDrift.executeWithOptions({ summary: 'Watch Auto Mode replace its nodes' }, [
        { ...phase.target, to, ignoreNodes: blocked.skipped, ignorePools: frozenPools, owner: 'auto-mode', startedAt },
      ]);
      const { replacedCount, remainingCount } = outcome;
      if (outcome.kind === 'done') break;
      if (outcome.kind === 'blocked') await blocked.ask(outcome.node, nodesReplaced(replacedCount, remainingCount));
      else {
        const why = outcome.kind === 'unhealthy' ? outcome.why : `not finished in time, ${remainingCount} remain`;
        throw phaseFailed(`Waiting for Auto Mode to replace its nodes by ${to}: ${why}`);
      }
    }
  } finally {
    await CancellationScope.nonCancellable(() => blocked.restoreAll());
  }
  const skipped = blocked.skipped.length === 0 ? '' : `, skipped: ${blocked.skipped.join(', ')}`;
  return `Auto Mode nodes are at ${to}${skipped}`;
}
