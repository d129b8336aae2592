/** What a run says at its end: outcome, decisions, what it leaves behind; and the record of it. */
import type { AskedChange } from '../../domain/run/record/change-requests.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import type { MergeQuestion } from '../../domain/run/code-changes/merged.ts';
import { iacNotes } from '../../domain/run/code-changes/notes.ts';
import type { Notification } from '../../domain/run/notifications.ts';
import type { QuotedForecast } from '../../domain/plan/forecast/quoted.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import { messageOf } from '../runtime/root-cause.ts';
import type { UpgradeProgress } from './progress.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { MergeFinding } from '../../domain/run/record/merge-finding.ts';
import { defined } from '../../domain/core/defined.ts';

export function makeReport(
  { status, notRestored, childGates, rollbackPoint }: UpgradeProgress,
  of: {
    outcome: UpgradeReport['outcome'];
    gates: readonly GateState[];
    freezeProblem: string | undefined;
    watched?: UpgradeReport['watched'];
  },
): UpgradeReport {
  const leftBehind = notRestored.map((item) => ({ ...item, kept: false }));
  if (status.freeze.state === 'kept') leftBehind.push({ what: 'Karpenter drift freeze', why: status.freeze.note ?? '', kept: true });
  if (of.freezeProblem !== undefined) leftBehind.push({ what: 'Karpenter drift freeze', why: of.freezeProblem, kept: false });
  return {
    status: { ...status, gates: [] },
    outcome: of.outcome,
    decisions: [...of.gates, ...childGates].sort((a, b) => a.gate.openedAt.localeCompare(b.gate.openedAt)),
    leftBehind,
    ...(of.watched === undefined || of.watched.length === 0 ? {} : { watched: of.watched }),
    ...defined({ rollbackPoint }),
  };
}

/** A message shows fewer; the record has all. */
const TOLD_NOTES = 20;
/** Of one note, as of the labels of namespaces: they go into the history. */
const ASKED_FIELDS = 20;
const LOOK_MS = 120_000;

/** What the thread is told: of what to change in code the lines, not where in the cluster one can see it. */
export function reportOf(report: UpgradeReport, plan: UpgradePlan | undefined, asked: readonly AskedChange[]): Notification {
  const notes = iacNotes(plan, report.status.steps, asked)
    .slice(0, TOLD_NOTES)
    .map(({ fields: _fields, ...note }) => note);
  return { kind: 'report', report, ...(notes.length === 0 ? {} : { notes }) };
}

/** What the run has changed beside code, as far as it can be looked at; none: nothing of the kind. What is code by guess alone cannot. */
export function mergeQuestions(report: UpgradeReport, plan: UpgradePlan | undefined, asked: readonly AskedChange[]): MergeQuestion[] {
  return iacNotes(plan, report.status.steps, asked)
    .filter(({ when }) => when === undefined)
    .slice(0, TOLD_NOTES)
    .map(({ object, fields }) => {
      if (fields === undefined) return { object };
      const leftOut = Math.max(0, fields.length - ASKED_FIELDS);
      return { object, fields: fields.slice(0, ASKED_FIELDS), ...(leftOut === 0 ? {} : { leftOut }) };
    });
}

/** Whether that stands in code yet. A look that fails is told as such, and holds up the end of the run no longer than a minute or two. */
export async function lookAtMerges(activities: PhaseActivities, cluster: ClusterRef, changed: MergeQuestion[]): Promise<MergeFinding[]> {
  try {
    const look = activities.quick.lookAtMerges;
    const { merges } = await look.executeWithOptions({ summary: 'Is what was changed merged?', scheduleToCloseTimeout: LOOK_MS }, [
      { cluster, changed },
    ]);
    return merges;
  } catch (error) {
    return changed.map(({ object }) => ({ object, state: 'unknown', why: messageOf(error) }));
  }
}

/** A record that cannot be written is part of the report. */
export async function writeRecord(
  activities: PhaseActivities,
  record: { cluster: ClusterRef; report: UpgradeReport; plan: UpgradePlan | undefined; asked?: AskedChange[]; forecast?: QuotedForecast },
): Promise<void> {
  try {
    await activities.quick.writeRecord.executeWithOptions({ summary: 'Write the record of this run' }, [record]);
  } catch (error) {
    record.report.leftBehind.push({ what: 'record of this run', why: messageOf(error), kept: false });
  }
}
