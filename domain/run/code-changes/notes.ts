/** What stands in Git and does not hold any more, because Belay has changed the object in the cluster itself: the lines to paste. */
import type { AskedChange } from '../record/change-requests.ts';
import type { PlannedStep, UpgradePlan } from '../../plan/model/types.ts';
import type { StepView } from '../record/status.ts';
import { chartNote } from './charts.ts';
import { eksNotes } from './eks.ts';
import { istioNotes } from './istio.ts';
import { karpenterNotes } from './karpenter.ts';
import type { IacNote, KeyedNote } from './note.ts';

export type { IacNote } from './note.ts';

export const IAC_TITLE = 'To change in Git';
export const IAC_WHY =
  'Belay changed these in the cluster. Their files still have the old values: merge the new ones, or the next apply undoes the change.';

/**
 * Of steps that are done. Objects that somebody keeps as in Git are not among them: their change was asked for (`asked`), and came from there. Where
 * several steps have changed an object, the last one counts. What is kept as code by guess alone comes last.
 */
export function iacNotes(
  plan: UpgradePlan | undefined,
  steps: readonly Pick<StepView, 'id' | 'state'>[],
  asked: readonly AskedChange[] = [],
): IacNote[] {
  const done = new Set(steps.filter(({ state }) => state === 'completed').map(({ id }) => id));
  const notes = new Map<string, IacNote>();
  for (const step of plan?.steps ?? []) {
    if (!done.has(step.id)) continue;
    for (const { key, ...note } of notesOf(step, asked)) {
      // What it said at first is what its file says still.
      notes.set(key, { ...note, says: notes.get(key)?.says ?? note.says });
    }
  }
  return [...notes.values()].sort((a, b) => Number(a.when !== undefined) - Number(b.when !== undefined));
}

/** "HelmRelease karpenter/karpenter, where it says karpenter 1.1.0" */
export function iacHeading({ object, says, when }: IacNote): string {
  return `${object}${when === undefined ? '' : ` (${when})`}, where it says ${says}`;
}

function notesOf(step: PlannedStep, asked: readonly AskedChange[]): KeyedNote[] {
  return [...chartsSet(step), ...istioNotes(step, asked), ...karpenterNotes(step), ...eksNotes(step)];
}

function chartsSet({ params }: PlannedStep): KeyedNote[] {
  if (params.phase !== 'karpenter-controller' && params.phase !== 'karpenter-migration') return [];
  const { delivery, to } = params;
  if (delivery?.kind !== 'gitops') return [];
  return delivery.charts.filter(({ owner }) => owner === undefined).map((chart) => chartNote(chart, to));
}
