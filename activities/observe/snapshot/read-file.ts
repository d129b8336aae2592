/** Reads a snapshot file: unzips, hashes and parses it line by line. */
import { createHash } from 'node:crypto';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import { SnapshotError, SnapshotParser } from '../../../domain/facts/snapshot/parse.ts';
import { eachLine } from './lines.ts';

/** Throws SnapshotError for whatever is no whole snapshot, and for a file that cannot be read. */
export async function readSnapshotFile(file: string): Promise<Snapshot> {
  const parser = new SnapshotParser();
  const hash = createHash('sha256');
  const take = (line: Buffer): void => {
    if (!parser.line(line.toString('utf8'))) hash.update(line).update('\n');
  };
  try {
    await eachLine(file, take);
  } catch (error) {
    throw error instanceof SnapshotError ? error : new SnapshotError(why(file, error));
  }
  return parser.finish(hash.digest('hex'));
}

function why(file: string, error: unknown): string {
  const code = field(error, 'code');
  if (code === 'ENOENT') return `There is no file ${file}: take a snapshot with belay snapshot CLUSTER -o ${file}`;
  if (code === 'Z_DATA_ERROR') return `${file} is not compressed with gzip, so it is no snapshot; take one with belay snapshot`;
  if (code === 'Z_BUF_ERROR') return `${file} ends in the middle: it is truncated, copy it again or take a new snapshot`;
  return `${file} cannot be read: ${messageOf(error)}`;
}
