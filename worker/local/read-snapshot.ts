/** A snapshot file for commands. */
import { readSnapshotFile } from '../../activities/observe/snapshot/read-file.ts';
import type { Snapshot } from '../../domain/facts/snapshot/format.ts';

/** Throws SnapshotError, whose message says what to do, for whatever is no whole snapshot. */
export const readSnapshot = (file: string): Promise<Snapshot> => readSnapshotFile(file);
