/** Examples of cli/messages/apply.ts. */
import * as apply from '../../../../cli/messages/apply.ts';
import { chapter } from '../chapter.ts';

const FILE = 'upgrade.yaml';
const AT = 'upgrade.yaml:2';
const GATE = 'before:pre-checks@1.34#1';

export const applyChapter = chapter('Commands: apply', 'cli/messages/apply.ts', apply, {
  noFiles: [[]],
  stdinTwice: [[]],
  noSuchUpgradeFile: [[FILE]],
  upgradeFileUnread: [[FILE, 'EACCES']],
  tooLarge: [[FILE, 1024 * 1024]],
  unknownClusterAt: [[AT, 'belay.yaml: no cluster "prd"; did you mean "prod"? There are: prod']],
  sameClusterTwice: [['upgrade.yaml:10', 'prod', AT]],
  waitsOrNot: [[]],
  applyStarted: [['prod', '1.34']],
  applyAdopted: [['prod', '1.34', 'sam']],
  applyThere: [['prod', '1.34']],
  applyWouldStart: [['prod', '1.34']],
  noPlanTo: [['prod', '1.36']],
  otherRun: [['prod', '1.34', '1.32 → 1.33']],
  endedBefore: [['prod', '1.34', 'stopped', 'Rejected by alex: not before the sale']],
  wentBackBefore: [['prod', '1.34', '1.33']],
  runUnread: [
    [
      'prod',
      'No worker on task queue belay answered within 12 s, so only what Temporal knows is available. Start one with "belay worker".',
    ],
  ],
  gateOpen: [['prod', [GATE]]],
  pastFirstGate: [['prod', 'Running control-plane@1.34.']],
  applyEnded: [['prod', 'completed', 'Every step is done']],
  waitedInVain: [
    ['prod', 'gate', '10 min'],
    ['prod', 'end', '12 h'],
  ],
  stoppedWaiting: [['prod']],
  runGone: [['prod']],
  progressOf: [['prod', 'Reading the cluster and planning']],
});
