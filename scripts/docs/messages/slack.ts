/** Examples of slack/messages. */
import type * as answers from '../../../slack/messages/answers.ts';
import type * as cluster from '../../../slack/messages/cluster.ts';
import type * as commands from '../../../slack/messages/commands.ts';
import type * as failures from '../../../slack/messages/failures.ts';
import type * as forms from '../../../slack/messages/forms.ts';
import type * as gates from '../../../slack/messages/gates.ts';
import type * as home from '../../../slack/messages/home.ts';
import type * as refusals from '../../../slack/messages/refusals.ts';
import type * as run from '../../../slack/messages/run.ts';
import type { Examples } from './examples.ts';

const UNREACHABLE = 'Temporal at temporal:7233 does not answer. Start it, or set TEMPORAL_ADDRESS to a server that runs, and try again.';
const PACES = 'write freeze, 1, 10%, 20%, another number or percentage, original or automatic';
const BOARD = 'staging 1.31 → 1.32';
const START = 'Start the upgrade of staging, 1.31 → 1.32?';
const AT = 'today 11:50 AM';
const POSTING = 'publishing board in C0UPGRADES';

export const commandExamples: Examples<typeof commands> = {
  usage: [[]],
  unknownCommand: [['updgrade']],
  unknownOption: [['--tragt']],
  unexpectedArgument: [['now']],
  commandTooLong: [[712, 500]],
  whichCluster: [['plan']],
  notAClusterName: [['prod/eu']],
  whichVersion: [['plan', 'staging']],
  notAMinor: [['latest']],
  notAStrategy: [['never', ['every-hop', 'once-at-the-end']]],
  notAStep: [['add ons']],
  whichPace: [[PACES]],
  notAPace: [['fast', PACES]],
  skipNeedsReason: [[]],
  whichGate: [[]],
  notADuration: [['soon']],
  notAUserId: [['@ada']],
};

export const refusalExamples: Examples<typeof refusals> = {
  otherWorkspace: [[]],
  personRefused: [['Guests of a workspace may not use Belay']],
  personUnknown: [[]],
  tooManyRequests: [[12]],
  noChannelConfigured: [[]],
  otherChannel: [['staging', '#eks-upgrades']],
  foreignChannel: [[['#eks-upgrades', '#platform']]],
  inNoChannel: [[]],
  notInChannelOf: [['staging']],
  channelMembersUnread: [['#eks-upgrades']],
  buttonUnreadable: [[]],
  detailsUnread: [[]],
  formNotOpened: [['for the reason', 'Press the button again.']],
  formUnreadable: [[]],
  somethingFailed: [[]],
  notSent: [[UNREACHABLE]],
  sendingAgain: [[UNREACHABLE, 2]],
  notHandedOver: [['U012AB3CD', 'bots may not use Belay']],
  handOverPersonUnknown: [['U012AB3CD']],
  auditOtherChannel: [['staging', { channel: 'C0GENERAL', own: '#eks-upgrades' }]],
  auditForeignChannel: [['C0GENERAL']],
  auditPerson: [['guests of a workspace may not use Belay']],
  auditOtherWorkspace: [['T0OTHER']],
  auditReplay: [[]],
  auditUnsigned: [[41, 60, '203.0.113.7 (40), 203.0.113.9 (1)']],
};

export const answerExamples: Examples<typeof answers> = {
  readingCluster: [['staging']],
  checking: [['staging', '1.32']],
  checkRunsAlready: [[{ cluster: 'staging', target: '1.32', requestedBy: 'ada' }]],
  started: [
    [BOARD, {}],
    [BOARD, { queued: 'It waits for its window, which opens on Tuesday at 10:00.', link: 'Open its thread' }],
  ],
  lookingForLeftovers: [['staging']],
  restoringLeftovers: [['staging']],
  noRecord: [['staging']],
  recordInChannel: [[]],
  recordInThread: [[`✅ Completed: ${BOARD}`, 'its thread']],
  recordNotAttached: [[]],
  recordTitle: [['staging', '1.31', '1.32']],
  timelineTitle: [['staging', '1.32']],
  curvesTitle: [[['error-rate', 'latency']]],
  upgradesRunning: [[2]],
  noUpgradeRunning: [[]],
  withoutLayout: [[`${BOARD}: Running`]],
};

export const formExamples: Examples<typeof forms> = {
  upgradeTitle: [[]],
  nothingBeforeApproval: [[]],
  moreClusters: [[12]],
  readingVersion: [['staging']],
  noNewerVersion: [['staging', '1.34']],
  runsVersion: [['1.31']],
  versionUnknown: [[]],
  checkingReadiness: [['staging', '1.32']],
  readinessUnknown: [['No worker answers on task queue belay: start one with "belay worker".']],
  nodesAsConfigured: [[]],
  dryRunOption: [[]],
  noClusterChosen: [[]],
  versionsNotReadYet: [[]],
  moreTimeTitle: [[]],
  gateExpires: [[AT]],
  howMuchLonger: [[]],
  moreTimeHint: [[]],
  noTimeChosen: [[]],
  reasonHint: [[]],
  noReason: [[]],
  handOverTitle: [[]],
  handOverExplained: [[]],
  handOverFourEyes: [[]],
  nobodyChosen: [[]],
};

export const clusterExamples: Examples<typeof cluster> = {
  checkRunning: [['staging', '1.32']],
  onlyReads: [[]],
  checkDone: [['✅ Ready', { cluster: 'staging', from: '1.31', to: '1.32' }]],
  checkFailed: [['staging', '1.32']],
  unknownsOnly: [[]],
  moreFindings: [[3]],
  moreFindingsInReport: [[3]],
  nothingChanged: [[27]],
  reportAttached: [[]],
  reportNotAttached: [['Slack answered file_uploads_disabled', 'belay check staging --target 1.32 --format html --output report.html']],
  planAsksFirst: [['3f2a9c01b7e4']],
  workWithoutWaits: [['2 h 10 min']],
  durationsNotLearnt: [['there is no record of one']],
  cannotUpgrade: [['staging', '1.34']],
  cannotGoBack: [['staging']],
  nothingStarted: [[]],
  noHistory: [['staging']],
  upgradesEnded: [['staging', 2]],
  nothingToUndo: [['staging']],
  undoable: [['staging']],
  cannotUndo: [['add-ons']],
  nothingLeft: [['staging']],
  leftBehindOn: [['staging']],
  changesInCode: [[]],
  restoreOffered: [['ada']],
  restoreTitle: [[]],
  restoreMeans: [[false], [true]],
  restoredBy: [['ada']],
  standardSupport: [['2026-03-23']],
  extendedSupport: [['2027-03-23']],
  outOfSupport: [['2025-07-26']],
  supportUnknown: [[]],
};

export const gateExamples: Examples<typeof gates> = {
  toDecide: [[START]],
  decideBy: [
    ['@platform', AT],
    ['', AT],
  ],
  gateOnBoard: [[START, AT]],
  parkedOnBoard: [['Waiting for the maintenance window']],
  reminder: [[START, '@platform', AT]],
  stillToDecide: [[START]],
  voteRefused: [['ada', 'requesters may not approve their own upgrade']],
  detailsLabel: [[]],
  moreBehindDetails: [[12]],
  withdrawVote: [[]],
  decided: [
    ['Approve', { person: 'bob', at: AT, despiteRules: false }],
    ['Approve', { person: 'bob', at: AT, despiteRules: true, reason: 'EKS forces this upgrade tomorrow' }],
  ],
  gateExpired: [[AT]],
  gateWithdrawn: [[AT, 'its step has ended']],
};

export const runExamples: Examples<typeof run> = {
  campaignTitle: [[{ campaign: 'to-1-34', target: '1.34', phase: 'running', arrivedCount: 12, clusterCount: 40 }]],
  moreNeed: [[7, 'to-1-34']],
  campaignAsked: [['<@U0ALEX>', 'd9d3b4c77735', 'to-1-34']],
  requestedBy: [['ada', AT]],
  mayDecide: [['@platform']],
  workLeft: [['40 min', AT]],
  rollbackWindow: [['1.31', AT]],
  pausing: [[]],
  abortTitle: [['staging']],
  abortMeans: [[]],
  freezeOnBoard: [['frozen'], ['pacing'], ['lifted'], ['kept'], ['not-restored']],
  pacingOnBoard: [['10%']],
  paceNow: [['Roll the nodes of Karpenter', 'at most 10% of the nodes of a NodePool at a time', false]],
  paceByPlan: [['10%, then 20%, then the original budgets']],
  paceByPerson: [['bob', { steps: '10%, then 20%, then the original budgets', reason: 'error rate is rising' }]],
  nodesReplaced: [[12, 30]],
  changeWanted: [[{ component: 'karpenter', name: 'karpenter', version: '1.5.0', managedBy: 'argocd' }]],
  runEnded: [[]],
  runTook: [['2 h 10 min', 'ada']],
  nothingLeftBehind: [[]],
  runLeftBehind: [
    [{ what: 'budgets of NodePool default', why: 'the API server does not answer', kept: false }],
    [{ what: 'drift freeze', why: '12 nodes are still at 1.31', kept: true }],
  ],
  moreInReport: [['staging']],
  mergesUnread: [['belay reconcile staging']],
  allMerged: [[]],
  checksMergesAgain: [['belay reconcile staging']],
  planBackTitle: [[]],
  planBackMeans: [[]],
  planUndoMeans: [['add-ons']],
  stakeholdersStarted: [[BOARD, { person: 'ada', work: '2 h' }]],
  stakeholdersAsked: [['staging', START, AT]],
  stakeholdersDecided: [['staging', { title: START, choice: 'Approve', person: 'bob' }]],
  stakeholdersExpired: [['staging', START]],
  stakeholdersWithdrawn: [['staging', START, 'its step has ended']],
  stakeholdersFinished: [[`✅ Completed: ${BOARD}`, { headline: 'All 10 steps are done', took: '2 h 10 min' }]],
};

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
};

export const failureExamples: Examples<typeof failures> = {
  botTokenMissing: [[]],
  noWayIn: [[]],
  notAPort: [[]],
  cannotListen: [[3000, 'it is in use']],
  disconnectedTooLong: [[60]],
  timestampMissing: [[]],
  outOfTime: [[-412], [75]],
  slackAsksToWait: [[POSTING, 30], [POSTING]],
  slackAnswered: [
    [POSTING, 'missing_scope', { needed: 'files:write' }],
    [POSTING, 'invalid_arguments', { said: 'must provide a string [json-pointer:/text]' }],
  ],
  slackAnsweredHttp: [[POSTING, 503]],
  slackTooSlow: [[POSTING]],
  slackUnreachable: [[POSTING, 'getaddrinfo ENOTFOUND slack.com']],
  channelNotSeen: [['looking for channel #eks-upgrades']],
  groupEmpty: [['reading user group S0PLATFORM']],
  userUnknown: [['reading Slack user U012AB3CD']],
  ownUserUnknown: [[]],
  boardNotPosted: [['upgrade/111122223333/eu-west-1/staging']],
  postNotFound: [['board']],
  postUnnamed: [[]],
  slackRemedy: [['not_in_channel'], ['channel_not_found']],
};
