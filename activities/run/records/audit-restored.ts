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

/** Entries that the run neither knows nor is about to write (`own`: their ids). Those of a restore that was noticed before do not count again. */
export function newerEntries(entries: readonly AuditEntry[], head: AuditHead, own: ReadonlySet<string>): AuditEntry[] {
  if (head.seq > 0 && !entries.some(({ hash }) => hash === head.hash)) return [];
  const noticed = entries.findLast(({ id }) => Number(RESTORED.exec(id)?.[1] ?? -1) === head.seq)?.seq ?? 0;
  return entries.filter(({ seq, id }) => seq > Math.max(head.seq, noticed) && !own.has(id));
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
