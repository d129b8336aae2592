/** Examples of workflows/messages: gates, failures, decisions. */
import type { Restored } from '../../../../domain/run/restores/restored.ts';
import type { SideEffect } from '../../../../domain/run/side-effects/side-effect.ts';
import * as choices from '../../../../workflows/messages/choices.ts';
import * as failures from '../../../../workflows/messages/failures.ts';
import * as gates from '../../../../workflows/messages/gates.ts';
import * as restored from '../../../../workflows/messages/restored.ts';
import * as votes from '../../../../workflows/messages/votes.ts';
import { chapter } from '../chapter.ts';
import { CONTROL_PLANE, controlPlaneStep, RIN, SAM, UNDO } from '../samples.ts';

const ROLL = 'Karpenter nodes → 1.32';
const UNTIL = '2026-11-29T09:12:00.000Z';

const EFFECT: SideEffect = {
  resource: { eks: 'add-on', cluster: 'staging', name: 'coredns' },
  during: 'update of coredns',
  differences: [{ path: 'serviceAccountRoleArn', before: '"arn:aws:iam::111122223333:role/dns"' }],
  moreCount: 0,
};
const WHAT = 'add-on coredns: serviceAccountRoleArn';

export const choiceChapter = chapter('Recurring choices', 'workflows/messages/choices.ts', choices, {
  goAnyway: [['2 alerts fire: KubePodCrashLooping, TargetDown']],
  abortAndGoBack: [[false], [true]],
  abortedToGoBack: [['checkout is failing', 'staging']],
});

export const gateChapter = chapter('Gates', 'workflows/messages/gates.ts', gates, {
  waitingForDecision: [['Move the control plane to 1.32?']],
  approveStepGate: [
    [
      controlPlaneStep,
      {
        evidence: [{ title: 'Pre-checks', lines: ['41 checks passed'] }],
        undo: 'After 7 days EKS no longer rolls it back.',
        keepsFreeze: false,
      },
    ],
  ],
  stepRejected: [
    [CONTROL_PLANE, SAM],
    [CONTROL_PLANE, undefined],
  ],
  nobodyApproved: [['before:control-plane@1.32#1', CONTROL_PLANE]],
  nobodyDecided: [['alerts:control-plane@1.32#1', 'alert TargetDown fires']],
  fasterPaceGate: [[ROLL, { pace: '20%', present: '10%', actor: SAM, reason: 'the night shift is thin' }]],
  unrequestedChangeGate: [[[EFFECT]]],
  unrequestedChange: [[[EFFECT]]],
  changeRestored: [[WHAT]],
  changeAccepted: [[WHAT]],
  changedUnrequested: [[WHAT]],
  changeUndecided: [[WHAT]],
});

const RESTORE: Restored = {
  at: '2026-11-26T04:41:07.000Z',
  why: "eks-upgrade/111122223333/eu-west-1/staging/control-plane@1.32: a change begun up to 2026-11-26T04:02:10Z (39 min before) is not in Temporal's history any more",
  forgotten: ['2026-11-26T04:02:10Z startControlPlaneUpdate of control-plane@1.32'],
  record: ['2026-11-26T04:14:31.000Z  step     control-plane@1.32: completed, EKS reports 1.32'],
};

export const restoredChapter = chapter('After a restore of Temporal', 'workflows/messages/restored.ts', restored, {
  restoredGate: [[CONTROL_PLANE, RESTORE, UNDO]],
  restoreAccepted: [[]],
  restoreRefused: [[]],
  restoreUndecided: [[CONTROL_PLANE]],
  recordIsNewer: [[1], [12]],
});

const NODE_GROUP = { phase: 'node-groups', title: 'Node groups → 1.32' } as const;
const EVICTION = {
  scope: 'update',
  code: 'PodEvictionFailure',
  resource: { kind: 'node-group', name: 'web' },
  own: true,
} as const;
const EVICTION_FAILED = 'EKS update of node group web failed: PodEvictionFailure: Reached max retries while trying to evict pods.';

export const failureChapter = chapter('Failures', 'workflows/messages/failures.ts', failures, {
  stepFailed: [[NODE_GROUP.title, EVICTION_FAILED]],
  stepFailedGate: [
    [
      NODE_GROUP,
      {
        problem: EVICTION_FAILED,
        causes: [EVICTION],
        seen: [],
        offered: ['fixed', 'force', 'skip', 'abort'],
        undo: 'Nothing to undo: nodes that are replaced stay.',
      },
    ],
  ],
  forceGate: [
    [NODE_GROUP, { names: ['web'], problem: EVICTION_FAILED, undo: '' }],
    [controlPlaneStep, { names: ['staging'], problem: 'EKS upgrade insights show issues.', undo: UNDO }],
  ],
});

const GATE = {
  id: 'before:control-plane@1.32#1',
  step: 'control-plane@1.32',
  title: 'Move the control plane to 1.32?',
  next: '',
  evidence: [],
  undo: '',
  choices: [{ id: 'approve', label: 'Approve', does: '' }],
  quorum: 2,
  revision: 1,
  openedAt: '2026-11-28T09:12:00.000Z',
  expiresAt: UNTIL,
} as const;
const FIRST = {
  decisionId: 'a',
  gateId: GATE.id,
  choice: 'approve',
  actor: RIN,
  reason: 'CVE-2026-1234 is being exploited',
  breakGlass: true,
  at: GATE.openedAt,
};
const SECOND = { ...FIRST, decisionId: 'b', actor: { ...SAM, aws: 'arn:aws:sts::111122223333:assumed-role/oncall/sam' } };
const OPEN_GATE = { ...GATE, evidence: [], choices: [...GATE.choices] };

export const voteChapter = chapter('Decisions', 'workflows/messages/votes.ts', votes, {
  moreTimeGiven: [[SAM, GATE.title, UNTIL, 'Rin is on her way']],
  voteDropped: [[SAM, GATE.title, 'Your Slack account is deactivated.']],
  voteDroppedBecause: [[SAM, 'Your Slack account is deactivated.']],
  upgradeHandedToVoter: [[]],
  lateDecisionRefused: [['approve', SAM, 'This message is out of date.']],
  noSuchGate: [[GATE.id]],
  approversUnread: [[]],
  earlierVotersUnread: [[]],
  policyUnread: [[]],
  runStops: [[]],
  breakGlass: [
    [{ kind: 'open', gate: OPEN_GATE, votes: [FIRST], refused: [] }, FIRST],
    [
      {
        kind: 'open',
        gate: { ...OPEN_GATE, glass: { choice: 'approve', at: '2026-11-28T09:42:00.000Z' } },
        votes: [FIRST, SECOND],
        refused: [],
      },
      SECOND,
    ],
    [{ kind: 'decided', gate: OPEN_GATE, votes: [FIRST, SECOND], decision: SECOND }, SECOND],
    [
      { kind: 'open', gate: OPEN_GATE, votes: [], refused: [] },
      { ...FIRST, choice: 'withdraw-vote' },
    ],
  ],
  breakGlassUnverified: [[]],
});
