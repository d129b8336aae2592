/** How each thing that a run has left behind is put back: by the same activities by which its own run would have done it. */
import { type Leftover, leftoverWords, type Reconciled } from '../../domain/run/leftovers.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import { messageOf } from '../runtime/root-cause.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

type Outcome = Pick<Reconciled, 'outcome' | 'why'>;

const CHANGED = 'somebody else has changed it meanwhile, so that stays; only the mark is gone';

/** What cannot be put back is said, and the next one is tried. */
export async function putBack(activities: PhaseActivities, cluster: ClusterRef, leftover: Leftover): Promise<Outcome> {
  try {
    const why = await restore(activities, cluster, leftover);
    return why === undefined ? { outcome: 'restored' } : { outcome: 'left', why };
  } catch (error) {
    return { outcome: 'left', why: messageOf(error) };
  }
}

/** Resolves with what was not restored. */
async function restore({ owed }: PhaseActivities, cluster: ClusterRef, leftover: Leftover): Promise<string | undefined> {
  const how = { summary: `Put back: ${leftoverWords(leftover)}`.slice(0, 200) };
  switch (leftover.kind) {
    case 'freeze': {
      const { changedByOthers, failed } = await owed.releaseMigrationHold.executeWithOptions(how, [{ cluster, guard: leftover.guard }]);
      const parts = [...changedByOthers.map((pool) => `${pool}: ${CHANGED}`), ...failed.map(({ pool, why }) => `${pool}: ${why}`)];
      return parts.length === 0 ? undefined : parts.join('; ');
    }
    case 'waves':
      await owed.releaseWaves.executeWithOptions(how, [{ cluster }]);
      return undefined;
    case 'skipped-node':
      await owed.releaseNode.executeWithOptions(how, [{ cluster, node: leftover.node }]);
      return undefined;
    case 'cordoned-node':
      await owed.uncordonNode.executeWithOptions(how, [{ cluster, node: leftover.node }]);
      return undefined;
    case 'ami-hold': {
      // All of them at once: the second finds nothing left to do.
      const { failed } = await owed.releaseAmis.executeWithOptions(how, [{ cluster }]);
      return failed.find(({ nodeClass }) => nodeClass === leftover.nodeClass)?.why;
    }
    case 'autoscaler': {
      const { namespace, name } = leftover;
      const { changedByOthers } = await owed.resumeAutoscaler.executeWithOptions(how, [{ cluster, namespace, name }]);
      return changedByOthers ? CHANGED : undefined;
    }
    case 'scaled': {
      const { workload: kind, namespace, name } = leftover;
      const { changedByOthers } = await owed.scaleBack.executeWithOptions(how, [{ cluster, kind, namespace, name }]);
      return changedByOthers ? CHANGED : undefined;
    }
    case 'fargate': {
      const { changedByOthers, failed } = await owed.startFargate.executeWithOptions(how, [{ cluster, forget: true }]);
      const parts = [...failed.map(({ workload, why }) => `${workload}: ${why}`), ...changedByOthers.map((name) => `${name}: ${CHANGED}`)];
      return parts.length === 0 ? undefined : parts.join('; ');
    }
    case 'istiod': {
      const { namespace, deployment, autoscaler } = leftover;
      const istiod = { namespace, deployment, autoscaler, budget: deployment };
      const { changedByOthers } = await owed.lowerIstiod.executeWithOptions(how, [{ cluster, istiod }]);
      return changedByOthers ? CHANGED : undefined;
    }
    case 'lifecycle-hook':
      await owed.releaseTerminating.executeWithOptions(how, [{ cluster, group: leftover.group }]);
      return undefined;
    case 'for-people':
      return 'people look at it';
  }
}
