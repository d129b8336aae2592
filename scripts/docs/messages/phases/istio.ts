/** Examples of workflows/messages: Istio's revisions, and what points at them. */
import type { NodeAgentChange } from '../../../../domain/plan/model/changes.ts';
import * as istio from '../../../../workflows/messages/istio/revisions.ts';
import * as labels from '../../../../workflows/messages/istio/labels.ts';
import { chapter } from '../chapter.ts';

const CANARY = { fromRevision: '1-26', fromVersion: '1.26.2', toRevision: '1-28' };
const LABEL = 'wave 2 of 3 to 1-28';
const CNI: NodeAgentChange = { kind: 'istio-cni', namespace: 'istio-system', daemonSet: 'istio-cni-node', from: '1.26.2', toMinor: '1.28' };
const ZTUNNEL: NodeAgentChange = { ...CNI, kind: 'ztunnel', daemonSet: 'ztunnel' };
const GATEWAY = { kind: 'Gateway', namespace: 'edge', name: 'public' };
const CONDITIONS = { title: 'Conditions for retiring', lines: ['4 checks passed'] };
const UNDO = 'After this, going back to 1-26 means installing it again.';
const BY_HAND = { sets: ['StatefulSet shop/cache'], pods: ['Pod shop/debug'] };

export const istioChapter = chapter('Istio', 'workflows/messages/istio/revisions.ts', istio, {
  nodeAgentGate: [[[CNI, ZTUNNEL], 'helm rollback']],
  upgradingAgent: [[CNI]],
  upgradeAgent: [[CNI, 'manual']],
  agentUpgraded: [
    [CNI, false],
    [ZTUNNEL, true],
  ],
  agentsStay: [[[CNI], '1-26']],
  installingRevision: [[CANARY]],
  mergeRevision: [[CANARY, '1.28.3', 'terraform']],
  lookingForRevision: [['1-26']],
  gatewayInterruptionGate: [[CANARY, LABEL, ['Gateway edge/public']]],
  moveGateway: [
    [GATEWAY, { what: 'Gateway edge/public', by: 'Argo CD', revision: '1-28', managedBy: 'argocd' }],
    [
      { ...GATEWAY, kind: 'Deployment' },
      { what: 'Deployment edge/public', by: 'Helm', revision: '1-28', managedBy: 'helm' },
    ],
  ],
  notRestarted: [[LABEL, ['Job shop/import (a Job does not restart)']]],
  lookAtWave: [[LABEL, ['Deployment shop/web is paused']]],
  deletionGate: [[BY_HAND, { label: LABEL, from: '1-26', to: '1-28' }]],
  deletingPods: [[`Delete pods of ${LABEL} one by one`, BY_HAND]],
  keptAtOldProxy: [[['Pod shop/debug']]],
  everythingRuns: [
    ['1.28.3', false],
    ['1.28.3', true],
  ],
  bakingBeforeRetirement: [[CANARY]],
  bothRun: [[CANARY]],
  retireBakeEnded: [['1-26']],
  checkingRetirement: [['1-26']],
  retireGate: [
    ['1-26', true, { conditions: CONDITIONS, undo: UNDO }],
    ['1-26', false, { conditions: { ...CONDITIONS, lines: ['3 checks passed, 1 failed'] }, undo: UNDO }],
  ],
  retirementUndo: [
    ['1-26', undefined],
    ['1-26', 'helm'],
    ['1-26', 'HelmRelease'],
  ],
  retirementTitle: [['1-26']],
  revisionKept: [['1-26']],
  removingRevision: [['1-26']],
  removeRevisionByHand: [['1-26', '1-28', 'terraform']],
  webhooksSwept: [['1-26', ['MutatingWebhookConfiguration istio-sidecar-injector-1-26']]],
});

export const istioLabelChapter = chapter('Istio labels and tags', 'workflows/messages/istio/labels.ts', labels, {
  labelNamespaces: [[['pay', 'web'], '1-28', { keepers: ['Kustomization flux-system/apps'], managedBy: 'flux' }]],
  labelsReverted: [[[{ namespace: 'pay', now: 'istio.io/rev=1-26' }], '1-26']],
  keepLabels: [[['pay'], '1-28', 'helm']],
  moveTag: [['stable', '1-28', { what: 'tag stable', by: 'Application argocd/istio-tags', managedBy: 'argocd' }]],
  movingDefaults: [['1-26', '1-28']],
  moveDefaultsByHand: [
    [[{ what: 'the default validator', by: 'HelmRelease istio-system/base' }], { revision: '1-26', successor: '1-28', managedBy: 'flux' }],
  ],
  defaultsMoved: [['HelmRelease istio-system/base', '1-28']],
  restoringLabels: [[['pay', 'edge/public']]],
  labelNotRestored: [['Gateway edge/public', { by: 'Argo CD', revision: '1-26' }]],
  namespacesLeftMesh: [[['legacy'], 'wave 1 of 2 to 1-28']],
});
