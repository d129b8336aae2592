/** Examples of slack/messages/commands. */
import * as commands from '../../../../slack/messages/commands.ts';
import { chapter } from '../chapter.ts';

const PACES = 'use freeze, 1, 10%, 20%, another number or percentage, original or automatic';

export const slackCommandChapter = chapter('Slack: commands', 'slack/messages/commands.ts', commands, {
  usage: [[]],
  unknownCommand: [['updgrade'], ['statsu', 'status']],
  unknownOption: [['--tragt']],
  unexpectedArgument: [['now']],
  commandTooLong: [[712, 500]],
  whichCluster: [['plan']],
  notAClusterName: [['prod/eu']],
  whichVersion: [['plan', 'staging']],
  notAMinor: [['latest']],
  notAStrategy: [['never', ['every-hop', 'once-at-the-end']]],
  notAStep: [['add ons']],
  notACampaignVerb: [['begin', ['plan', 'start', 'status', 'pause', 'resume', 'retry', 'beside', 'rollback', 'stop']]],
  campaignNeedsName: [['start']],
  besideWhat: [['to-1-34']],
  rollbackOfWhat: [['to-1-34']],
  notRetriable: [['broken', ['failed', 'held', 'unknown', 'removed', 'stuck']]],
  withoutValue: [['lift', 'CLUSTER']],
  withoutNeedsReason: [[['dev-1', 'dev-2']]],
  whichPace: [[PACES]],
  notAPace: [['fast', PACES]],
  notifyHow: [[]],
  skipNeedsReason: [[]],
  whichGate: [[]],
  notADuration: [['soon']],
  notAUserId: [['@ada']],
});
