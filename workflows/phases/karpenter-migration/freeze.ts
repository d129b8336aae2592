/** No node is replaced for drift while the API is migrated; budgets and nodes are as before at the end, whatever it is. */
import { CancellationScope } from '@temporalio/workflow';
import { driftHeld, heldWords, holdNotReleased, otherBudgetsKept } from '../../messages/karpenter/migration.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import type { MigrationWalk } from './walk.ts';

/** Repeated before each change of the controller: a pool may have come, or its owner may have put the budget back. */
export async function hold(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  const before = walk.hold;
  // Also when the call fails halfway.
  walk.hold ??= '';
  const frozen = await phase.activities.quick.holdForMigration.executeWithOptions({ summary: 'Freeze drift' }, [
    { cluster: phase.cluster, guard: walk.guard },
  ]);
  const held = heldWords(frozen);
  if (held === '' || held === before) return;
  walk.hold = held;
  walk.say(driftHeld(frozen));
}

export async function releaseHold(walk: MigrationWalk): Promise<void> {
  if (walk.hold === undefined) return;
  const { phase } = walk;
  await CancellationScope.nonCancellable(async () => {
    let failed: { pool: string; why: string }[];
    try {
      const result = await phase.activities.owed.releaseMigrationHold.executeWithOptions({ summary: 'Restore the budgets exactly' }, [
        { cluster: phase.cluster, guard: walk.guard },
      ]);
      failed = result.failed;
      if (result.changedByOthers.length > 0) walk.say(otherBudgetsKept(result.changedByOthers));
    } catch (error) {
      failed = [{ pool: 'all NodePools', why: messageOf(error) }];
    }
    for (const { pool, why } of failed) phase.notRestored({ what: `budgets of ${pool}`, why }, holdNotReleased(pool, why));
  });
}
