/** What readiness sees of a cluster's surroundings, as facts that a plan is made from: EKS refuses an update that lacks them. */
import type { ClusterFacts, DependencyFact } from '../facts/facts.ts';
import { CATALOGUE } from './catalogue.ts';
import type { Check } from './model/check.ts';
import type { Evidence } from './model/evidence.ts';

/** Checks that look at the same: their sources are read for a plan. */
export const PLAN_CHECKS: readonly Check[] = CATALOGUE.filter(({ code }) => ['AWS001', 'AWS004', 'AWS005', 'AWS006'].includes(code));

/** A fact that could not be seen as a whole is absent, which a plan says. */
export function planFacts({
  subnets,
  securityGroups,
  clusterRole,
  encryptionKey,
}: Evidence): Pick<ClusterFacts, 'subnets' | 'dependencies'> {
  const facts: Pick<ClusterFacts, 'subnets' | 'dependencies'> = {};
  const own = subnets.ok ? subnets.value.filter(({ uses }) => uses.includes('cluster')) : [];
  const gone = own.filter((subnet) => subnet.gone === true);
  if (subnets.ok)
    facts.subnets = own.filter((subnet) => !gone.includes(subnet)).map(({ id, zone, freeIps }) => ({ id, zone, freeIpCount: freeIps }));
  if (securityGroups.ok && clusterRole.ok && encryptionKey.ok) {
    const key = encryptionKey.value;
    facts.dependencies = [
      { kind: 'iam-role', id: clusterRole.value.name, present: clusterRole.value.present },
      ...securityGroups.value.map(({ id, present }): DependencyFact => ({ kind: 'security-group', id, present })),
      ...gone.map(({ id }): DependencyFact => ({ kind: 'subnet', id, present: false })),
      ...(key === 'none' ? [] : [{ kind: 'kms-key' as const, id: key.id, present: key.state !== 'not there' }]),
    ];
  }
  return facts;
}
