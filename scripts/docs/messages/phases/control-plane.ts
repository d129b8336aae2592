/** Examples of workflows/messages: the control plane, up and back, and add-ons. */
import type { GateEvidence } from '../../../../domain/gates/gate.ts';
import type { FargateBack } from '../../../../domain/plan/rollback/evidence.ts';
import * as addOns from '../../../../workflows/messages/eks/add-ons.ts';
import * as autoModeBack from '../../../../workflows/messages/eks/auto-mode-back.ts';
import * as controlPlane from '../../../../workflows/messages/eks/control-plane.ts';
import * as fargateStop from '../../../../workflows/messages/eks/fargate-stop.ts';
import * as slowUpdates from '../../../../workflows/messages/eks/slow-update.ts';
import { chapter } from '../chapter.ts';

const updateId = '0b1c2d3e-4f56-3789-a0b1-c2d3e4f56789';
const UP = { updateId, from: '1.31', to: '1.32', adopted: false };
const BACK = { updateId, from: '1.32', to: '1.31', adopted: false };

const UNKNOWN_BACK: GateEvidence = {
  title: 'Rollback to 1.31',
  lines: [
    '11 checks passed, 1 unknown',
    'UNKNOWN Karpenter launches no node newer than 1.31: Could not read the EC2NodeClasses: needs list on ec2nodeclasses.karpenter.k8s.aws. [RBK006]',
  ],
  verdict: 'unknown',
};

export const controlPlaneChapter = chapter('Control plane', 'workflows/messages/eks/control-plane.ts', controlPlane, {
  enableLogs: [['staging', ['api', 'audit']]],
  enablingLogs: [[{ updateId, adopted: false }]],
  applyControlPlane: [['staging', UP]],
  controlPlaneUpdateStarted: [[UP], [{ ...UP, adopted: true }]],
  controlPlaneUpdating: [[UP]],
  rollbackOpen: [['1.31', '2026-05-08 10:00 UTC']],
  applyControlPlaneBack: [['staging', BACK]],
  rollbackStarted: [[BACK]],
  rollingBack: [[BACK]],
  unknownBackGate: [['1.31', { unknownCount: 1, seen: UNKNOWN_BACK, undo: 'Nothing to undo: nothing has been started.' }]],
});

export const autoModeBackChapter = chapter('Auto Mode during a rollback', 'workflows/messages/eks/auto-mode-back.ts', autoModeBack, {
  rollingBackWithNodes: [[BACK]],
  nodesRollingBack: [
    [BACK, 9, 43_200_000],
    [BACK, 0, 43_200_000],
  ],
  nodesRolledBack: [[BACK]],
  cancellingRollback: [[updateId]],
  rollbackTooLateToCancel: [[BACK]],
  rollbackCancelled: [
    [BACK, { '1.31': 3, '1.32': 9 }],
    [BACK, undefined],
  ],
  rollbackNotCancelled: [
    [updateId, { eksName: 'staging', region: 'eu-west-1', why: 'AccessDeniedException: not authorized to perform eks:CancelUpdate' }],
  ],
});

const FOUND: FargateBack = {
  podCount: 4,
  workloads: [
    { kind: 'Deployment', namespace: 'shop', name: 'web', replicas: 3, autoscaler: 'web', keptBy: 'Argo CD' },
    { kind: 'StatefulSet', namespace: 'shop', name: 'cache', replicas: 1 },
  ],
  stuck: [],
  dns: false,
  cronJobs: ['shop/nightly'],
  budgets: ['shop/web'],
};

export const fargateStopChapter = chapter('Fargate during a rollback', 'workflows/messages/eks/fargate-stop.ts', fargateStop, {
  stopFargateGate: [[FOUND, { to: '1.31', expectedMs: 900_000 }]],
  stoppingFargate: [[]],
  fargateStopped: [[['Deployment shop/web', 'StatefulSet shop/cache'], 2, '1.31']],
  awaitingFargateStopped: [['1.31']],
  fargateStartedMeanwhile: [
    [['Deployment shop/web'], true],
    [['Job shop/import'], false],
  ],
  awaitingFargateStarted: [[]],
  fargateStarted: [[2]],
  fargateScaledByOthers: [['Deployment shop/web']],
  fargateNotReady: [[['Deployment shop/web']]],
  fargateWorkloadStillDown: [['Deployment shop/web', 'admission webhook "policy" denied the request']],
  fargateStillDown: [['staging', 'the API server does not answer']],
});

export const addOnChapter = chapter('Add-ons', 'workflows/messages/eks/add-ons.ts', addOns, {
  changeAddOn: [
    [{ name: 'vpc-cni', from: 'v1.19.0', to: 'v1.19.5', managed: true }, 'terraform'],
    [{ name: 'kube-proxy', from: 'v1.31.3', to: 'v1.32.0', managed: false }, 'argocd'],
  ],
});

const AT = '2026-11-02T09:41:00.000Z';
const SLOW = { updateId, elapsedMs: 5_400_000, againMs: 5_400_000 };
const SLOW_PLANE = 'the control plane to 1.32';
const SLOW_ADD_ON = 'add-on coredns to v1.11.4-eksbuild.2';
const ISSUE = 'InsufficientNumberOfReplicas: The add-on is unhealthy because it does not have the desired number of replicas.';

export const slowUpdateChapter = chapter('Slow updates', 'workflows/messages/eks/slow-update.ts', slowUpdates, {
  slowUpdateGate: [
    [{ ...SLOW, what: SLOW_PLANE, lines: slowUpdates.slowUpdateLines(AT, []), other: slowUpdates.abortSlow() }],
    [{ ...SLOW, what: SLOW_ADD_ON, lines: slowUpdates.slowUpdateLines(AT, [ISSUE]), other: slowUpdates.leaveSlow('add-on coredns') }],
  ],
  abortSlow: [[]],
  leaveSlow: [['node group general', ' The Cluster Autoscaler resumes when this step ends, and may remove nodes that EKS has added.']],
  slowUpdateLines: [
    [AT, []],
    [AT, [ISSUE]],
    [AT, undefined],
  ],
  fargateStaysStopped: [[]],
  slowUpdateEnded: [
    [SLOW_PLANE, 'Successful'],
    [SLOW_PLANE, 'failed'],
    [SLOW_PLANE, 'unwatched'],
  ],
  updateIsSlow: [[SLOW_PLANE, 5_400_000]],
  stillUpdating: [[SLOW_PLANE, 5_400_000]],
  updateLeft: [['node group general', updateId]],
  updatesLeft: [[['general', 'batch']]],
});
