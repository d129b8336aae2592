/** Examples of workflows/messages: the freeze and its node classes. */
import type { AmiMove } from '../../../../domain/plan/model/changes.ts';
import * as freeze from '../../../../workflows/messages/karpenter/freeze.ts';
import * as nodeClasses from '../../../../workflows/messages/karpenter/node-classes.ts';
import { chapter } from '../chapter.ts';

const WHY = 'the control plane is at 1.32 and 12 nodes are still at 1.31';
const THROTTLED = 'default: the API server answered 500: etcdserver: request timed out';

export const freezeChapter = chapter('Freeze', 'workflows/messages/karpenter/freeze.ts', freeze, {
  driftFrozen: [
    [['default', 'batch'], undefined],
    [['default', 'batch'], { usual: 'self-expiring', byNode: ['batch'], lastsMs: 3_600_000 }],
  ],
  freezeReverted: [[{ reverted: ['default'], lapsed: [] }], [{ reverted: [], lapsed: ['batch'] }]],
  freezeRestoredInTime: [[['default']]],
  freezeUnguarded: [['the API server does not answer']],
  freezeGuardedAgain: [['0']],
  freezeGuardGone: [[]],
  freezeIncomplete: [[WHY]],
  driftNotStopped: [[THROTTLED]],
  driftStopped: [[]],
  freezeEnded: [['cluster staging was deleted and created again']],
  freezeLifted: [
    ['the run has ended', ['default', 'batch']],
    ['every node is replaced', []],
  ],
  budgetsNotRestored: [[THROTTLED]],
  budgetsChangedByOthers: [[['batch']]],
  freezeKept: [[WHY]],
  keepFreezeGate: [[{ cluster: 'staging', why: WHY, version: '1.32', back: false }]],
  freezeHolds: [['default, batch']],
  freezeGuardReplaced: [['terminated']],
  freezeGuardTookOver: [[]],
  freezeGuardNotReplaced: [['the API server does not answer']],
  unguardedFreezeGate: [['Control plane 1.31 → 1.32', 'the API server does not answer']],
  unguardedStopped: [['Control plane 1.31 → 1.32']],
  freezeNotSettled: [[]],
  freezeGuardFailed: [[THROTTLED]],
  freezeNotRestored: [[]],
  freezeStillThere: [[['batch']]],
  freezeUnseen: [[THROTTLED]],
});

const MOVE: AmiMove = {
  nodeClass: 'default',
  before: 'al2023@latest',
  terms: [{ id: 'ami-0a1b2c3d4e5f60718' }],
  nodePools: ['default'],
  why: 'latest',
  owner: 'flux',
};
const SWITCH = { nodePool: 'batch', from: 'default', to: 'default-1-32', owner: 'argocd' } as const;

export const nodeClassChapter = chapter('Node classes', 'workflows/messages/karpenter/node-classes.ts', nodeClasses, {
  nodeClassesPinned: [[['default'], { to: 'the images in use', until: 'nodes are replaced' }]],
  amisHeld: [[['default']]],
  amisNotHeld: [['default: it has no image in status']],
  amisReleased: [[['default']]],
  amisNotReleased: [['default', 'the API server does not answer']],
  pinNodeClass: [
    [MOVE, undefined],
    [MOVE, '1.31'],
  ],
  unpinNodeClass: [[MOVE]],
  nodeClassSwitched: [[SWITCH]],
  switchNodeClass: [[SWITCH]],
  switchNodeClassBack: [[SWITCH]],
  withdrawNodeClassSwitch: [[['batch']]],
  nodeClassesRestored: [[['batch']]],
  nodeClassesNotRestored: [['batch: admission webhook "policy" denied the request']],
});
