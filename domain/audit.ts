/** The audit record of a run: what people decided, tried and were refused, and what was changed. Append-only; every entry holds the hash of the one before. */
import type { ClusterRef } from './facts.ts';
import { type Actor, actorName, type GateDefinition } from './gate.ts';

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

/** `record 12 · 3f2a9c01b7e4`: enough of the hash to compare by eye. */
export function headText({ seq, hash }: AuditHead): string {
  return `record ${seq} · ${hash.slice(0, 12)}`;
}

/** One line for people. */
export function auditText({ at, kind, what, actor, reason }: AuditEvent): string {
  const by = actor === undefined ? '' : ` (${actorName(actor)}, ${actor.kind} ${actor.id})`;
  return `${at}  ${kind.padEnd(7)}  ${what}${by}${reason === undefined || reason === '' ? '' : `: ${reason}`}`;
}
