/** The run itself: its headlines, what it says on its way, how it ends, and its audit record. */
import { because, count } from '../../domain/core/text.ts';
import { type Actor, actorName } from '../../domain/gates/actor.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { loudWarning, type Note, quietAlarm, warning } from './note.ts';

/** Headlines. */
export const planning = (): string => 'Reading the cluster and making the plan';

export const pausedBefore = (step: string): string => `Paused before "${step}"`;

/** A pause has no end of its own. `isFrozen`: Karpenter's nodes are held for the run meanwhile. */
export const stillPaused = (cluster: string, { step, days, isFrozen }: { step: string; days: number; isFrozen: boolean }): Note =>
  loudWarning(
    `${cluster} has been paused before "${step}" for ${count(days, 'day')}${isFrozen ? ', and Karpenter’s drift is frozen meanwhile' : ''}. Nothing continues by itself: resume the run, or abort it.`,
  );

export const runResumed = (): string => 'Resumed';

/** The whole run came to its end: what is true now. `abortedLate`: an abort came when nothing was left to stop. */
export function runCompleted({ cluster, undoes, to }: Pick<UpgradeStatus, 'cluster' | 'undoes' | 'to'>, abortedLate: boolean): string {
  const now = undoes === undefined ? `${cluster.name} is at ${to}` : `${undoes} of ${cluster.name}: as before the last run`;
  return `${now}${abortedLate ? '; the abort came too late to stop anything' : ''}`;
}

export const runAborted = (by: Actor, reason: string | undefined): string => `Aborted by ${actorName(by)}${because(reason)}`;

export const runCancelled = (): string => 'Cancelled in Temporal';

/** Reasons of an abort, and of a stop. */
export const failedAndUndecided = (step: string, problem: string): string => `${step} failed and nobody decided in time: ${problem}`;

export const failedBeforeAbort = (step: string): string => `${step} failed`;

export const stepCancelled = (step: string): string => `${step}: its workflow was cancelled from outside`;

/** Of a step, on the board. */
export const stepSkipped = (reason: string | undefined): string => `skipped: ${reason ?? ''}`;

/** After what could not be restored, to whoever asked for the run. */
export const restoreIt = (cluster: string): string =>
  `Restore it before the next upgrade: belay reconcile ${cluster} --yes restores what it can and lists the rest.`;

/** At the next gate. */
export const skippedBefore = (step: string): string => `${step} was skipped`;

/** Why a start is refused. */
export const startRefused = (why: string): Note => warning(`This run was not started: ${why}`);

export const requesterUnread = (): string => 'Could not check who requested it. Try again.';

export const startedByReset = (): string => 'The run was reset in Temporal, so its earlier decisions no longer count. Start it again.';

export const startSignedAtOtherTime = (): string =>
  'The start was signed more than five minutes before or after Temporal started the run. Check the clock of the machine that sent it, then start it again.';

/** One violation of the plan's rules. */
export const planProblem = ({ rule, message, remedy }: { rule: string; message: string; remedy: string }): string =>
  `${rule}: ${message} Remedy: ${remedy}`;

/** `problems`: of `planProblem`. */
export const planRefused = (problems: readonly string[]): Note =>
  warning(`The plan was refused:\n${problems.map((line) => `• ${line}`).join('\n')}`);

export const rollbackPointMissing = (problem: string): Note =>
  warning(
    `Could not save the state of the cluster before the first change: ${problem} Most steps can still be undone from the run's record; Istio cannot.`,
  );

/** `step`: its title. */
export const earlierStepRuns = (step: string): Note =>
  warning(`${step} of an earlier run has not ended yet. This run takes over once it has, and adopts what it began.`);

/** `workflow`: its id. */
export const earlierStepStays = (step: string, workflow: string): string =>
  `${step} of an earlier run is still running as ${workflow} and does not end: check it in Temporal UI, terminate it if it has nothing left to restore, then retry`;

/** Temporal UI, while there is no plan yet. */
export const planningDetails = (cluster: string, target: string): string =>
  `Reading cluster **${cluster}** and planning its upgrade to **${target}**.`;

/** The audit record. */
export const auditRecordAltered = (how: string): Note =>
  quietAlarm(
    `The audit record of this run is not as Belay wrote it: ${how}. The run continues, but its record counts as altered. Find out who can write to the records, and compare with "belay audit --verify".`,
  );

export const auditRecordNotWritten = (problem: string): Note =>
  quietAlarm(
    `The audit record cannot be written: ${problem}. Belay continues and retries. Fix this before the run ends, or its last entries will be missing.`,
  );
