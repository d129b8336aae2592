/** An audit record beside what is known of it elsewhere: whoever changes the file, and every hash after the change, cannot change that. */
import type { AuditEntry, AuditHead } from './audit.ts';

/** `hash`: at least its first twelve digits, as messages in Slack show it. `final`: nothing was written after it. */
export interface Anchor extends AuditHead {
  /** "Temporal", "Slack", "the change record" */
  from: string;
  final?: boolean;
}

const SHORTEST_HASH = 12;

/** Why the record is not the one that the anchor was taken of; undefined where it is. */
export function contradiction(
  entries: readonly Pick<AuditEntry, 'seq' | 'hash'>[],
  { seq, hash, from, final }: Anchor,
): string | undefined {
  const last = entries.at(-1)?.seq ?? 0;
  if (last < seq)
    return entries.length === 0
      ? `it is missing: ${from} knows of entry ${seq}`
      : `its tail is cut off: it ends with entry ${last}, and ${from} knows of entry ${seq}`;
  const entry = entries.find((each) => each.seq === seq);
  if (seq > 0 && (hash.length < SHORTEST_HASH || entry?.hash.startsWith(hash) !== true))
    return `it was rewritten: entry ${seq} is not the one that ${from} knows`;
  if (final === true && last > seq) return `entries were added after the run had ended: ${from} knows of ${seq}, and it has ${last}`;
  return undefined;
}

/** `record 12 · 3f2a9c01b7e4`, as messages in Slack show it; undefined for anything else. */
export function parseHead(text: string): AuditHead | undefined {
  const [, seq, hash] = /^(?:record\s+)?(\d{1,7})\s*[·:\s]\s*([0-9a-f]{12,64})$/i.exec(text.trim()) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash: hash.toLowerCase() };
}
