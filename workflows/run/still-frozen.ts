/** What is told at a run's end of its freeze is read from the cluster: the guard's word alone is not enough. */
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import { freezeStillThere, freezeUnseen } from '../messages/karpenter/freeze.ts';
import { messageOf } from '../runtime/root-cause.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { isReplaced } from '../runtime/phase-failure.ts';

/** Why the freeze cannot be said to be lifted; undefined: no NodePool carries anything of it. */
export async function whyStillFrozen({ quick }: Pick<PhaseActivities, 'quick'>, cluster: ClusterRef): Promise<string | undefined> {
  try {
    const { pools } = await quick.findFrozen.executeWithOptions({ summary: 'Is every NodePool free of the freeze?' }, [{ cluster }]);
    if (pools.length === 0) return undefined;
    return freezeStillThere(pools);
  } catch (error) {
    // On the cluster that bears its name now nothing was frozen.
    return isReplaced(error) ? undefined : freezeUnseen(messageOf(error));
  }
}
