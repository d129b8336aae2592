/** The report as GitHub shows it: bounded, and mentioning nobody. */
import type { FailOn } from './inputs.ts';

export type Verdict = 'ready' | 'not-ready' | 'unknown' | 'failed';

/** GitHub takes 65,536 characters of a comment, and 1 MiB of a job's summary. docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands */
export const COMMENT_LIMIT = 60_000;
/** In characters, of which each may have four bytes. */
export const SUMMARY_LIMIT = 250_000;

/** Exit codes of `belay check`. A process that was killed has none: it could not check. */
export function verdictOf(exitCode: number | null): Verdict {
  switch (exitCode) {
    case 0:
      return 'ready';
    case 2:
      return 'not-ready';
    case 3:
      return 'unknown';
    default:
      return 'failed';
  }
}

/** Of the job: `failOn` is what it accepts. What could not be checked is never accepted. */
export function jobCodeOf(verdict: Verdict, failOn: FailOn): 0 | 1 | 2 | 3 {
  switch (verdict) {
    case 'ready':
      return 0;
    case 'failed':
      return 1;
    case 'not-ready':
      return failOn === 'never' ? 0 : 2;
    case 'unknown':
      return failOn === 'never' || failOn === 'required' ? 0 : 3;
  }
}

/** By this a comment is found again: one for each cluster and target. Hidden in Markdown, and at its very beginning. */
export const markerOf = (name: string, target: string | undefined): string =>
  `<!-- belay-check ${`${name} ${target ?? ''}`.trim().replaceAll(/[^\w. -]|--/g, '_')} -->`;

/** What is longer ends after a whole line, and says where the rest is. */
export function bounded(text: string, limit: number, rest: string): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit);
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), 0))}\n\n*Cut here. ${rest}*\n`;
}

/** Names in a cluster are anybody's: "@team" in a comment would call them. */
export const withoutMentions = (text: string): string => text.replaceAll(/(?<![A-Za-z0-9])@(?=[A-Za-z0-9])/g, '@\u200B');

export interface Comment {
  marker: string;
  name: string;
  verdict: Verdict;
  report: string;
  /** Of the run, in which the whole report is. */
  runUrl: string;
}

/** Begins with the marker. */
export function commentOf({ marker, name, verdict, report, runUrl }: Comment): string {
  // What a check says that could not run is for the log: it may quote a configuration.
  if (verdict === 'failed') return `${marker}\n**${name} could not be checked.** The [log](${runUrl}) says why.\n`;
  // The cluster is at its target in belay.yaml: belay check has said so in the log, and made no report.
  if (report.trim() === '') return `${marker}\n**${name}** is at its target already: there is nothing to check.\n`;
  const body = bounded(withoutMentions(report), COMMENT_LIMIT, `The whole report is in the [summary of the run](${runUrl}).`);
  return `${marker}\n${body}\n`;
}
