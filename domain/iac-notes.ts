/** What stands in Git and does not hold any more, because Belay has changed the object in the cluster itself: the lines to paste. */
import type { DeliveredChart } from './facts.ts';
import type { PlannedStep, UpgradePlan } from './plan/types.ts';
import type { StepView } from './status.ts';

export interface IacNote {
  /** "HelmRelease karpenter/karpenter" */
  object: string;
  /** What its file says until it is changed. */
  says: string;
  /** YAML of what it should say. */
  lines: string;
}

/**
 * Of steps that are done. Objects that somebody keeps as in Git are not among them: their change was asked for, and came from there. Where
 * several steps have changed an object, the last one counts.
 */
export function iacNotes(plan: UpgradePlan | undefined, steps: readonly Pick<StepView, 'id' | 'state'>[]): IacNote[] {
  const done = new Set(steps.filter(({ state }) => state === 'completed').map(({ id }) => id));
  const notes = new Map<string, IacNote>();
  for (const step of plan?.steps ?? []) {
    if (!done.has(step.id)) continue;
    for (const { chart, to } of chartsSet(step)) {
      const note = noteOf(chart, to);
      // What it said at first is what its file says still.
      const key = `${note.object} ${chart.chart}`;
      notes.set(key, { ...note, says: notes.get(key)?.says ?? note.says });
    }
  }
  return [...notes.values()];
}

function chartsSet({ params }: PlannedStep): { chart: DeliveredChart; to: string }[] {
  if (params.phase !== 'karpenter-controller' && params.phase !== 'karpenter-migration') return [];
  const { delivery, to } = params;
  if (delivery?.kind !== 'gitops') return [];
  return delivery.charts.filter(({ owner }) => owner === undefined).map((chart) => ({ chart, to }));
}

function noteOf(chart: DeliveredChart, to: string): IacNote {
  const says = `${chart.chart} ${chart.version}`;
  const { kind, namespace, name, repository } = chart;
  if (repository !== undefined) {
    return { object: `OCIRepository ${repository.namespace}/${repository.name}`, says, lines: `spec:\n  ref:\n    tag: "${to}"` };
  }
  const object = `${kind} ${namespace}/${name}`;
  if (kind === 'HelmRelease')
    return { object, says, lines: `spec:\n  chart:\n    spec:\n      chart: ${chart.chart}\n      version: "${to}"` };
  return {
    object,
    says,
    lines: `spec:\n  source: # or the one of sources that has this chart\n    chart: ${chart.chart}\n    targetRevision: "${to}"`,
  };
}
