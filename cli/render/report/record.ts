/** What a change record tells, as rows: the Markdown and the HTML of `belay report` show the same. */
import type { AskedChange } from '../../../domain/asked.ts';
import { actorName, type GateState } from '../../../domain/gate.ts';
import type { AuditEntry } from '../../../domain/audit.ts';
import { type IacNote, iacNotes } from '../../../domain/iac-notes.ts';
import type { UpgradePlan } from '../../../domain/plan/types.ts';
import type { StepView, UpgradeReport } from '../../../domain/status.ts';
import { duration } from '../../../domain/words.ts';

export interface ChangeRecord {
  report: UpgradeReport;
  /** Absent where the run ended before it had one. */
  plan?: UpgradePlan;
  /** What others were asked to change. */
  asked?: readonly AskedChange[];
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
  return `${status.cluster.name}: ${status.from ?? '?'} → ${status.to}`;
}

/** Label and value. */
export function factsOf({ report, plan, audit }: ChangeRecord): [string, string][] {
  const { status } = report;
  const { cluster } = status;
  const tookMs = Date.parse(status.endedAt ?? '') - Date.parse(status.startedAt);
  return [
    ['Cluster', `${cluster.name}, account ${cluster.account}, ${cluster.region}`],
    ['Asked for by', `${actorName(status.requestedBy)} (${status.requestedBy.kind} ${status.requestedBy.id})`],
    ['From', status.startedAt],
    ['To', `${status.endedAt ?? '?'}${Number.isNaN(tookMs) ? '' : `, ${duration(tookMs)}`}`],
    ['Run', status.runId],
    ...(status.planHash === undefined && plan === undefined
      ? []
      : [['Plan', status.planHash ?? plan?.hash ?? ''] satisfies [string, string]]),
    ['Audit record', auditText(report, audit)],
  ];
}

function auditText({ audit: told }: UpgradeReport, found: ChangeRecord['audit']): string {
  if (told === undefined) return 'none was kept';
  const head = `${told.head.seq} entries, hash ${told.head.hash}`;
  if (found === undefined) return `${head}; it is not among these records`;
  if (found.broken !== undefined) return `${head}; NOT as Belay wrote it: ${found.broken}`;
  const last = found.entries.at(-1);
  return last?.hash === told.head.hash ? `${head}; unaltered` : `${head}; NOT complete: it ends with entry ${last?.seq ?? 0}`;
}

export const IAC_TITLE = 'To change in Git';
export const IAC_WHY =
  'Belay has changed these objects in the cluster. Where their files come from, they say something else until you merge it; the next apply would take the change back.';

export function iacNotesOf({ report, plan }: ChangeRecord): IacNote[] {
  return iacNotes(plan, report.status.steps);
}

export interface StepRow {
  title: string;
  state: string;
  took: string;
  expected: string;
  note: string;
}

export function stepRow({ title, state, startedAt, endedAt, expectedMs, note = '' }: StepView): StepRow {
  const took = startedAt === undefined || endedAt === undefined ? '' : duration(Date.parse(endedAt) - Date.parse(startedAt));
  return { title, state, took, expected: expectedMs > 0 ? duration(expectedMs) : '', note };
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
      `${choice} by ${actorName(actor)} (${actor.kind} ${actor.id}) at ${at}${reason === undefined || reason === '' ? '' : `: ${reason}`}`,
  );
  return { title, outcome: outcomeOf(state), votes, evidence, undo };
}

function outcomeOf(state: GateState): string {
  switch (state.kind) {
    case 'open':
      return 'still open';
    case 'decided':
      return state.decision.choice;
    case 'expired':
      return `expired at ${state.at}`;
    case 'withdrawn':
      return `withdrawn at ${state.at}: ${state.why}`;
  }
}

export function leftText({ what, why, kept }: UpgradeReport['leftBehind'][number]): string {
  return `${kept ? 'Kept on purpose' : 'NOT RESTORED'}: ${what}: ${why}`;
}
