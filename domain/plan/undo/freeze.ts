/** Drift is frozen before a step is undone that could set nodes rolling. */
import type { KarpenterFact } from '../../facts/facts.ts';
import { someOf } from '../../core/text.ts';
import { freezeMeans, meansText } from '../karpenter/choose-freeze.ts';
import { plannedStep } from '../steps/step.ts';
import type { PlannedGate, PlannedStep } from '../model/types.ts';
import type { UndoInput } from './undo-input.ts';
import { defined } from '../../core/defined.ts';

/** `why`: of the names of the node pools. undefined: there is no pool to freeze. */
export function undoFreeze(
  { hop, policy }: UndoInput,
  { nodePools }: KarpenterFact,
  gate: PlannedGate,
  why: (pools: string) => string,
): PlannedStep | undefined {
  if (nodePools.length === 0) return undefined;
  const means = freezeMeans(nodePools, policy);
  const frozenBefore = nodePools.filter(({ frozenBy }) => frozenBy !== undefined).map(({ name }) => name);
  const names = nodePools.map(({ name }) => name);
  return plannedStep(
    hop,
    {
      phase: 'freeze-drift',
      nodePools: names,
      ...(frozenBefore.length === 0 ? {} : { frozenBefore }),
      ...defined({ means }),
    },
    {
      title: 'Freeze Karpenter',
      why: `${why(someOf(names))}${meansText(nodePools, means)}`,
      gate,
      rollback: {
        what: 'the freeze',
        how: 'Belay removes its own marks, and only those, when the run ends',
        until: 'the run ends',
        cost: 'none',
      },
    },
    policy,
  );
}
