/** How commands fail: a sentence or two on stderr, and an exit code. */
import type { FailureType } from '../../domain/core/failure-types.ts';
import { field, messageOf } from '../../domain/core/unknown.ts';
import { UpgradesError } from '../../client/calls/contract.ts';
import { redact } from '../../worker/config/redact.ts';
import { withoutControls } from './controls.ts';
import { failedWithoutMessage, unreachable } from '../messages/outcomes.ts';

export const EXIT = {
  ok: 0,
  /** Wrong arguments or configuration, or something could not be reached. */
  couldNotRun: 1,
  /** The answer is no: a plan is refused, a decision is not accepted, a check fails. */
  refused: 2,
  /** Nothing is wrong as far as could be seen, and something could not. */
  unknown: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `
Exit codes: 0 done · 1 could not run (arguments, configuration, connections) · 2 refused or failed`;

/** A failure with a message for people; details go to stdout before it is thrown. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.couldNotRun) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof UpgradesError && (error.code === 'refused' || error.code === 'already-running')) return EXIT.refused;
  return EXIT.couldNotRun;
}

const UNAVAILABLE: FailureType = 'Unavailable';

/**
 * What goes to stderr: messages may quote what a cluster or a server answers, and the address of a proxy with its password, as Node does where it lacks
 * the fix of CVE-2026-48615. Secrets go first: control characters become spaces, which end one.
 */
export function renderError(error: unknown, debug: boolean): string {
  return withoutControls(redact(wordsOf(error, debug)));
}

function wordsOf(error: unknown, debug: boolean): string {
  if (debug && error instanceof Error) return error.stack ?? error.message;
  const message = messageOf(error);
  if (message.trim() === '') return failedWithoutMessage();
  return field(error, 'type') === UNAVAILABLE ? unreachable(message) : message;
}
