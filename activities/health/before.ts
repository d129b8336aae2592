/** Tries every query before the upgrade: what is blind is said before anything is done, and what is seen is the baseline. */
import type { ClusterFacts } from '../../domain/facts.ts';
import { type HealthPolicy, type TriedCheck, triedOf } from '../../domain/health-checks.ts';
import type { PrometheusPort } from '../ports.ts';
import { someAtOnce } from '../some-at-once.ts';
import { look } from './ask.ts';

/** undefined: nothing is configured. Checks of what the cluster does not have are left out. */
export async function tryChecks(
  prometheus: PrometheusPort | undefined,
  policy: HealthPolicy | undefined,
  { karpenter, istio }: Pick<ClusterFacts, 'karpenter' | 'istio'>,
): Promise<TriedCheck[] | undefined> {
  if (policy === undefined) return undefined;
  const has = { karpenter: karpenter !== undefined, istio: istio !== undefined };
  const checks = policy.checks.filter(({ where }) => where === undefined || has[where]);
  return await someAtOnce(checks, async (check) => triedOf(check, await look(prometheus, check)));
}
