/** Examples of cli/messages/snapshots.ts. */
import type * as snapshots from '../../../cli/messages/snapshots.ts';
import type { Examples } from './examples.ts';

const FILE = 'staging.snapshot.json.gz';
const MAP = 'staging.map.json';

export const snapshotExamples: Examples<typeof snapshots> = {
  snapshotNeedsFile: [[]],
  mapWithoutAnonymize: [[]],
  fileExists: [[FILE]],
  snapshotTaken: [
    [FILE, '1.2 MB', 4120, 0],
    [FILE, '1.1 MB', 3870, 1],
  ],
  mapWritten: [[MAP]],
  notAMap: [[MAP, 'its values are no names']],
  mapNotNeeded: [[FILE]],
  incomplete: [['poddisruptionbudgets', 'listing poddisruptionbudgets: Kubernetes answered 403']],
};
