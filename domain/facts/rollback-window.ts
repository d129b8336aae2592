/** For how long EKS takes a control plane back to the minor it came from (user guide, "Roll back a cluster", 2026-06-30). */
import { minorBelow } from '../core/version.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ROLLBACK_DAYS = 7;
export const ROLLBACK_WINDOW_MS = ROLLBACK_DAYS * DAY_MS;

/** Before it closes, people are told so; the words are for "… before the window closes". */
export const ROLLBACK_REMINDERS: readonly { beforeMs: number; left: string }[] = [
  { beforeMs: DAY_MS, left: 'one more day' },
  { beforeMs: HOUR_MS, left: 'one more hour' },
];

/** The control plane may go back. */
export interface RollbackWindow {
  /** The minor that it is at, and the one that it came from. */
  at: string;
  backTo: string;
  /** ISO 8601 by EKS's clock. */
  movedAt: string;
  closesAt: string;
}

/** A change of a control plane's version that has succeeded. */
export interface VersionChange {
  type: 'VersionUpdate' | 'VersionRollback';
  to: string;
  /** ISO 8601: EKS tells when an update began, never when it ended. */
  createdAt: string;
}

/** Counted from the beginning of the update, so that it is never told later than EKS closes it. */
export function rollbackClosesAt(movedAt: string): string {
  return new Date(Date.parse(movedAt) + ROLLBACK_WINDOW_MS).toISOString();
}

/** How the cluster came to its version. `closed` keeps what was possible: people are told since when it is not. */
export type WayBack =
  | { kind: 'open' | 'closed'; window: RollbackWindow }
  /** It was created at this version, or EKS no longer lists how it came there; `rolled-back`: only one hop can be taken back. */
  | { kind: 'none'; why: 'never-moved' | 'rolled-back' };

/** `changes`: in any order. `now`: ISO 8601 by EKS's clock. */
export function wayBack(version: string, changes: readonly VersionChange[], now: string): WayBack {
  const last = changes.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)).at(-1);
  if (last === undefined || last.to !== version) return { kind: 'none', why: 'never-moved' };
  if (last.type === 'VersionRollback') return { kind: 'none', why: 'rolled-back' };
  const backTo = minorBelow(version);
  if (backTo === undefined) return { kind: 'none', why: 'never-moved' };
  const closesAt = rollbackClosesAt(last.createdAt);
  const kind = Date.parse(now) < Date.parse(closesAt) ? 'open' : 'closed';
  return { kind, window: { at: version, backTo, movedAt: last.createdAt, closesAt } };
}
