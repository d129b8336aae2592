/** Examples of cli/messages/snapshots.ts. */
import * as snapshots from '../../../../cli/messages/snapshots.ts';
import { chapter } from '../chapter.ts';

const FILE = 'staging.snapshot.json.gz';
const MAP = 'staging.map.json';
const STAGING = { name: 'staging', account: '111122223333', region: 'eu-west-1' };
const ELSEWHERE = { cluster: { ...STAGING, account: '444455556666' }, fields: ['account'] };

export const snapshotChapter = chapter('Commands: snapshots', 'cli/messages/snapshots.ts', snapshots, {
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
  otherClustersSnapshot: [['prod.belay-snapshot.gz', 'prod', 'staging']],
  snapshotElsewhere: [[FILE, STAGING, { config: 'belay.yaml', ...ELSEWHERE }]],
  configElsewhere: [['belay.yaml', STAGING, ELSEWHERE]],
  notInConfig: [['belay.yaml', STAGING]],
  anonymousSnapshot: [['belay.yaml']],
});
