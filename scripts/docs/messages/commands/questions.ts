/** Examples of client/calls/questions, and of what Slack and the command line have beside them. */
import * as cliQuestions from '../../../../cli/messages/questions.ts';
import * as questions from '../../../../client/calls/questions.ts';
import * as slackQuestions from '../../../../slack/messages/questions.ts';
import { chapter } from '../chapter.ts';

export const questionChapter = chapter('Questions before a command acts', 'client/calls/questions.ts', questions, {
  startTitle: [['staging', '1.32']],
  startMeans: [[]],
  startStrategy: [['every-hop']],
  rollbackTitle: [['staging']],
  planBackMeans: [[]],
  undoTitle: [['staging', 'add-ons']],
  planUndoMeans: [['add-ons']],
  abortTitle: [['staging']],
  abortMeans: [[]],
  abortIsFinal: [[]],
  runNow: [
    ['staging 1.31 → 1.32', 'The control plane moves to 1.32'],
    ['staging 1.31 → 1.32', ''],
  ],
  runsNow: [['Control plane to 1.32']],
  skipTitle: [['staging', 'Control plane to 1.32 has failed']],
  skipReason: [['Updated by hand']],
  skipUnseen: [['failed:control-plane@1.32#1', 'No worker answers. Start one, or check whether it is running.']],
  campaignStartTitle: [['to-1-34', '1.34']],
  campaignStartMeans: [['dev']],
  campaignStopTitle: [['to-1-34']],
  campaignStopMeans: [[]],
  campaignUnseen: [['No worker answers on task queue belay: start one with "belay worker".']],
  ringRollbackTitle: [['to-1-34', 'production']],
  ringRollbackMeans: [[]],
});

export const slackQuestionChapter = chapter('Slack: questions', 'slack/messages/questions.ts', slackQuestions, {
  startLabel: [[]],
  rollbackLabel: [[]],
  undoLabel: [['add-ons']],
  canBeAborted: [['staging']],
  abortLabel: [[]],
  skipLabel: [[]],
  canBeStopped: [['to-1-34']],
  campaignStopIsFinal: [['to-1-34']],
  campaignStopLabel: [[]],
  ringRollbackUndo: [['to-1-34', 'to-1-34.rollback.production']],
  cancelled: [['abort staging']],
  askedAnother: [[]],
  answeredBefore: [[]],
  newerRun: [['staging']],
  newerCampaign: [['to-1-34']],
  tooMuchToAsk: [[]],
});

export const cliQuestionChapter = chapter('Commands: questions', 'cli/messages/questions.ts', cliQuestions, {
  asksOnce: [[]],
  withoutAsking: [[]],
  yesOrNo: [['Abort the upgrade of staging?']],
  canBeAborted: [['staging']],
  canBeStopped: [['to-1-34']],
  campaignStopIsFinal: [['to-1-34']],
  ringRollbackUndo: [['to-1-34', 'to-1-34.rollback.production']],
  skipIt: [['staging']],
  canBeUndone: [['Within 7 days the control plane can be rolled back.']],
});
