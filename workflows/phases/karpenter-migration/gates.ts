/** The questions before a migration begins and before the controller of 1.0, asked again after each Look again. */
import type { MigrationLook } from '../../../activities/contract/karpenter-migration.ts';
import { beginMigrationGate, v1Gate } from '../../messages/karpenter/migration-gates.ts';
import type { MigrationWalk } from './walk.ts';

const DAY_MS = 24 * 3_600_000;

/** Before anything is changed. Resolves with what was seen last before the approval. */
export async function agreeToBegin(walk: MigrationWalk, leg: 'v1' | 'v1beta1', first: MigrationLook): Promise<MigrationLook> {
  if (walk.begun) return first;
  const { params, rollback } = walk;
  let look = first;
  while ((await walk.ask('begin', beginMigrationGate({ params, leg, look, rollback }))) === 'look-again') look = await walk.look(leg);
  walk.begun = true;
  return look;
}

/** Before the controller of 1.0: from there expiry is forceful, and the way back is narrow. */
export async function agreeToV1(walk: MigrationWalk): Promise<void> {
  const { from, to } = walk.params;
  for (;;) {
    const expiry = await walk.phase.activities.survey.foreseeExpiry.executeWithOptions(
      { summary: 'Which nodes would 1.0 drain by force?' },
      [{ cluster: walk.phase.cluster, withinMs: DAY_MS }],
    );
    if ((await walk.ask('v1', v1Gate({ from, to, expiry }))) !== 'look-again') return;
  }
}
