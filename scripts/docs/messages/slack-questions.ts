/** Examples of slack/messages/questions. */
import type * as questions from '../../../slack/messages/questions.ts';
import type { Examples } from './examples.ts';

export const slackQuestionExamples: Examples<typeof questions> = {
  startTitle: [['staging', '1.32']],
  startMeans: [[]],
  startLabel: [[]],
  startStrategy: [['every-hop']],
  rollbackTitle: [['staging']],
  undoTitle: [['staging', 'add-ons']],
  rollbackLabel: [[]],
  undoLabel: [['add-ons']],
  canBeAborted: [['staging']],
  runNow: [
    ['staging 1.31 → 1.32', 'The control plane moves to 1.32'],
    ['staging 1.31 → 1.32', ''],
  ],
  runsNow: [['Control plane to 1.32']],
  abortLabel: [[]],
  abortIsFinal: [[]],
  skipTitle: [['staging', 'Control plane to 1.32 has failed']],
  skipReason: [['Updated by hand']],
  skipLabel: [[]],
  skipUnseen: [['failed:control-plane@1.32#1', 'No worker answers. Start one, or look whether it runs.']],
  cancelled: [['abort staging']],
  askedAnother: [[]],
  answeredBefore: [[]],
  newerRun: [['staging']],
  tooMuchToAsk: [[]],
};
