/** The audit record of a run: what people decided, tried and were refused, and what was changed. Append-only; every entry holds the hash of the one before. */
import type { GateDefinition } from './gate.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';
import { type Actor, actorName } from './actor.ts';

export type AuditKind =
  | 'start'
  | 'plan'
  | 'gate'
  | 'vote'
  | 'refused'
  | 'closed'
  | 'command'
  | 'step'
  | 'change'
  | 'restore'
  | 'watch'
  | 'end';

/** What happened. No secrets: whoever writes it redacts it once more. */
export interface AuditEvent {
  /** Unique in its run: what is told twice stands once. */
  id: string;
  /** ISO 8601, by the clock of the run. */
  at: string;
  kind: AuditKind;
  /** One sentence. */
  what: string;
  actor?: Actor;
  step?: string;
  gate?: string;
  choice?: string;
  reason?: string;
  /** Why a vote counts or does not: the rules that its giver stands for, and the lists and groups by which. */
  right?: { why: string; rules?: string[]; through?: string[] };
  planHash?: string;
  /** What people were shown when a gate opened. */
  shown?: Pick<GateDefinition, 'title' | 'next' | 'undo' | 'evidence'>;
  /** Idempotency token of a change. */
  token?: string;
  /** Small facts of its outcome, such as the id of an update. */
  result?: Record<string, string | number | boolean>;
}

/** A line of the record. `hash`: SHA-256 over the entry without it, so over `previous` too: no line can be changed, left out or put in later unnoticed. */
export interface AuditEntry extends AuditEvent {
  /** Absent where something was refused before it belonged to a run. */
  cluster?: ClusterRef;
  runId: string;
  /** From 1. */
  seq: number;
  /** SHA-256 of `shown` alone. */
  evidenceHash?: string;
  /** Hash of the entry before; empty for the first. */
  previous: string;
  hash: string;
}

/** The newest entry that a run knows of: shown in Slack, where nobody can change it afterwards. */
export interface AuditHead {
  seq: number;
  hash: string;
}

/** Before the first entry. */
export const AUDIT_START: AuditHead = { seq: 0, hash: '' };

const AGAIN_AFTER_MS = 30_000;
const AGAIN_AT_MOST_MS = 4 * 3_600_000;

/** How long a record rests after so many failures in a row: a disk that is full for a week costs a history few events. */
export function auditRetryMs(failures: number): number {
  return Math.min(AGAIN_AFTER_MS * 2 ** (failures - 1), AGAIN_AT_MOST_MS);
}

/** `record 12 · 3f2a9c01b7e4`: enough of the hash to compare by eye. */
export function headText({ seq, hash }: AuditHead): string {
  return `record ${seq} · ${hash.slice(0, 12)}`;
}

/** One line for people, whatever stands in the event: a line end in a reason begins no line here. */
export function auditText({ at, kind, what, actor, reason, right }: AuditEvent): string {
  const by = actor === undefined ? '' : ` (${actorName(actor)}, ${actor.kind} ${actor.id}${rightText(right)})`;
  return oneLine(`${at}  ${kind.padEnd(7)}  ${what}${by}${reason === undefined || reason === '' ? '' : `: ${reason}`}`);
}

function rightText(right: AuditEvent['right']): string {
  if (right === undefined) return '';
  return `, ${right.why}${right.through === undefined ? '' : ` through ${right.through.join(', ')}`}`;
}

/** Control characters, line ends and marks that turn the direction of reading are written as escapes. */
function oneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
