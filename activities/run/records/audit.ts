/** Appends to audit records: JSON Lines, each line chained to the one before by its hash. */
import { channel } from 'node:diagnostics_channel';
import { AUDIT_START, type AuditEntry, type AuditEvent, type AuditHead } from '../../../domain/gates/audit.ts';
import { AUDIT_TROUBLE, type AuditTrouble } from '../../../domain/core/audit-append.ts';
import { chained, type Origin, readChain } from './audit-chain.ts';
import { idsIn, newerEntries, restoredEvent } from './audit-restored.ts';
import type { PeopleActivities } from '../../contract/belay-activities.ts';
import type { AuditStore } from '../../contract/records.ts';
import { scheduledAtMs } from '../../runtime/context.ts';
import { fileName } from './file-name.ts';
import { untilUncontested } from './storage/until-uncontested.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';
import { agree } from '../../../domain/core/text.ts';

/** What was refused before it belonged to a run: records by month, each begun anew before it grows large. */
const FRONT_DOOR = 'front-door';
/** A strange sender decides how much is refused, so no record of it is ever read or kept as a whole. */
const LARGEST_PART_BYTES = 1_000_000;

/** The name of a run's record. */
export const auditName = ({ account, region, name }: ClusterRef, runId: string): string =>
  fileName([account, region, name, runId].join('_'));

export interface AuditDeps {
  audit: AuditStore;
  /** Told when a record is newer than its run's history: Temporal's database was restored. `lostAt`: of its newest entry. */
  onRestored?: ((notice: { why: string; lostAt: string }) => Promise<void>) | undefined;
}

/** Repeated, both append nothing twice: events have ids, and what stands in the record is not written again. */
export function createAuditActivities({ audit, onRestored }: AuditDeps): Pick<PeopleActivities, 'appendAudit' | 'appendRefusals'> {
  const records = new Records(audit);
  return {
    async appendAudit({ cluster, runId, head, events, waiting, shared }) {
      const name = auditName(cluster, runId);
      if (shared === true) return records.append(name, { of: { cluster, runId }, head, events });
      const own = [...events.map(({ id }) => id), ...(waiting ?? [])];
      const newer = await records.newerThan(name, head, new Set(own));
      const last = newer.at(-1);
      if (last === undefined) return records.append(name, { of: { cluster, runId }, head, events });
      const why = `the audit record of ${cluster.name} continues to entry ${last.seq}, but its run knows only ${head.seq}`;
      await onRestored?.({ why, lostAt: last.at });
      const of = { cluster, runId };
      await records.append(name, { of, head, events: [restoredEvent(head, last)] });
      records.forget(name);
      return { ...(await records.append(name, { of, head, events })), newerCount: newer.length };
    },
    async appendRefusals({ month, runId, events }) {
      const { name, before } = await records.newestPart(`${FRONT_DOOR}_${month}`);
      const fresh = events.filter(({ id }) => !before.has(id));
      return records.append(name, { of: { runId }, head: AUDIT_START, events: fresh });
    },
  };
}

const trouble = channel(AUDIT_TROUBLE);

async function toldToMetrics<T extends { broken?: string }>(appending: Promise<T>): Promise<T> {
  const tell = (what: AuditTrouble): void => trouble.publish(what);
  try {
    const appended = await appending;
    if (appended.broken !== undefined) tell('altered');
    return appended;
  } catch (error) {
    tell('unwritten');
    throw error;
  }
}

/** What this worker has read of a record: true for as long as the file is as it left it. */
interface Known {
  stamp: string;
  last: AuditHead;
  ids: Set<string>;
  /** The file ends in the middle of a line. */
  cut: boolean;
  broken?: string;
}

interface ReadRecord extends ReturnType<typeof readChain> {
  name: string;
  stamp: string;
  text: string;
}

/** Of so many records the worker knows where they stand; of others it reads the file. */
const KNOWN_RECORDS = 200;

class Records {
  readonly #audit: AuditStore;
  readonly #known = new Map<string, Known>();
  #last: ReadRecord | undefined;
  /** One append after the other: an attempt that was given up may still be writing. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(audit: AuditStore) {
    this.#audit = audit;
  }

  /** `head`: the newest entry that the writer knows to stand in the record. */
  append(
    name: string,
    what: { of: Origin; head: AuditHead; events: readonly AuditEvent[] },
  ): Promise<{ head: AuditHead; broken?: string }> {
    // Another worker may have appended between look and append, or this one, whose answer was lost: what stands there by now is not appended again.
    const appended = (): Promise<{ head: AuditHead; broken?: string }> => untilUncontested(() => this.#append(name, what));
    const done = this.#turn.catch(() => undefined).then(() => toldToMetrics(appended()));
    this.#turn = done;
    return done;
  }

  async #append(
    name: string,
    { of, head, events }: { of: Origin; head: AuditHead; events: readonly AuditEvent[] },
  ): Promise<{ head: AuditHead; broken?: string }> {
    const known = await this.#look(name, head);
    const { broken } = known;
    // What is not here as the run knows it goes on where the run was: the beginning is on another worker's disk, or was changed.
    let last: AuditHead = broken === undefined && known.last.seq > 0 ? known.last : head;
    const fresh = events.filter(({ id }) => !known.ids.has(id)).map((event) => (last = chained(last, event, of)));
    if (fresh.length > 0) {
      // A line that a crash cut off must not swallow the next one.
      const text = `${known.cut ? '\n' : ''}${fresh.map((entry) => `${JSON.stringify(entry)}\n`).join('')}`;
      this.#known.delete(name);
      const { stamp } = await this.#audit.append(name, text, known.stamp);
      // A record that is broken is read anew next time.
      if (broken === undefined) {
        const ids = new Set([...known.ids, ...fresh.map(({ id }) => id)]);
        this.#keep(name, { stamp, last: { seq: last.seq, hash: last.hash }, ids, cut: false });
      }
    }
    return { head: { seq: last.seq, hash: last.hash }, ...defined({ broken }) };
  }

  /** Entries after the head that the run neither knows of nor is about to write. */
  async newerThan(name: string, head: AuditHead, own: ReadonlySet<string>): Promise<AuditEntry[]> {
    const known = this.#known.get(name);
    const { bytes, stamp } = await this.#audit.look(name);
    if (bytes === 0 || (known?.stamp === stamp && known.last.seq === head.seq)) return [];
    return newerEntries((await this.#read(name, stamp)).entries, head, own, scheduledAtMs());
  }

  /** It is read anew: what was lost in a restore may be written once more. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  async #look(name: string, head: AuditHead): Promise<Known> {
    const known = this.#known.get(name);
    const { stamp } = await this.#audit.look(name);
    if (known?.stamp === stamp && isOn(known.last, head)) return known;
    const { text, entries, broken } = await this.#read(name, stamp);
    const read: Known = {
      stamp,
      last: entries.at(-1) ?? AUDIT_START,
      ids: idsIn(entries),
      cut: text !== '' && !text.endsWith('\n'),
    };
    const why = broken ?? missing(entries, head);
    return why === undefined ? read : { ...read, broken: why };
  }

  /** Once, for all that is asked about it as it is. */
  async #read(name: string, stamp: string): Promise<ReadRecord> {
    if (this.#last?.name === name && this.#last.stamp === stamp) return this.#last;
    const text = await this.#audit.read(name);
    this.#last = { name, stamp, text, ...readChain(text) };
    return this.#last;
  }

  #keep(name: string, known: Known): void {
    this.#known.set(name, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_RECORDS && oldest !== undefined) this.#known.delete(oldest);
  }

  /** The part that is still small, and the ids of the one before: an attempt that is repeated may meet a part that its first try has filled. */
  async newestPart(name: string): Promise<{ name: string; before: ReadonlySet<string> }> {
    const partOf = (part: number): string => (part === 1 ? name : `${name}_${part}`);
    let part = 1;
    while ((await this.#audit.look(partOf(part))).bytes >= LARGEST_PART_BYTES) part += 1;
    if (part === 1 || (await this.#audit.look(partOf(part))).bytes > 0) return { name: partOf(part), before: new Set() };
    return { name: partOf(part), before: (await this.#look(partOf(part - 1), AUDIT_START)).ids };
  }
}

/** The record goes at least as far as its writer knows. */
const isOn = (last: AuditHead, head: AuditHead): boolean => head.seq < last.seq || (head.seq === last.seq && head.hash === last.hash);

function missing(entries: readonly { seq: number; hash: string }[], head: AuditHead): string | undefined {
  if (head.seq === 0 || entries.some(({ hash }) => hash === head.hash)) return undefined;
  return entries.length === 0
    ? `its first ${agree(head.seq, 'entry is', `${head.seq} entries are`)} not where this worker keeps records`
    : `entry ${head.seq}, which this run has written, is not in it as it was`;
}
