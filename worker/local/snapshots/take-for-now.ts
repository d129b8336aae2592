/** A snapshot that is taken for one purpose and not kept. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import { SNAPSHOT_READINGS } from '../../../activities/observe/snapshot/take.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { takeSnapshotOf } from './take-snapshot.ts';

export interface TakingForNow {
  /** Belay's version. */
  belay: string;
  /** One of `READINGS` was read, or could not be. */
  onRead?: (what: string) => void;
  /** Aborted: it is not wanted any more. */
  signal?: AbortSignal;
}

export const READINGS = SNAPSHOT_READINGS;

/** Reads only; the file is in a folder that nobody else reads, and gone on return. Throws what taking a snapshot throws. */
export async function takeForNow(config: Config, cluster: string, taking: TakingForNow): Promise<Snapshot> {
  // Of mode 0700: https://nodejs.org/api/fs.html#fspromisesmkdtempprefix-options
  const folder = await mkdtemp(join(tmpdir(), 'belay-snapshot-'));
  try {
    const file = join(folder, 'snapshot.gz');
    await takeSnapshotOf(config, cluster, file, taking);
    return await readSnapshotFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
