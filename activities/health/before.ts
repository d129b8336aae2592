/** Tries every query before the upgrade: what is blind is said before anything is done, and what is seen is the baseline. */
import type { ClusterFacts } from '../../domain/facts.ts';
import { type HealthPolicy, type TriedCheck, triedOf } from '../../domain/health-checks.ts';
import { someAtOnce } from '../some-at-once.ts';
import { look, type Metrics } from './ask.ts';

/** undefined: nothing is configured. Checks of what the cluster does not have are left out. */
export async function tryChecks(
  metrics: Metrics,
  policy: HealthPolicy | undefined,
  { karpenter, istio }: Pick<ClusterFacts, 'karpenter' | 'istio'>,
): Promise<TriedCheck[] | undefined> {
  if (policy === undefined) return undefined;
  const has = { karpenter: karpenter !== undefined, istio: istio !== undefined };
  const checks = policy.checks.filter(({ where }) => where === undefined || has[where]);
  return await someAtOnce(checks, async (check) => triedOf(check, await look(metrics, check)));
}
