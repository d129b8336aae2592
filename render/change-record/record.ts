/** What a change record tells, as rows: the Markdown and the HTML of `belay report` show the same. */
import { runWay } from '../../domain/plan/model/rollback-text.ts';
import type { AskedChange } from '../../domain/run/record/change-requests.ts';
import { allLines, type GateState } from '../../domain/gates/gate.ts';
import type { AuditEntry } from '../../domain/gates/audit.ts';
import { type IacNote, iacNotes } from '../../domain/run/code-changes/notes.ts';
import { plannedWords } from '../../domain/plan/model/step-summary.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { ForecastCompared } from '../../domain/run/forecasts/compare.ts';
import type { StepView, UpgradeReport } from '../../domain/run/record/status.ts';
import { count, duration, someOf, utcSecond } from '../../domain/core/text.ts';
import { actorName } from '../../domain/gates/actor.ts';

export interface ChangeRecord {
  report: UpgradeReport;
  /** Absent where the run ended before it had one. */
  plan?: UpgradePlan;
  /** What others were asked to change. */
  asked?: readonly AskedChange[];
  /** Absent where no forecast was made. */
  forecast?: ForecastCompared;
  /** Absent where the run kept no audit record, or it is not here. */
  audit?: { entries: AuditEntry[]; broken?: string };
}

export const OUTCOMES: Record<UpgradeReport['outcome'], string> = {
  completed: 'Completed',
  stopped: 'Stopped',
  aborted: 'Aborted',
  failed: 'Failed',
  refused: 'Refused',
};

export function titleOf({ status }: UpgradeReport): string {
  return `${status.cluster.name}: ${runWay(status)}`;
}

/** To the second: the audit record has the rest. */
export const when = (iso: string): string => utcSecond(Date.parse(iso));

/** Label and value. */
export function factsOf({ report, plan, audit }: ChangeRecord): [string, string][] {
  const { status } = report;
  const { cluster } = status;
  const tookMs = Date.parse(status.endedAt ?? '') - Date.parse(status.startedAt);
  return [
    ['Cluster', `${cluster.name}, account ${cluster.account}, ${cluster.region}`],
    ['Asked for by', `${actorName(status.requestedBy)} (${status.requestedBy.kind} ${status.requestedBy.id})`],
    ['From', when(status.startedAt)],
    ['To', `${status.endedAt === undefined ? '?' : when(status.endedAt)}${Number.isNaN(tookMs) ? '' : `, ${duration(tookMs)}`}`],
    ['Run', status.runId],
    ...(status.planHash === undefined && plan === undefined
      ? []
      : [['Plan', status.planHash ?? plan?.hash ?? ''] satisfies [string, string]]),
    ...(status.steps.length === 0 ? [] : [['Compared with the plan', comparisonOf(status)] satisfies [string, string]]),
    ...(report.rollbackPoint === undefined ? [] : [['Rollback point', pointText(report.rollbackPoint)] satisfies [string, string]]),
    ['Audit record', auditText(report, audit)],
  ];
}

function pointText({ location, leftOut, leftOutCount }: NonNullable<UpgradeReport['rollbackPoint']>): string {
  if (leftOutCount === 0) return location;
  const more = leftOutCount - leftOut.length;
  return `${location}; not in it: ${leftOut.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function auditText({ audit: told }: UpgradeReport, found: ChangeRecord['audit']): string {
  if (told === undefined) return 'none was kept';
  const head = `${count(told.head.seq, 'entry')}, hash ${told.head.hash}`;
  if (found === undefined) return `${head}; it is not among these records`;
  if (found.broken !== undefined) return `${head}; NOT as Belay wrote it: ${found.broken}`;
  const last = found.entries.at(-1);
  return last?.hash === told.head.hash ? `${head}; unaltered` : `${head}; NOT complete: it ends with entry ${last?.seq ?? 0}`;
}

export function iacNotesOf({ report, plan, asked }: ChangeRecord): IacNote[] {
  return iacNotes(plan, report.status.steps, asked);
}

export const lookAgain = ({ status }: UpgradeReport): string => `belay reconcile ${status.cluster.name} looks again.`;

export interface StepRow {
  title: string;
  /** Versions as they were planned; '' where there is no plan, or none of them. */
  planned: string;
  state: string;
  took: string;
  expected: string;
  note: string;
}

/** `note`: what came of it. */
export function stepRows({ report, plan }: ChangeRecord): StepRow[] {
  return report.status.steps.map((step): StepRow => {
    const { id, title, state, expectedMs, note = '' } = step;
    const planned = plan?.steps.find((each) => each.id === id);
    const tookMs = tookOf(step);
    return {
      title,
      planned: planned === undefined ? '' : plannedWords(planned),
      state,
      took: tookMs === undefined ? '' : duration(tookMs),
      expected: expectedMs > 0 ? duration(expectedMs) : '',
      note,
    };
  });
}

function tookOf({ startedAt, endedAt }: StepView): number | undefined {
  return startedAt === undefined || endedAt === undefined ? undefined : Date.parse(endedAt) - Date.parse(startedAt);
}

/** How the run compared with its plan, in a line. A step that waits for people waits within its time. */
function comparisonOf({ steps }: UpgradeReport['status']): string {
  const others = steps.filter(({ state }) => state !== 'completed').map(({ id, state }) => `${id} ${state}`);
  const ended = steps.filter((step) => tookOf(step) !== undefined);
  const tookMs = ended.reduce((sum, step) => sum + (tookOf(step) ?? 0), 0);
  const expectedMs = ended.reduce((sum, step) => sum + step.expectedMs, 0);
  const rest = others.length === 0 ? '' : ` (${someOf(others, 10)})`;
  const times = ended.length === 0 ? '' : `; those that ended took ${duration(tookMs)}, expected ${duration(expectedMs)}`;
  return `${steps.length - others.length} of ${count(steps.length, 'step')} completed${rest}${times}`;
}

export interface DecisionRow {
  title: string;
  outcome: string;
  /** Every vote, the deciding one last. */
  votes: string[];
  evidence: { title: string; lines: string[] }[];
  undo: string;
}

export function decisionRow(state: GateState): DecisionRow {
  const { title, evidence, undo } = state.gate;
  const votes = state.votes.map(
    ({ choice, actor, at, reason }) =>
      `${choice} by ${actorName(actor)} (${actor.kind} ${actor.id}) at ${when(at)}${reason === undefined || reason === '' ? '' : `: ${reason}`}`,
  );
  const shown = evidence.map((each) => ({ title: each.title, lines: allLines(each) }));
  return { title, outcome: outcomeOf(state), votes, evidence: shown, undo };
}

function outcomeOf(state: GateState): string {
  switch (state.kind) {
    case 'open':
      return 'still open';
    case 'decided':
      return state.decision.choice;
    case 'expired':
      return `expired at ${when(state.at)}`;
    case 'withdrawn':
      return `withdrawn at ${when(state.at)}: ${state.why}`;
  }
}

export function leftText({ what, why, kept }: UpgradeReport['leftBehind'][number]): string {
  return `${kept ? 'Kept on purpose' : 'NOT RESTORED'}: ${what}: ${why}`;
}
