/** Records in a directory, which is made when missing. One worker writes it: what is refused as changed meanwhile is seen, but nothing locks it. */
import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { field, messageOf } from '../../../../domain/core/unknown.ts';
import type { AuditStore, RecordStorage, TextStore, WriteIf } from '../../../contract/records.ts';
import { failureOf, failureType } from '../../../runtime/translate-errors.ts';
import { fileName } from '../file-name.ts';
import { onceAMoment } from './once-a-moment.ts';

/** Below the directory of the records. */
const AUDIT_FOLDER = 'audit';
const CHANGES_FOLDER = 'changes';
/** More than a record of most runs needs: a disk that is full to the last block takes a name, and no text. */
const ROOM_BYTES = 64 * 1024;

export function createDirectoryStorage(directory: string): RecordStorage {
  const where = resolve(directory);
  return {
    where,
    directory: where,
    texts: textsIn(where),
    audit: auditIn(join(where, AUDIT_FOLDER)),
    changes: auditIn(join(where, CHANGES_FOLDER)),
    ready: onceAMoment(async () => {
      for (const folder of [where, join(where, AUDIT_FOLDER)]) await tryWriting(folder);
    }),
    close: () => undefined,
  };
}

function textsIn(directory: string): TextStore {
  const pathOf = (name: string): string => join(directory, `${fileName(name)}.json`);
  const read = async (path: string): Promise<{ text: string; stamp: string } | undefined> => {
    const text = await orNothing(path, () => readFile(path, 'utf8'));
    return text === undefined ? undefined : { text, stamp: createHash('sha256').update(text).digest('hex') };
  };
  return {
    async read(name) {
      const path = pathOf(name);
      const found = await read(path);
      return found && { ...found, location: path };
    },

    async write(name, text, onlyIf) {
      const path = pathOf(name);
      const draft = `${path}.${process.pid}.${randomUUID()}.tmp`;
      try {
        await mkdir(directory, { recursive: true });
        await writeDown(draft, text);
        await place(draft, path, onlyIf, async () => (await read(path))?.stamp);
      } catch (error) {
        throw failureType(error) === 'Conflict' ? error : unwritable('writing the record', path, error);
      } finally {
        await rm(draft, { force: true }).catch(() => undefined);
      }
      return { location: path };
    },

    async list(prefix) {
      const files = await orNothing(directory, () => readdir(directory));
      return files?.filter((file) => file.startsWith(prefix) && file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
    },
  };
}

/** On the disk before it gets its name: a crash leaves the old record or the new one. */
async function place(draft: string, path: string, onlyIf: WriteIf | undefined, stampNow: () => Promise<string | undefined>): Promise<void> {
  if (onlyIf === 'absent') {
    try {
      return await link(draft, path);
    } catch (error) {
      throw field(error, 'code') === 'EEXIST' ? writtenMeanwhile(path) : error;
    }
  }
  if (onlyIf !== undefined && (await stampNow()) !== onlyIf.stamp) throw writtenMeanwhile(path);
  await rename(draft, path);
}

function auditIn(folder: string): AuditStore {
  const pathOf = (name: string): string => join(folder, `${fileName(name)}.jsonl`);
  const stampOf = ({ ino, size, mtimeMs }: { ino: number; size: number; mtimeMs: number }): string => `${ino}/${size}/${mtimeMs}`;
  const look = async (name: string): Promise<{ bytes: number; stamp: string }> => {
    const found = await orNothing(pathOf(name), () => stat(pathOf(name)));
    return found === undefined ? { bytes: 0, stamp: '' } : { bytes: found.size, stamp: stampOf(found) };
  };
  return {
    look,

    async names(prefix) {
      const files = await readdir(folder);
      return files.filter((file) => file.startsWith(prefix) && file.endsWith('.jsonl')).map((file) => file.slice(0, -'.jsonl'.length));
    },

    async read(name) {
      return (await orNothing(pathOf(name), () => readFile(pathOf(name), 'utf8'))) ?? '';
    },

    async append(name, text, stamp) {
      const path = pathOf(name);
      if ((await look(name)).stamp !== stamp) throw writtenMeanwhile(path);
      try {
        await mkdir(dirname(path), { recursive: true });
        const file = await open(path, 'a', 0o640);
        try {
          await file.appendFile(text);
          await file.sync();
          return { stamp: stampOf(await file.stat()) };
        } finally {
          await file.close();
        }
      } catch (error) {
        throw unwritable('appending to the audit record', path, error);
      }
    },
  };
}

async function tryWriting(folder: string): Promise<void> {
  const path = join(folder, `.ready.${process.pid}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    await writeDown(path, '\0'.repeat(ROOM_BYTES));
  } catch (error) {
    throw unwritable('writing to', folder, error);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

async function writeDown(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o640);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** undefined: there is no such file or directory. */
async function orNothing<T>(path: string, look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (field(error, 'code') === 'ENOENT') return undefined;
    throw unwritable('reading', path, error);
  }
}

const writtenMeanwhile = (path: string): Error => failureOf('Conflict', `writing ${path}: somebody else wrote it meanwhile`);

function unwritable(doing: string, path: string, error: unknown): Error {
  return failureOf('Unavailable', `${doing} ${path}: ${messageOf(error)}; make records.directory in belay.yaml writable`, { cause: error });
}
