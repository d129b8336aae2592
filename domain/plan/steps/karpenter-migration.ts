/** The step that brings Karpenter's objects to the API v1. */
import { tryComponentVersion, compareMinors, parseComponentVersion } from '../../core/component-version.ts';
import type { KarpenterFact } from '../../facts/facts.ts';
import type { Step as MigrationLeg } from '../migration/names.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { patchBeforeV1 } from '../../tables/karpenter.ts';
import { count } from '../../core/text.ts';
import type { Hop } from '../model/hops.ts';
import { karpenterDelivery } from '../karpenter/controller.ts';
import { KARPENTER_OF_V1 } from '../karpenter/migration.ts';
import type { Delivery } from '../model/changes.ts';
import type { PlannedStep, RollbackPoint } from '../model/types.ts';
import { plannedStep } from './step.ts';
import { defined } from '../../core/defined.ts';

export function karpenterMigrationStep(
  hop: Hop,
  karpenter: KarpenterFact,
  { from, legs }: { from: string; legs: MigrationLeg[] },
  policy: UpgradePolicy,
): PlannedStep {
  const { namespace, deployment, nodePools } = karpenter;
  const delivery = karpenterDelivery(karpenter, policy);
  const moves = legs.includes('v1beta1');
  const nodeCount = moves ? nodePools.reduce((sum, pool) => sum + pool.nodeCount, 0) : 0;
  const { moveNodes = 'ask' } = policy.karpenter.migration ?? {};
  const params = {
    phase: 'karpenter-migration' as const,
    from,
    to: endOf(from),
    legs,
    namespace,
    deployment,
    managedBy: policy.managedBy.karpenter,
    ...defined({ delivery }),
    ...(moves ? { nodeCount, moveNodes } : {}),
  };
  const way = [moves ? 'v1alpha5' : 'v1beta1', ...legs].join(' → ');
  return plannedStep(
    hop,
    params,
    {
      title: `Karpenter’s API ${way}`,
      why: `Karpenter ${from} ${whyOf(from)}.${moves ? ` ${count(nodeCount, 'node')} of Machines ${nodeCount === 1 ? 'has' : 'have'} to be replaced on the way.` : ''} ${handOf(delivery)}`,
      rollback: rollbackOf(from, moves),
    },
    policy,
  );
}

/** One that is at 1.0 already stays: what is left are its objects. */
export function endOf(from: string): string {
  const version = tryComponentVersion(from);
  return version === undefined || compareMinors(version, parseComponentVersion('1.0')) < 0 ? KARPENTER_OF_V1 : from;
}

function whyOf(from: string): string {
  return endOf(from) === from
    ? 'still has objects that are stored as v1beta1, and the hop needs 1.1 or newer, which know v1 alone'
    : `has its objects in an older API; freeze, pace and waves speak v1, which comes with ${KARPENTER_OF_V1}`;
}

function handOf(delivery: Delivery | undefined): string {
  if (delivery === undefined) return 'Each change of its charts is asked for, in order, and watched.';
  if (delivery.kind === 'helm') return 'Belay upgrades its charts with helm, each behind the one before.';
  const kept = delivery.charts.filter(({ owner }) => owner !== undefined);
  return kept.length === 0
    ? `Belay changes ${delivery.charts.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join(', ')}, each behind the one before.`
    : `${kept.map(({ kind, namespace, name, owner = '' }) => `${kind} ${namespace}/${name} is kept as in Git by ${owner}`).join('; ')}: Belay asks for each merge, in order.`;
}

/** Source: v1 and v1beta1 migration guides, "Rollback". */
function rollbackOf(from: string, moves: boolean): RollbackPoint {
  const back = patchBeforeV1(from);
  return {
    what: `Karpenter, back to ${back}, and to nothing older`,
    how: `controller ${back} first, then karpenter-crd ${back}, webhooks on; what only v1 can say is lost${moves ? '. Provisioners that are gone stay gone' : ''}`,
    until: 'Karpenter goes to 1.1 or newer, which drops v1beta1',
    cost: 'about 5 minutes without new nodes',
  };
}
