/** Examples of slack/messages/home and overview. */
import * as home from '../../../../slack/messages/home.ts';
import * as overview from '../../../../slack/messages/overview.ts';
import { chapter } from '../chapter.ts';
import { UNREACHABLE } from './slack.ts';

export const homeChapter = chapter('Slack: App Home', 'slack/messages/home.ts', home, {
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
});

/** As a client shows it. */
const AT = '11:50 AM today';

export const overviewChapter = chapter('Slack: what runs in a channel', 'slack/messages/overview.ts', overview, {
  freezeHere: [['staging 1.31 → 1.32', { since: AT, link: '<https://example.slack.com/archives/C012AB3CD/p1|Open its thread>' }]],
  runsHere: [[0], [2]],
  runHere: [
    [
      'staging 1.31 → 1.32',
      {
        state: 'running',
        headline: 'The control plane moves to 1.32',
        since: AT,
        link: '<https://example.slack.com/archives/C012AB3CD/p1|Open its thread>',
      },
    ],
  ],
  gateHere: [['Replace 12 nodes?', { who: '2 of <!subteam^S0PLATFORM>', by: AT, progress: '1 of 2 approvals' }]],
  parkedHere: [['Node group blue waits for its window.', AT]],
  whoIsNeeded: [
    [2, '<!subteam^S0PLATFORM>'],
    [1, ''],
  ],
  notListed: [[3]],
  digestTitle: [[AT]],
  endedHere: [['staging 1.31 → 1.32', { outcome: '✅ Completed', at: AT, headline: 'All nodes run 1.32.' }]],
  nothingEnded: [[]],
  recordsUnread: [['staging', 'the bucket does not answer']],
  dueTitle: [[]],
  gateDue: [['staging', 'Replace 12 nodes?', AT]],
  windowDue: [['staging', '1.31', AT]],
  supportTitle: [[]],
  supportDue: [['staging', '1.31', '🟡 standard support until 2026-03-23, 20 days left']],
  supportUnread: [['no worker answers'], ['AWS credentials are missing', 'staging']],
  campaignsTitle: [[]],
  campaignHere: [['to-1-34', { target: '1.34', headline: 'Ring dev runs.', arrivedCount: 12, clusterCount: 40 }]],
  campaignsUnread: [['Temporal does not answer']],
  startsAnother: [[]],
});
