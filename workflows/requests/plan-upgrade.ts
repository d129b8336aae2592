/** The plan and nothing else: what `/eks-upgrade plan` and the check before `start` run. */
import type { PlanResult } from '../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { configActivities, type PhaseActivities, phaseActivities } from '../runtime/activity-proxies.ts';
import type { UpgradeInput } from '../contract/messages.ts';
import { defined } from '../../domain/core/defined.ts';

export async function planUpgrade(input: UpgradeInput): Promise<PlanResult> {
  const policy = await configActivities.loadPolicy({ cluster: input.cluster });
  return inspectAndPlan(phaseActivities(policy.timing), input, policy);
}

/** Of an upgrade, or of a way back, whole or of one step. `shown`: by the plan that was shown before the start, where it is fresh. */
export function inspectAndPlan(
  { survey }: PhaseActivities,
  { cluster, target, strategy, back, undo }: Pick<UpgradeInput, 'cluster' | 'target' | 'strategy' | 'back' | 'undo'>,
  policy: UpgradePolicy,
  shown?: true,
): Promise<PlanResult> {
  if (back === true) {
    const summary = undo === undefined ? 'Inspect and plan the rollback' : `Inspect and plan to undo ${undo}`;
    return survey.planRollback.executeWithOptions({ summary }, [{ cluster, policy, undo }]);
  }
  return survey.makePlan.executeWithOptions({ summary: `Inspect and plan → ${target}` }, [
    { cluster, target, strategy: strategy ?? policy.strategy, policy, ...defined({ shown }) },
  ]);
}
