/** Examples of cli/messages/threads.ts. */
import type * as threads from '../../../cli/messages/threads.ts';
import type { Examples } from './examples.ts';

export const threadExamples: Examples<typeof threads> = {
  notShown: [['board', 'note/run/1']],
  fileInThread: [['Plan in full', 'plan.txt']],
  curvesInThread: [['before:node-groups@1.32#1']],
  timesAre: [['Europe/Berlin']],
  nothingTold: [['staging']],
  followsAgain: [['Temporal at temporal:7233 does not answer. Start it, or set TEMPORAL_ADDRESS to a server that runs, and try again.']],
};
