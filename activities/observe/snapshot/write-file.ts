/** Writes a snapshot file: beside its place under another name, complete and looked through before it has its own. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, createReadStream, createWriteStream, ftruncateSync, openSync, writeSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { SnapshotEnd, SnapshotLine } from '../../../domain/facts/snapshot/format.ts';
import { SnapshotError } from '../../../domain/facts/snapshot/parse.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { refuseSecrets } from './look-through.ts';

/** Nobody else may read it: it says what a company runs. */
const MODE = 0o600;
/** Lines of a part are written in pieces of this many characters. */
const PIECE = 1 << 20;
const EMPTY = { count: 0, bytes: 0 };

/** Lines of one list, until it is known that the list is whole: an API server may make its reader begin anew. On disk, so that memory is bounded. */
export interface SnapshotPart {
  add(line: SnapshotLine): void;
  /** Where it ends now. */
  mark(): PartMark;
  /** Forgets what was added since. */
  backTo(mark: PartMark): void;
  readonly count: number;
}

export interface PartMark {
  count: number;
  bytes: number;
}

export class SnapshotWriter {
  readonly #file: string;
  readonly #temporary: string;
  readonly #gzip = createGzip();
  readonly #hash = createHash('sha256');
  readonly #written: Promise<void>;
  readonly #part: Part;
  #lines = 0;

  /** Throws SnapshotError where the folder cannot be written. */
  constructor(file: string) {
    this.#file = file;
    this.#temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
    try {
      this.#part = new Part(`${this.#temporary}.part`);
    } catch (error) {
      throw notWritten(file, error);
    }
    this.#written = pipeline(this.#gzip, createWriteStream(this.#temporary, { mode: MODE, flags: 'wx' }));
    // Heard of where it is awaited.
    this.#written.catch(() => {});
  }

  async line(line: SnapshotLine): Promise<void> {
    this.#lines += 1;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#hash.update(bytes);
    await this.#write(bytes);
  }

  /** An empty part: one at a time. */
  part(): SnapshotPart {
    this.#part.backTo(EMPTY);
    return this.#part;
  }

  /** Copies what is in the part. */
  async append(): Promise<void> {
    this.#part.flush();
    this.#lines += this.#part.count;
    for await (const chunk of createReadStream(this.#part.path) as AsyncIterable<Buffer>) {
      this.#hash.update(chunk);
      await this.#write(chunk);
    }
    this.#part.backTo(EMPTY);
  }

  /** The file is in its place, on disk. Gives its size in bytes. Throws SnapshotError, and leaves nothing, where it would have a secret in it. */
  async finish(endedAt: string): Promise<number> {
    const end: SnapshotEnd = { kind: 'end', endedAt, lines: this.#lines, sha256: this.#hash.digest('hex') };
    await this.#write(Buffer.from(`${JSON.stringify(end)}\n`));
    this.#gzip.end();
    await this.#written.catch((error: unknown) => {
      throw notWritten(this.#file, error);
    });
    await refuseSecrets(this.#temporary);
    await sync(this.#temporary, 'r+');
    const { size } = await stat(this.#temporary);
    await rename(this.#temporary, this.#file);
    // The name as well. Not every file system can.
    await sync(dirname(this.#file), 'r').catch(() => {});
    await this.#removeRest();
    return size;
  }

  /** Leaves nothing behind. Does nothing after `finish`. */
  async abandon(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => {});
    await this.#removeRest();
  }

  async #removeRest(): Promise<void> {
    this.#part.close();
    await rm(this.#part.path, { force: true });
    await rm(this.#temporary, { force: true });
  }

  async #write(bytes: Buffer): Promise<void> {
    // A full disk ends the stream: nobody would drain it.
    if (this.#gzip.write(bytes)) return;
    await Promise.race([once(this.#gzip, 'drain'), this.#written]).catch((error: unknown) => {
      throw notWritten(this.#file, error);
    });
  }
}

const notWritten = (file: string, error: unknown): SnapshotError =>
  new SnapshotError(`${file} cannot be written: ${messageOf(error)}. Choose another place with -o`);

async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

class Part implements SnapshotPart {
  readonly path: string;
  readonly #descriptor: number;
  #open = true;
  #pieces: string[] = [];
  #length = 0;
  /** On disk. */
  #bytes = 0;
  count = 0;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, 'wx', MODE);
  }

  add(line: SnapshotLine): void {
    const text = `${JSON.stringify(line)}\n`;
    this.count += 1;
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length >= PIECE) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.#pieces.join(''));
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#bytes + at);
    this.#bytes += bytes.length;
    this.#pieces = [];
    this.#length = 0;
  }

  mark(): PartMark {
    this.flush();
    return { count: this.count, bytes: this.#bytes };
  }

  backTo({ count, bytes }: PartMark): void {
    this.#pieces = [];
    this.#length = 0;
    ftruncateSync(this.#descriptor, bytes);
    this.#bytes = bytes;
    this.count = count;
  }

  close(): void {
    if (this.#open) closeSync(this.#descriptor);
    this.#open = false;
  }
}
