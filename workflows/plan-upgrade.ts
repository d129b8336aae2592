/** The plan and nothing else: what `/eks-upgrade plan` and the check before `start` run. */
import type { PlanResult } from '../domain/plan/types.ts';
import { configActivities, phaseActivities } from './activity-proxies.ts';
import type { UpgradeInput } from './messages.ts';

export async function planUpgrade(input: UpgradeInput): Promise<PlanResult> {
  const policy = await configActivities.loadPolicy({ cluster: input.cluster });
  const { survey } = phaseActivities(policy.timing);
  return survey.makePlan.executeWithOptions({ summary: `Inspect and plan → ${input.target}` }, [
    { cluster: input.cluster, target: input.target, strategy: input.strategy ?? policy.strategy, policy },
  ]);
}
