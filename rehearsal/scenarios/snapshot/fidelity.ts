/** Where the twin, or a real API server's own controllers, come to other figures than the cluster had: each is a reason not to trust what follows from it. */
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import { budgetStatus } from '../../kubernetes/controllers/disruption-budgets.ts';
import type { World } from '../../world/world.ts';
import { number, record } from './aws/calls.ts';

const FIGURES = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

type Figures = { [F in (typeof FIGURES)[number]]?: unknown };

/** One sentence for each PodDisruptionBudget. Asked while the world is as it was loaded. */
export function fidelityOf({ store, clock, realParts }: World, snapshot: Snapshot): string[] {
  const here = realParts === true ? 'the real cluster' : 'the twin';
  return (objectsOf(snapshot, 'policy/v1', 'poddisruptionbudgets') ?? []).flatMap((recorded) => {
    const { name, namespace } = recorded.metadata;
    const budget = store.get('poddisruptionbudgets', name, namespace);
    const was = record(recorded['status']);
    if (budget === undefined || was['disruptionsAllowed'] === undefined) return [];
    // Without ReplicaSets, which are not followed there, nobody here could count the pods that a real budget expects.
    const is: Figures = realParts === true ? record(budget.status) : budgetStatus(store, budget, clock.nowMs());
    const differing = differences(was, is, here);
    return differing === ''
      ? []
      : [`PodDisruptionBudget ${namespace}/${name}: the cluster had ${differing}. The rehearsal goes on with ${here}'s figures.`];
  });
}

function differences(was: SnapshotKubeObject[string], is: Figures, here: string): string {
  const before = record(was);
  const parts = FIGURES.flatMap((figure) =>
    before[figure] === undefined || before[figure] === is[figure]
      ? []
      : [`${figure} ${number(before[figure]) ?? 'unknown'}, ${here} has ${number(is[figure]) ?? 'not counted yet'}`],
  );
  return parts.join('; ');
}
