/** Snapshot files for commands that need no Temporal. */
export { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
