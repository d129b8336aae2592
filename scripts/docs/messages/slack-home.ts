/** Examples of slack/messages/home. */
import type * as home from '../../../slack/messages/home.ts';
import type { Examples } from './examples.ts';
import { UNREACHABLE } from './slack.ts';

export const homeExamples: Examples<typeof home> = {
  waitingForYou: [[]],
  nothingForYou: [[]],
  waitingForOthers: [[]],
  runningUpgrades: [[]],
  runProgress: [[{ doneCount: 4, count: 10, left: '40 min', headline: 'Rolling the nodes' }]],
  seenWithoutWorker: [[{ waitingFor: 'approval:start' }], [{ phase: 'control-plane' }]],
  moreRuns: [[3]],
  groupUnread: [['S0PLATFORM']],
  versionsUnread: [[UNREACHABLE]],
  readingVersions: [[]],
  openCampaigns: [[]],
  campaignOnHome: [['to-1-34', { target: '1.34', headline: 'Ring dev runs.', arrivedCount: 41, clusterCount: 120 }]],
  moreCampaigns: [[2]],
  earlierRings: [[12]],
  laterRings: [[3]],
  campaignUnread: [['to-1-34', UNREACHABLE]],
  campaignsNotRead: [[4]],
  campaignsNotInFile: [[1], [2]],
  waitsUnread: [[1], [3]],
  runsNotRead: [[20]],
  needsYou: [[0], [2]],
  moreNeedYou: [[4]],
  readingNeeds: [[]],
  needsShown: [[11, 20, 34]],
  troubleIn: [['to-1-34', 'dev']],
};
