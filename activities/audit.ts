/** Appends to the audit record of a run: JSON Lines, each line chained to the one before by its hash. */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AUDIT_START, type AuditEntry, type AuditEvent, type AuditHead } from '../domain/audit.ts';
import type { ClusterRef } from '../domain/facts.ts';
import { field, messageOf } from '../domain/unknown.ts';
import type { PeopleActivities } from './contract.ts';
import type { AuditStore } from './ports.ts';
import { fileName } from './records.ts';
import { redact } from './redact.ts';
import { failureOf } from './translate-errors.ts';

/** Below the directory of the records. */
export const AUDIT_FOLDER = 'audit';
/** What was refused before it belonged to a run: one record a month. */
const FRONT_DOOR = 'front-door';

/** The file of a run's record, without its ending. */
export const auditName = ({ account, region, name }: ClusterRef, runId: string): string =>
  fileName([account, region, name, runId].join('_'));

/** Audit records as files of a directory, which is made when missing; a file is only ever appended to. */
export function createDirectoryAudit(directory: string): AuditStore {
  const pathOf = (name: string): string => resolve(join(directory, AUDIT_FOLDER, `${fileName(name)}.jsonl`));
  return {
    async read(name) {
      try {
        return await readFile(pathOf(name), 'utf8');
      } catch (error) {
        if (field(error, 'code') === 'ENOENT') return '';
        throw unwritable(pathOf(name), error);
      }
    },
    async append(name, text) {
      const path = pathOf(name);
      try {
        await mkdir(dirname(path), { recursive: true });
        const file = await open(path, 'a', 0o640);
        try {
          await file.appendFile(text);
          await file.sync();
        } finally {
          await file.close();
        }
      } catch (error) {
        throw unwritable(path, error);
      }
    },
  };
}

function unwritable(path: string, error: unknown): Error {
  return failureOf(
    'Unavailable',
    `appending to the audit record ${path}: ${messageOf(error)}; make records.directory in belay.yaml writable`,
    {
      cause: error,
    },
  );
}

/** Repeated, both append nothing twice: events have ids, and what stands in the record is not written again. */
export function createAuditActivities({ audit }: { audit: AuditStore }): Pick<PeopleActivities, 'appendAudit' | 'appendRefusals'> {
  return {
    async appendAudit({ cluster, runId, head, events }) {
      return append(audit, auditName(cluster, runId), { of: { cluster, runId }, head, events });
    },
    async appendRefusals({ month, runId, events }) {
      return append(audit, `${FRONT_DOOR}_${month}`, { of: { runId }, head: AUDIT_START, events });
    },
  };
}

type Origin = Pick<AuditEntry, 'cluster' | 'runId'>;

/** `head`: the newest entry that the writer knows to stand in the record. */
async function append(
  audit: AuditStore,
  name: string,
  { of, head, events }: { of: Origin; head: AuditHead; events: readonly AuditEvent[] },
): Promise<{ head: AuditHead; broken?: string }> {
  const text = await audit.read(name);
  const found = readChain(text);
  const broken = found.broken ?? missing(found.entries, head);
  const written = new Set(found.entries.map(({ id }) => id));
  // What is not here as the run knows it goes on where the run was: the beginning is on another worker's disk, or was changed.
  let last: AuditHead = broken === undefined ? (found.entries.at(-1) ?? head) : head;
  const fresh = events.filter(({ id }) => !written.has(id)).map((event) => (last = chained(last, event, of)));
  // A line that a crash cut off must not swallow the next one.
  const cut = text !== '' && !text.endsWith('\n') ? '\n' : '';
  if (fresh.length > 0) await audit.append(name, `${cut}${fresh.map((entry) => `${JSON.stringify(entry)}\n`).join('')}`);
  return { head: { seq: last.seq, hash: last.hash }, ...(broken === undefined ? {} : { broken }) };
}

function chained({ seq, hash }: AuditHead, event: AuditEvent, of: Origin): AuditEntry {
  const clean: AuditEvent = JSON.parse(redact(JSON.stringify(event)));
  const evidence = clean.shown === undefined ? {} : { evidenceHash: sha256(JSON.stringify(clean.shown)) };
  const body = { ...of, seq: seq + 1, ...clean, ...evidence, previous: hash };
  return { ...body, hash: hashOf(body) };
}

function missing(entries: readonly AuditEntry[], head: AuditHead): string | undefined {
  if (head.seq === 0 || entries.some(({ hash }) => hash === head.hash)) return undefined;
  return entries.length === 0
    ? `its first ${head.seq} entries are not on this worker's disk`
    : `entry ${head.seq}, which this run has written, is not in it as it was`;
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
