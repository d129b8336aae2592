/** An audit record that is newer than its run's history: Temporal's database was restored from a backup, and what follows is another course of events. */
import type { AuditEntry, AuditEvent, AuditHead } from '../../../domain/gates/audit.ts';

/** Names the entries that the run does not know: after the first number, up to the second. */
const RESTORED = /^restored\/(\d+)\/(\d+)$/;

/** What is written before the run's record goes on. */
export function restoredEvent(head: AuditHead, last: AuditEntry): AuditEvent {
  const lost = head.seq + 1 === last.seq ? `entry ${last.seq}` : `entries ${head.seq + 1} to ${last.seq}`;
  return {
    id: `restored/${head.seq}/${last.seq}`,
    at: new Date().toISOString(),
    kind: 'watch',
    what: `Temporal's database was restored from a backup: ${lost} happened, and the run does not know of them. What follows is after the restore.`,
  };
}

/** Clocks of the server's parts may differ by this much. */
const CLOCKS_DIFFER_MS = 1_000;

/**
 * Entries that the run neither knows nor is about to write (`own`: their ids), though it has asked later than they are. An attempt that comes back from a
 * long pause finds what the next one has written meanwhile: that is newer than the attempt. Those of a restore that was noticed before do not count again.
 * `askedAtMs`: undefined where nobody says.
 */
export function newerEntries(
  entries: readonly AuditEntry[],
  head: AuditHead,
  own: ReadonlySet<string>,
  askedAtMs: number | undefined,
): AuditEntry[] {
  if (head.seq > 0 && !entries.some(({ hash }) => hash === head.hash)) return [];
  const noticed = entries.findLast(({ id }) => Number(RESTORED.exec(id)?.[1] ?? -1) === head.seq)?.seq ?? 0;
  const isOlder = ({ at }: AuditEntry): boolean => askedAtMs === undefined || Date.parse(at) + CLOCKS_DIFFER_MS < askedAtMs;
  return entries.filter((entry) => entry.seq > Math.max(head.seq, noticed) && !own.has(entry.id) && isOlder(entry));
}

/** Of events that are not to be written again. What was lost may happen once more, and then is. */
export function idsIn(entries: readonly AuditEntry[]): Set<string> {
  const ids = new Set<string>();
  for (const { id, seq } of entries) {
    const [, from, to] = RESTORED.exec(id) ?? [];
    if (from !== undefined && to !== undefined)
      for (const lost of entries) if (lost.seq > Number(from) && lost.seq <= Number(to) && lost.seq < seq) ids.delete(lost.id);
    ids.add(id);
  }
  return ids;
}
