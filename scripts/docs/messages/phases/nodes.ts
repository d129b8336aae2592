/** Examples of workflows/messages: nodes that are replaced, those that cannot be, and self-managed ones. */
import type { BlockedNode } from '../../../../activities/contract/karpenter.ts';
import type { RefreshableGroup } from '../../../../activities/contract/self-managed.ts';
import * as blockedDeeds from '../../../../workflows/messages/nodes/blocked-actions.ts';
import * as blockedChoices from '../../../../workflows/messages/nodes/blocked-choices.ts';
import * as blockedNodes from '../../../../workflows/messages/nodes/blocked-nodes.ts';
import * as nodes from '../../../../workflows/messages/nodes/nodes.ts';
import * as selfManaged from '../../../../workflows/messages/nodes/self-managed.ts';
import * as slowGroups from '../../../../workflows/messages/nodes/slow-update.ts';
import { chapter } from '../chapter.ts';

const AUTOSCALER = { namespace: 'kube-system', name: 'cluster-autoscaler', replicas: 2, deliveredBy: 'flux' } as const;
const ISTIOD = { namespace: 'istio-system', deployment: 'istiod', budget: 'istiod', owner: 'argocd' } as const;
const SCALED_ISTIOD = { namespace: 'istio-system', deployment: 'istiod', budget: 'istiod', autoscaler: 'istiod' } as const;
const UNMOVED = [{ workload: 'Pod batch/import', why: 'it has no controller' }];
const THROTTLED = 'Throttling: Rate exceeded';

export const nodeChapter = chapter('Nodes', 'workflows/messages/nodes/nodes.ts', nodes, {
  nodeGroupsMoved: [[3, 12, '1.32']],
  nodeGroupsUndo: [[]],
  applyNodeGroup: [['general', '1.32']],
  autoModeReplaces: [[6, '1.32']],
  nodesReplaced: [[3, 2]],
  pauseAutoscaler: [[AUTOSCALER]],
  autoscalerPaused: [[AUTOSCALER]],
  autoscalerResumed: [[AUTOSCALER, 2]],
  resumeAutoscaler: [[AUTOSCALER]],
  autoscalerScaledByOthers: [[3]],
  autoscalerLeftAlone: [[AUTOSCALER, 3]],
  autoscalerNotResumed: [[AUTOSCALER, 'the API server does not answer']],
  raiseIstiod: [[ISTIOD]],
  istiodRaised: [[SCALED_ISTIOD]],
  istiodLowered: [[SCALED_ISTIOD]],
  lowerIstiod: [[ISTIOD]],
  replicasChangedByOthers: [[]],
  istiodLeftAlone: [[SCALED_ISTIOD]],
  istiodNotLowered: [[SCALED_ISTIOD, 'the API server does not answer']],
  restartingOnFargate: [['batch', 4]],
  restartedOnFargate: [['batch', 3, ['Deployment batch/scheduler']]],
  fargateGate: [[UNMOVED, '1.32']],
  leftOnFargate: [[UNMOVED]],
  checkingFargateAgain: [[]],
});

const SLOW = { name: 'general', to: '1.32', at: '2026-11-02T09:41:00.000Z' };

export const slowGroupChapter = chapter('Slow node groups', 'workflows/messages/nodes/slow-update.ts', slowGroups, {
  slowGroupLines: [
    [
      {
        ...SLOW,
        roll: {
          newCount: 7,
          oldCount: 5,
          held: ['pod shop/cart-0 is blocked by PodDisruptionBudget shop/cart, which allows no disruption now'],
        },
      },
    ],
    [{ ...SLOW, roll: { newCount: 0, oldCount: 0, held: [], unseen: 'Kubernetes answered 403' } }],
  ],
  autoscalerResumesWithStep: [[]],
});

const NODE = 'ip-10-0-1-7.eu-central-1.compute.internal';
const WORKLOAD = { kind: 'Deployment', namespace: 'shop', name: 'web', replicas: 1 } as const;
const POD = { namespace: 'shop', name: 'web-7d4b9c-x2x8q', controller: { kind: 'ReplicaSet', name: 'web-7d4b9c' } };
const BLOCKED: BlockedNode = {
  node: NODE,
  nodePool: 'default',
  pod: POD,
  pdb: { namespace: 'shop', name: 'web', disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 },
  workload: WORKLOAD,
  people: ['team payments'],
  reason: 'pod shop/web-7d4b9c-x2x8q is blocked by PodDisruptionBudget shop/web',
  sinceMs: 900_000,
};
const JOB: BlockedNode = {
  node: 'ip-10-0-2-9.eu-central-1.compute.internal',
  nodePool: 'batch',
  pod: { namespace: 'batch', name: 'import-x7x9k', controller: { kind: 'Job', name: 'import' } },
  reason: 'pod batch/import-x7x9k has annotation karpenter.sh/do-not-disrupt',
  sinceMs: 900_000,
};
const GONE: BlockedNode = { node: NODE, nodePool: 'default', gone: true, reason: 'volume pvc-1 is still attached', sinceMs: 900_000 };
const LEAVING: BlockedNode = { ...BLOCKED, nodePool: '', leaving: true };
const STUCK: BlockedNode = {
  node: JOB.node,
  nodePool: '',
  leaving: true,
  reason: 'pod batch/import-x7x9k is being removed and does not go: it still has finalizer batch.kubernetes.io/job-tracking',
  sinceMs: 900_000,
};
const PROGRESS = '3 nodes replaced, 2 to go';
const COUNTED = { progress: PROGRESS, at: '2026-11-02T09:41:00.000Z' };

export const blockedNodeChapter = chapter('Blocked nodes', 'workflows/messages/nodes/blocked-nodes.ts', blockedNodes, {
  blockedNodesGate: [
    [[BLOCKED], COUNTED],
    [[{ ...BLOCKED, noUseScaling: true, reason: `${BLOCKED.reason}, which never allows a disruption: maxUnavailable is 0` }], COUNTED],
    [[JOB], COUNTED],
    [[{ ...BLOCKED, removing: { forcedAt: '2026-11-02T10:30:00.000Z' } }], COUNTED],
    [[GONE], COUNTED],
    [[BLOCKED, JOB], COUNTED],
    [[LEAVING, STUCK], COUNTED],
  ],
  blockedNodesDecided: [
    [[BLOCKED], 'Scale by one and back', PROGRESS],
    [[BLOCKED, JOB], 'Wait', PROGRESS],
  ],
  blockedNodesChanged: [[[NODE, JOB.node]]],
  noLongerBlocked: [[[NODE]]],
  rollContinues: [[[NODE]]],
  nodeChangeNotRestored: [[`do-not-disrupt on node ${NODE}`, 'the API server does not answer']],
});

export const blockedChoiceChapter = chapter('Choices for a blocked node', 'workflows/messages/nodes/blocked-choices.ts', blockedChoices, {
  choicesAbout: [
    [BLOCKED, WORKLOAD],
    [JOB, undefined],
    [GONE, undefined],
  ],
});

const SCALED = 'Deployment shop/web scaled 1 → 2, and back at 1 replica';
const DELETED = 'Pod batch/import-x7x9k deleted, as decided, with its node cordoned';

export const blockedDeedChapter = chapter('What was done for blocked nodes', 'workflows/messages/nodes/blocked-actions.ts', blockedDeeds, {
  blockedDeeds: [
    [[SCALED], { scaledCount: 1, backCount: 1, earlierCount: 0 }],
    [[SCALED, DELETED], { scaledCount: 1, backCount: 1, earlierCount: 0 }],
  ],
  workloadScaled: [
    [WORKLOAD, { before: 1, after: 2, ready: true }],
    [WORKLOAD, { before: 1, after: 2, ready: false }],
  ],
  scalingCutOff: [[WORKLOAD]],
  scaledBack: [[WORKLOAD]],
  notScaledBack: [[]],
  podDeleted: [
    [POD, true],
    [POD, false],
  ],
  podNotDeleted: [[POD, 'Belay lacks delete on pods in namespace shop']],
});

const WANTED = { group: 'workers', minHealthyPercent: 100 };
const GROUP: RefreshableGroup = {
  kind: 'refreshable',
  templateId: 'lt-0a1b2c3d4e5f60718',
  source: '7',
  followsLatest: false,
  before: 'amazon-eks-node-al2023-x86_64-standard-1.31-v20250403 (ami-0aaaaaaaaaaaaaaa1)',
  after: 'amazon-eks-node-al2023-x86_64-standard-1.32-v20250403 (ami-0bbbbbbbbbbbbbbb2)',
  image: 'ami-0bbbbbbbbbbbbbbb2',
  size: 5,
  hooks: [],
  handler: false,
  running: false,
};

export const selfManagedChapter = chapter('Self-managed nodes', 'workflows/messages/nodes/self-managed.ts', selfManaged, {
  readingGroup: [['workers']],
  refreshGate: [
    [GROUP, WANTED],
    [
      { ...GROUP, followsLatest: true, running: true, hooks: ['drain'] },
      { ...WANTED, minHealthyPercent: 90 },
    ],
    [{ ...GROUP, parameter: true, protectedIds: ['i-0a1b2c3d4e5f60718'], standbyIds: ['i-0b1b2c3d4e5f60718'] }, WANTED],
  ],
  refreshing: [[{ group: 'workers', templateId: GROUP.templateId, version: '8', adopted: false }]],
  instancesReplaced: [['workers', 40, 3]],
  refreshProgress: [['workers', 40, 3]],
  stopRefreshGate: [['workers', true]],
  refreshEnded: [['done'], ['ended'], ['unwatched']],
  stoppingRefresh: [
    ['workers', 'cancel'],
    ['workers', 'roll-back'],
  ],
  refreshNotStopped: [
    ['workers', 'cancel', THROTTLED],
    ['workers', 'roll-back', 'AccessDenied: autoscaling:RollbackInstanceRefresh'],
  ],
  hookRemoved: [['workers']],
  hookNotRemoved: [['workers', THROTTLED]],
  refreshedByHand: [[]],
  replaceGroup: [['workers', '1.32', 'its launch template sets no image']],
  replaceSelfManaged: [[5, '1.32']],
  awaitingSelfManaged: [[5, '1.32']],
  leaveSelfManagedGate: [[{ nodeCount: 5, to: '1.32', back: false }], [{ nodeCount: 5, to: '1.31', back: true }]],
  selfManagedEnded: [
    ['replaced', '1.32'],
    ['unknown', '1.32'],
  ],
});
