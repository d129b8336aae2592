/** Examples of workflows/messages: the roll of Karpenter's nodes, its pace and its AMIs. */
import type { AmiMove, Unpromoted } from '../../../../domain/plan/model/changes.ts';
import * as amiChanges from '../../../../workflows/messages/karpenter/ami-changes.ts';
import * as drift from '../../../../workflows/messages/karpenter/drift.ts';
import * as pace from '../../../../workflows/messages/karpenter/pace.ts';
import { chapter } from '../chapter.ts';

const COUNTS = { replacedCount: 12, remainingCount: 28 };
const WAVE = { name: 'eu-1a', nodeCount: 12 };
const NEXT = { name: 'eu-1b', nodeCount: 14 };
const DOWN = 'the API server does not answer';

export const driftChapter = chapter('Roll of Karpenter’s nodes', 'workflows/messages/karpenter/drift.ts', drift, {
  heldAmisReleased: [[['default']]],
  wavesHeld: [['zone', [WAVE, NEXT]]],
  waveTitle: [
    ['zone', WAVE],
    ['count', { name: '2' }],
  ],
  nodesAt: [['1.32', COUNTS]],
  nodesBlocked: [['1.32', COUNTS, 2]],
  poolsGone: [[['batch']]],
  poolsNotCounted: [[['batch'], '1.32', COUNTS]],
  waveMoved: [['zone', WAVE, NEXT]],
  waveReplaced: [[WAVE]],
  afterWaveBake: [
    ['zone', NEXT, false],
    ['zone', NEXT, true],
  ],
  endingWaveBake: [
    ['zone', NEXT, false],
    ['zone', NEXT, true],
  ],
  waveBakeEnded: [['zone', WAVE]],
  nextWaveGate: [['zone', WAVE, NEXT]],
  wavesUndo: [[]],
  rollEnded: [
    [40, '1.32', false],
    [40, '1.31', true],
  ],
  rollStopped: [[]],
  everyNodeAt: [[40, '1.32']],
  controlPlaneAndNodesAt: [['1.31']],
  amisChosenAsBefore: [[['default']]],
  stoppingRoll: [[]],
  rollOver: [['done'], ['frozen'], ['stopped']],
  driftNotFrozenAgain: [[DOWN]],
  waveMarksKept: [[]],
  waveMarksNotRemoved: [[DOWN]],
});

export const paceChapter = chapter('Pace of a roll', 'workflows/messages/karpenter/pace.ts', pace, {
  paceSet: [
    ['@ana', { pace: '10%', toPlan: false, reason: 'traffic is low' }],
    ['@ana', { pace: 'freeze', toPlan: false, reason: 'an incident' }],
    ['@ana', { pace: '1', toPlan: true, reason: undefined }],
  ],
  pacedBy: [['@ana']],
  pacedByHealthCheck: [[]],
  pacedByGuard: [[]],
  paceNotSet: [['@ana', DOWN]],
  paceTooLate: [['@ana']],
  noPaceWithoutFreeze: [['@ana']],
  rollHeld: [['error rate of checkout is 4 %', 'freeze']],
  rollNotHeld: [[DOWN]],
  rollResumed: [['10%']],
  rollNotResumed: [[DOWN]],
  rollStillFrozen: [['@ana', 'freeze']],
  rollStillHeld: [['error rate of checkout is 4 %']],
  paceSetAgain: [['10%']],
  paceNotSetAgain: [[DOWN]],
});

const MOVE: AmiMove = {
  nodeClass: 'default',
  before: 'al2023@v20250403',
  terms: [{ alias: 'al2023@v20250501' }],
  nodePools: ['default'],
  why: 'it is pinned to a release without images for 1.32',
};
const STALE = [{ nodeClass: 'gpu', nodePools: ['gpu'], why: 'no AMI in status is for 1.32' }];
const UNPROMOTED: Unpromoted = {
  nodeClass: 'gpu',
  chooses: 'al2023@latest',
  status: 'fail',
  why: 'staging has not run al2023@v20250403 for 7 days yet',
};

export const amiChangeChapter = chapter('AMIs of a roll', 'workflows/messages/karpenter/ami-changes.ts', amiChanges, {
  lookingForPromotion: [[]],
  promotion: [[{ moves: [MOVE], unpromoted: [] }]],
  promotionGate: [
    [{ moves: [MOVE], unpromoted: [] }, '1.32'],
    [{ moves: [], unpromoted: [UNPROMOTED] }, '1.32'],
  ],
  amiMoved: [[MOVE]],
  moveAmi: [[{ ...MOVE, owner: 'flux' }]],
  amiChangeArrived: [[['default']]],
  noAmis: [[STALE, '1.32']],
  noAmisWhy: [[STALE]],
  noAmisGate: [[STALE, '1.32']],
  nodesOfPools: [[['gpu']]],
  leftAtOldAmis: [[['gpu']]],
  lookingForAmis: [[]],
  keepAmisGate: [['NodePool default is not ready: UnauthorizedOperation', [MOVE]]],
  amisRestored: [[['default']]],
  amisNotRestored: [['default', DOWN]],
  newAmisKept: [[['default']]],
});
