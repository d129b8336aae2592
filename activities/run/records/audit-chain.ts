/** The chain of an audit record: entries made of events, each with the hash of the one before, and the check of what stands in a file. */
import { createHash } from 'node:crypto';
import type { AuditEntry, AuditEvent, AuditHead } from '../../../domain/gates/audit.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import { redactedJson } from '../../runtime/redact.ts';

/** An entry of more is none that a run writes: gates show a few lines. */
const MAX_EVENT_CHARS = 64_000;

export type Origin = Pick<AuditEntry, 'cluster' | 'runId'>;

/** The entry that follows `last`. Never throws: what cannot be written stands as a stub that says so, and what comes after it is written. */
export function chained({ seq, hash }: AuditHead, event: AuditEvent, of: Origin): AuditEntry {
  const clean = cleanEvent(event);
  const evidence = clean.shown === undefined ? {} : { evidenceHash: sha256(JSON.stringify(clean.shown)) };
  const body = { ...of, seq: seq + 1, ...clean, ...evidence, previous: hash };
  return { ...body, hash: hashOf(body) };
}

function cleanEvent(event: AuditEvent): AuditEvent {
  try {
    const json = redactedJson(event);
    if (json.length > MAX_EVENT_CHARS) return stub(event, `it has ${json.length} characters`);
    const clean: AuditEvent = JSON.parse(json);
    return clean;
  } catch (error) {
    return stub(event, messageOf(error));
  }
}

/** Its id stays: told again, it still stands once. */
function stub({ id, at, kind }: AuditEvent, why: string): AuditEvent {
  return { id: id.slice(0, 500), at, kind, what: `NOT RECORDED: this event could not be written (${why})` };
}

/** The entries up to the first that does not follow from the one before, and why that one does not. A last line without its end is a crash, not a break. */
export function readChain(text: string): { entries: AuditEntry[]; broken?: string } {
  const entries: AuditEntry[] = [];
  const lines = text.split('\n');
  const unfinished = lines.pop() ?? '';
  for (const [index, line] of [...lines, ...(parsed(unfinished) === undefined ? [] : [unfinished])].entries()) {
    const entry = parsed(line);
    // What a crash cut off is followed by an entry that goes on where the chain was.
    if (entry === undefined && isCut(line)) continue;
    const previous = entries.at(-1);
    if (entry === undefined) return { entries, broken: `line ${index + 1} is not an entry` };
    if (hashOf(entry) !== entry.hash) return { entries, broken: `entry ${entry.seq} was changed after it was written` };
    if (previous !== undefined && (entry.previous !== previous.hash || entry.seq !== previous.seq + 1))
      return { entries, broken: `entry ${entry.seq} does not follow entry ${previous.seq}` };
    entries.push(entry);
  }
  return { entries };
}

/** SHA-256 of an entry without its own hash, by the order of fields in which it was written. */
export function hashOf(entry: Omit<AuditEntry, 'hash'> & { hash?: string }): string {
  const { hash: _own, ...body } = entry;
  return sha256(JSON.stringify(body));
}

function parsed(line: string): AuditEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof field(value, 'hash') === 'string' && typeof field(value, 'seq') === 'number' ? (value as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** The beginning of an entry. */
const isCut = (line: string): boolean => line === '' || (line.startsWith('{') && !line.endsWith('}'));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
