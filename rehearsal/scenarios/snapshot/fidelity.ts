/** Where the twin comes to other figures than the cluster had: each is a reason not to trust what follows from it. */
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import { type BudgetStatus, budgetStatus } from '../../kubernetes/controllers/disruption-budgets.ts';
import type { World } from '../../world/world.ts';
import { number, record } from './aws/calls.ts';

const FIGURES = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

/** One sentence for each PodDisruptionBudget. Asked while the world is as it was loaded. */
export function fidelityOf({ store, clock }: World, snapshot: Snapshot): string[] {
  return (objectsOf(snapshot, 'policy/v1', 'poddisruptionbudgets') ?? []).flatMap((recorded) => {
    const { name, namespace } = recorded.metadata;
    const budget = store.get('poddisruptionbudgets', name, namespace);
    const was = record(recorded['status']);
    if (budget === undefined || was['disruptionsAllowed'] === undefined) return [];
    const differing = differences(was, budgetStatus(store, budget, clock.nowMs()));
    return differing === ''
      ? []
      : [`PodDisruptionBudget ${namespace}/${name}: the cluster had ${differing}. The rehearsal goes on with the twin's figures.`];
  });
}

function differences(was: SnapshotKubeObject[string], is: BudgetStatus): string {
  const before = record(was);
  const parts = FIGURES.flatMap((figure) =>
    before[figure] === undefined || before[figure] === is[figure]
      ? []
      : [`${figure} ${number(before[figure]) ?? 'unknown'}, the twin has ${is[figure]}`],
  );
  return parts.join('; ');
}
