/** EKS Auto Mode replaces its nodes by itself: they are watched, and what is in the way of one is a question for people. */
import { CancellationScope } from '@temporalio/workflow';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import { count } from '../../../domain/core/text.ts';
import type { Phase } from '../base/phase.ts';
import { BlockedNodes } from './blocked-nodes.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export type AutoMode = NonNullable<Extract<StepParams, { phase: 'other-nodes' }>['autoMode']>;

/** Returns what is true afterwards, as a sentence without its full stop. */
export async function watchAutoMode(phase: Phase, to: string, { nodeCount, frozenPools }: AutoMode): Promise<string> {
  const blocked = new BlockedNodes(phase);
  const startedAt = new Date().toISOString();
  phase.now(`EKS replaces ${count(nodeCount, 'Auto Mode node')} by nodes of ${to}.`);
  try {
    for (;;) {
      const outcome = await phase.activities.watch.watchDrift.executeWithOptions({ summary: 'Watch Auto Mode replace its nodes' }, [
        { ...phase.target, to, ignoreNodes: blocked.skipped, ignorePools: frozenPools, startedAt },
      ]);
      const { replacedCount, remainingCount } = outcome;
      if (outcome.kind === 'done') break;
      if (outcome.kind === 'blocked') await blocked.ask(outcome.node, `${count(replacedCount, 'node')} replaced, ${remainingCount} to go`);
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
