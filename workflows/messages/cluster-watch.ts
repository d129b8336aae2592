/** The cluster beside the steps: new problems in it, and steps that take longer than usual. */
import { count, duration } from '../../domain/core/text.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import { troubleLines } from '../../domain/health/sightings.ts';
import { suspects } from '../../domain/plan/durations/suspects.ts';
import { usualRange } from '../../domain/plan/model/usual.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { info, type Note, warning } from './note.ts';

/** At a gate; the thread has all. */
const MAX_LINES = 8;

/** `step`: that runs, or ran last. */
export const newProblems = (step: string, problems: readonly string[]): Note =>
  warning(`Problems in the cluster during ${step}:\n${troubleLines(problems)}`);

export const problemsResolved = (problems: readonly string[]): Note => info(`Resolved:\n${troubleLines(problems)}`);

/** A part of the cluster that could not be looked at. */
export const notSeen = (why: string): string => `UNKNOWN: ${why}`;

export const watchEnded = (why: string): string => notSeen(`the state of the cluster is no longer watched: ${why}`);

export const newsLimitReached = (newsCount: number): string => `it changed ${count(newsCount, 'time')} during this run`;

/** `words`: of `watchEnded`. */
export const clusterUnwatched = (words: string): Note => warning(words);

/** For the next gate: problems that are not resolved. */
export function openProblems(problems: readonly string[]): GateEvidence {
  const rest = problems.length - MAX_LINES;
  return {
    title: 'New problems in the cluster since the upgrade began',
    lines: rest > 0 ? [...problems.slice(0, MAX_LINES), `and ${rest} more, in the thread`] : [...problems],
  };
}

type Timed = Pick<PlannedStep, 'title' | 'expectedMs' | 'usual'>;

export const slowerThanUsual = (step: Timed, workedMs: number): Note =>
  warning(`${step.title} is slower than usual: ${compared(step, workedMs)}.`);

export const maybeStuck = (step: Timed & Pick<PlannedStep, 'params'>, workedMs: number, cluster: Parameters<typeof suspects>[1]): Note =>
  warning(
    [
      `${step.title} may be stuck: ${compared(step, workedMs)}. What to check:`,
      ...suspects(step.params, cluster).map((line) => `• ${line}`),
    ].join('\n'),
  );

function compared({ usual, expectedMs }: Timed, workedMs: number): string {
  const usually = usual === undefined ? '' : `, ${usualRange(expectedMs, usual)}`;
  return `${duration(workedMs)} so far without waits for decisions${usually}`;
}
