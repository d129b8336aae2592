/** Commands for a run that is under way, and for those that have ended: approve, reject, retry, skip, extend, handover, history, report. */
import { reasonProblem } from '../../../domain/gates/gate.ts';
import { parseDurationMs } from '../../../domain/core/parse-duration.ts';
import { notADuration, notAUserId, skipNeedsReason, unexpectedArgument, whichGate } from '../../messages/commands.ts';

export type Steering =
  /** Shows the gate, with the buttons that decide. No gate: the only one that is open. */
  | { kind: 'decide'; choice: 'approve' | 'reject'; cluster: string; gate?: string }
  /** At the gate where a step of the cluster has failed. */
  | { kind: 'failed'; choice: 'retry' | 'skip'; cluster: string; reason?: string }
  /** No gate: the only one that is open. */
  | { kind: 'extend'; cluster: string; gate?: string; byMs: number; reason?: string }
  | { kind: 'handover'; cluster: string; to: string; reason?: string }
  /** To whom is asked in a form. */
  | { kind: 'handover-form'; cluster: string }
  | { kind: 'history' | 'report'; cluster: string };

export const STEERING = ['approve', 'reject', 'retry', 'skip', 'extend', 'handover', 'history', 'report'] as const;
export type SteeringVerb = (typeof STEERING)[number];

/** `words`: what follows the cluster. A text is the problem, in one sentence. */
export function parseSteering(verb: SteeringVerb, cluster: string, words: readonly string[]): Steering | string {
  const steering = parseWords(verb, cluster, words);
  const tooLong = typeof steering === 'string' || !('reason' in steering) ? undefined : reasonProblem(steering.reason);
  return tooLong ?? steering;
}

function parseWords(verb: SteeringVerb, cluster: string, words: readonly string[]): Steering | string {
  switch (verb) {
    case 'approve':
    case 'reject': {
      const [gate, extra] = words;
      if (extra !== undefined) return unexpectedArgument(extra);
      return { kind: 'decide', choice: verb, cluster, ...(gate === undefined ? {} : { gate }) };
    }
    case 'retry':
    case 'skip':
      if (verb === 'skip' && words.length === 0) return skipNeedsReason();
      return { kind: 'failed', choice: verb, cluster, ...reasonOf(words) };
    case 'extend': {
      const onlyMs = parseDurationMs(words[0] ?? '') ?? 0;
      if (onlyMs > 0) return { kind: 'extend', cluster, byMs: onlyMs, ...reasonOf(words.slice(1)) };
      const [gate, time = '', ...rest] = words;
      if (gate === undefined) return whichGate();
      const byMs = parseDurationMs(time) ?? 0;
      if (byMs === 0) return notADuration(time);
      return { kind: 'extend', cluster, gate, byMs, ...reasonOf(rest) };
    }
    case 'handover': {
      const [who, ...rest] = words;
      if (who === undefined) return { kind: 'handover-form', cluster };
      const to = /^<@([UW][A-Z0-9]{2,20})(?:\|[^>]*)?>$/.exec(who)?.[1] ?? /^[UW][A-Z0-9]{2,20}$/.exec(who)?.[0];
      if (to === undefined) return notAUserId(who);
      return { kind: 'handover', cluster, to, ...reasonOf(rest) };
    }
    case 'history':
    case 'report':
      return words[0] === undefined ? { kind: verb, cluster } : unexpectedArgument(words[0]);
  }
}

function reasonOf(words: readonly string[]): { reason?: string } {
  return words.length === 0 ? {} : { reason: words.join(' ') };
}
