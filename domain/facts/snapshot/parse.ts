/** From the lines of a snapshot file to a snapshot, or to the sentence that says why it is none. Unzipping and hashing are the caller's. */
import { isRecord } from '../../core/unknown.ts';
import {
  listKey,
  type Snapshot,
  type SnapshotEnd,
  type SnapshotHeader,
  type SnapshotLine,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
} from './format.ts';
import { count } from '../../core/text.ts';

/** The file is no snapshot that this Belay reads; the message says why, and what to do. */
export class SnapshotError extends Error {
  override name = 'SnapshotError';
}

/** Takes one line after the other. Lines of kinds that it does not know are left out: a newer Belay of the same version may write them. */
export class SnapshotParser {
  #header: SnapshotHeader | undefined;
  #end: SnapshotEnd | undefined;
  #lines = 0;
  readonly #calls: Snapshot['calls'] = [];
  readonly #lists: Snapshot['lists'] = [];
  readonly #objects: Snapshot['objects'] = new Map();
  readonly #metrics: Snapshot['metrics'] = [];
  readonly #gaps: Snapshot['gaps'] = [];

  /** Throws SnapshotError. Gives true for the last line, whose bytes are not part of the hash. */
  line(text: string): boolean {
    const line = parseLine(text, this.#lines);
    if (this.#end !== undefined)
      throw new SnapshotError(`Line ${this.#lines + 1} comes after the end of the snapshot: take the snapshot again`);
    if (this.#header === undefined) {
      this.#header = readHeader(line);
      this.#lines += 1;
      return false;
    }
    if (line.kind === 'end') {
      this.#end = line;
      return true;
    }
    this.#lines += 1;
    this.#take(line);
    return false;
  }

  /** `sha256`: of the lines before the last, in hex. Throws SnapshotError. */
  finish(sha256: string): Snapshot {
    if (this.#header === undefined) throw new SnapshotError('The file is empty: take the snapshot again with belay snapshot');
    if (this.#end === undefined)
      throw new SnapshotError(
        `The snapshot ends after ${count(this.#lines, 'line')} without its last one: the file is truncated, copy it again or take a new snapshot`,
      );
    if (this.#end.lines !== this.#lines || this.#end.sha256 !== sha256)
      throw new SnapshotError(
        'The snapshot was altered after it was taken: its SHA-256 does not match; copy it again or take a new snapshot',
      );
    return {
      header: this.#header,
      endedAt: this.#end.endedAt,
      calls: this.#calls,
      lists: this.#lists,
      objects: this.#objects,
      metrics: this.#metrics,
      gaps: this.#gaps,
    };
  }

  #take(line: SnapshotLine): void {
    if (line.kind === 'aws') this.#calls.push(line);
    else if (line.kind === 'metric') this.#metrics.push(line);
    else if (line.kind === 'gap') this.#gaps.push(line);
    else if (line.kind === 'list') {
      this.#lists.push(line);
      if (line.outcome === 'read') this.#objects.set(listKey(line.apiVersion, line.plural), []);
    } else if (line.kind === 'object') {
      const key = listKey(line.object.apiVersion, line.plural);
      const known = this.#objects.get(key);
      if (known === undefined)
        throw new SnapshotError(`Line ${this.#lines}: an object of ${key} comes before its list: take the snapshot again`);
      known.push(line.object);
    }
  }
}

function parseLine(text: string, before: number): SnapshotLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SnapshotError(
      before === 0
        ? 'The file is no snapshot: its first line is no JSON. Take one with belay snapshot'
        : `Line ${before + 1} of the snapshot is not JSON: the file is truncated or was altered, copy it again or take a new snapshot`,
    );
  }
  if (!isRecord(value) || typeof value['kind'] !== 'string')
    throw new SnapshotError(`Line ${before + 1} of the snapshot has no kind: the file was altered, or is no snapshot of Belay's`);
  return value as unknown as SnapshotLine;
}

function readHeader(line: SnapshotLine): SnapshotHeader {
  if (line.kind !== 'header' || (line.format as string) !== SNAPSHOT_FORMAT)
    throw new SnapshotError(`The file is no snapshot of Belay's: its first line is no header of format ${SNAPSHOT_FORMAT}`);
  if (!Number.isInteger(line.version) || line.version > SNAPSHOT_VERSION)
    throw new SnapshotError(
      `The snapshot has format version ${line.version} and was taken by Belay ${line.belay}; this Belay reads versions up to ${SNAPSHOT_VERSION}: use Belay ${line.belay} or newer`,
    );
  const { name, account, region } = line.cluster ?? {};
  for (const [field, value] of Object.entries({ name, account, region }))
    if (typeof value !== 'string' || value === '')
      throw new SnapshotError(
        `The snapshot is of no EKS cluster: its header has no cluster.${field}. Take one of an EKS cluster with belay snapshot`,
      );
  const { ownerKeys = [] } = line;
  if (!Array.isArray(ownerKeys) || ownerKeys.some((key) => typeof key !== 'string'))
    throw new SnapshotError(
      'The snapshot was altered: ownerKeys of its header is not a list of label keys; copy it again or take a new snapshot',
    );
  return line;
}
