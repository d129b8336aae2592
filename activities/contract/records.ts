/** Where runs keep what outlives Temporal's history. `RecordStorage` is the one port to a directory or a bucket; the stores speak of runs on top of it. */
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { RecordedUpgrade } from '../../domain/policy/environments.ts';

/** `stamp`: changes with each change of the text. */
export interface StoredText {
  text: string;
  stamp: string;
  /** For people: a path, or s3://bucket/key. */
  location: string;
}

/** `absent`: only where nothing is there yet. A stamp: only where the text is still the one that was read with it. */
export type WriteIf = 'absent' | { stamp: string };

/** Whole texts by name. Names are what `fileName` gives, without an ending. */
export interface TextStore {
  /** undefined: nothing is there. Throws where that cannot be known, a missing permission included. */
  read(name: string): Promise<StoredText | undefined>;
  /** Written whole or not at all, and kept when it returns. Without `onlyIf` it replaces what is there; with it, throws `Conflict` where that does not hold. */
  write(name: string, text: string, onlyIf?: WriteIf): Promise<{ location: string }>;
  /** Names that begin so, in no order; undefined: there is no such directory yet. */
  list(prefix: string): Promise<string[] | undefined>;
}

/** Texts that only ever grow. */
export interface AuditStore {
  /** Records whose names begin so. Throws where they cannot be read, or where there is no such directory yet. */
  names(prefix: string): Promise<string[]>;
  /** How large it is, 0 where there is none yet, and a stamp that changes with every change of the record. */
  look(name: string): Promise<{ bytes: number; stamp: string }>;
  /** The whole record; '' where there is none yet. */
  read(name: string): Promise<string>;
  /** Kept when it returns. `stamp`: of the record as it was read; throws `Conflict` where somebody else has written since. Answers with the stamp after it. */
  append(name: string, text: string, stamp: string): Promise<{ stamp: string }>;
  /** The newest part that nobody can have changed, and until when (ISO 8601). Absent: this store locks nothing; undefined: nothing of it is locked. */
  locked?(name: string): Promise<LockedPart | undefined>;
  /** Locks something for a minute: why that does not hold; undefined: it does. Throws what writing and reading do. */
  tryLock?(): Promise<string | undefined>;
}

/** Of an audit record. `replaced`: parts that are no longer what was first written, or were deleted since. */
export interface LockedPart {
  text: string;
  until: string;
  replaced: string[];
}

/** A directory or a bucket. */
export interface RecordStorage {
  /** For people: a path, or s3://bucket/prefix. */
  where: string;
  /** The file system that it is on; absent where there is none. */
  directory?: string;
  texts: TextStore;
  audit: AuditStore;
  /** Ledgers of changes, and notices of restores. */
  changes: AuditStore;
  /** Writes, to see that it can be done now; a moment ago is as good. Throws what `write` would. */
  ready(): Promise<void>;
  /** Ends connections. */
  close(): void;
}

export interface FoundText {
  /** undefined: it is no JSON. */
  json: unknown;
  stamp: string;
  location: string;
}

export interface RecordStore {
  write(name: string, json: string, onlyIf?: WriteIf): Promise<{ location: string }>;
  /** Runs that have brought a cluster to a version, up or back, and ended well. Throws where records cannot be read. */
  upgradesOf(cluster: ClusterRef): Promise<RecordedUpgrade[]>;
  /** Whole records, those of the newest runs first; of one cluster alone where it is named. What is no record is passed over. Throws where records cannot be read. */
  newest(limit: number, cluster?: ClusterRef): Promise<unknown[]>;
  /** What was written under that name; undefined: nothing, or it is no JSON. Throws where it cannot be read. */
  read(name: string): Promise<unknown>;
  /** The same, for who writes it again. */
  find(name: string): Promise<FoundText | undefined>;
}
