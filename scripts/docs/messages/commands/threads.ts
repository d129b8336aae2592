/** Examples of cli/messages/threads.ts and watch.ts. */
import * as threads from '../../../../cli/messages/threads.ts';
import * as watch from '../../../../cli/messages/watch.ts';
import { chapter } from '../chapter.ts';

export const threadChapter = chapter('Commands: logs', 'cli/messages/threads.ts', threads, {
  notShown: [['board', 'note/run/1']],
  fileInThread: [['Plan in full', 'plan.txt']],
  curvesInThread: [['before:node-groups@1.32#1']],
  timesAre: [['Europe/Berlin']],
  nothingTold: [['staging']],
  followsAgain: [['Temporal at temporal:7233 does not answer. Start it, or set TEMPORAL_ADDRESS to a running server.']],
});

export const watchChapter = chapter('Commands: status --watch', 'cli/messages/watch.ts', watch, {
  stepsDone: [[4, 9, '40 min']],
  paused: [[]],
  pastDeadline: [[]],
  gateWaits: [
    [{ who: '2 of approvers (Slack group S0PLATFORM)', by: '2026-03-03 13:05 (in 2 h)', progress: '1 of 2 approvals', byItself: false }],
    [{ by: '2026-03-03 13:05 (in 2 h)', byItself: true }],
  ],
  runIs: [['running', 'The control plane moves to 1.32']],
  seenByTemporal: [['running', 'control-plane', 'before:control-plane@1.32#1']],
  stepIs: [['control-plane@1.32', 'running', 'EKS says InProgress']],
  stepRolled: [['node-groups@1.32', 4, '12 nodes']],
  gateOpened: [
    [
      'Upgrade staging?',
      'needs 1 of approvers (Slack group S0PLATFORM) by 2026-03-03 13:05 (in 2 h)',
      "belay decide staging 'before:pre-checks@1.32#1' approve|reject",
    ],
  ],
  gateClosed: [['Upgrade staging?']],
  endedAs: [['staging', 'aborted']],
  endUnknown: [['staging']],
  asOf: [['Temporal at temporal:7233 does not answer. Start it, or set TEMPORAL_ADDRESS to a running server.', '12 s']],
  freezeKept: [['staging', 'kept:freeze-drift@1.32#1']],
  freezeOver: [['staging']],
  ctrlC: [[]],
  stoppedWatching: [['prod']],
});
