/**
 * What is written down before each change of a run, outside of Temporal: its database may be restored from a backup, and these lines are not. By them a
 * run is noticed whose history has lost what it has done.
 */

/** An activity that changes something, right before its first attempt. */
export interface BegunChange {
  workflowId: string;
  runId: string;
  activity: string;
  /** Counts the activities of the execution: an activity id of the SDK, which a replay gives again. */
  seq: number;
  /** When Temporal's history says that it was scheduled: the same in each attempt of it. Epoch, ms. */
  scheduledAtMs: number;
}

/** People let the run continue after a restore of that time. */
export interface AcceptedRestore {
  /** ISO 8601, as the notice of it has it. */
  accepted: string;
}

export type LedgerLine = BegunChange | AcceptedRestore;

/** Histories are written by several servers, whose clocks may differ by less than this. */
const CLOCKS_DIFFER_MS = 1_000;
/** An execution that ended longer ago may have left Temporal by its retention; a namespace with a shorter one is asked for it (mustBeKept). */
const REMEMBERED_MS = 7 * 24 * 3_600_000;
/** Of the executions that began a change last: what a restore takes away is always the newest. */
const LOOKED_AT = 8;

type Execution = Pick<BegunChange, 'workflowId' | 'runId'>;

const isAccepted = (line: LedgerLine): line is AcceptedRestore => 'accepted' in line;
const isSame = (a: Execution, b: Execution): boolean => a.workflowId === b.workflowId && a.runId === b.runId;

/** Up to when restores are accepted, ISO 8601; '' where none is. */
export function acceptedUpTo(lines: readonly LedgerLine[]): string {
  return lines.filter(isAccepted).reduce((latest, { accepted }) => (accepted > latest ? accepted : latest), '');
}

/** What was begun since people last let the run continue after a restore: what is before that they have seen. */
function unseen(lines: readonly LedgerLine[]): BegunChange[] {
  const since = lines.findLastIndex(isAccepted) + 1;
  return lines.slice(since).filter((line): line is BegunChange => !isAccepted(line));
}

/** It is in the ledger already: a later attempt of it. */
export function isBegun(lines: readonly LedgerLine[], now: BegunChange): boolean {
  return unseen(lines).some((line) => isSame(line, now) && line.seq === now.seq && line.scheduledAtMs === now.scheduledAtMs);
}

/**
 * Changes of the same execution that its history does not have: begun under the number of this one, or under a later one, although this one was
 * scheduled after them.
 */
export function lostChanges(lines: readonly LedgerLine[], now: BegunChange): BegunChange[] {
  return unseen(lines).filter((line) => {
    if (!isSame(line, now)) return false;
    if (line.seq === now.seq) return line.scheduledAtMs !== now.scheduledAtMs;
    return line.seq > now.seq && line.scheduledAtMs + CLOCKS_DIFFER_MS < now.scheduledAtMs;
  });
}

/** Other executions of the run that began a change lately: Temporal must know them. Newest first. */
export function otherExecutions(lines: readonly LedgerLine[], now: BegunChange): Execution[] {
  const others: Execution[] = [];
  for (const line of unseen(lines).toReversed()) {
    if (isSame(line, now) || line.scheduledAtMs + REMEMBERED_MS < now.scheduledAtMs) continue;
    if (!others.some((other) => isSame(other, line))) others.push({ workflowId: line.workflowId, runId: line.runId });
    if (others.length === LOOKED_AT) break;
  }
  return others;
}

/**
 * Of executions that Temporal does not know: those that it must still keep. The others may have left it by the namespace's retention, which says nothing of
 * a restore. `keptMs`: that retention, which counts from an execution's end, and so from after its last change.
 */
export function mustBeKept(lines: readonly LedgerLine[], executions: readonly Execution[], keptMs: number, nowMs: number): Execution[] {
  return executions.filter((execution) => changesOf(lines, [execution]).some(({ scheduledAtMs }) => scheduledAtMs + keptMs > nowMs));
}

export function changesOf(lines: readonly LedgerLine[], executions: readonly Execution[]): BegunChange[] {
  return unseen(lines).filter((line) => executions.some((execution) => isSame(execution, line)));
}
