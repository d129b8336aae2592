/** Examples of workflows/messages: Karpenter's way to API v1. */
import type { MigrationLook, RoleVerdict } from '../../../../activities/contract/karpenter-migration.ts';
import type { DeliveredChart } from '../../../../domain/facts/facts.ts';
import { WAYS_TO_MOVE } from '../../../../domain/plan/migration/checklist-v1beta1.ts';
import type { StepParams } from '../../../../domain/plan/model/step-params.ts';
import * as gates from '../../../../workflows/messages/karpenter/migration-gates.ts';
import { chartReason } from '../../../../workflows/messages/karpenter/migration.ts';
import * as migration from '../../../../workflows/messages/karpenter/migration.ts';
import { chapter } from '../chapter.ts';

const BEFORE = 'v0.31.4';
const BRIDGE = 'v0.32.10';
const POOLS = ['NodePool default', 'EC2NodeClass default'];
const OLD = ['Provisioner default', 'AWSNodeTemplate default'];
const MACHINES = '4 Machines left: their nodes have to be replaced.';
const WEBHOOK = [
  { path: ['webhook', 'enabled'], value: true },
  { path: ['webhook', 'port'], value: 8443 },
];
const DRIFT_GATE = [{ path: ['settings', 'featureGates', 'drift'], value: true }];
const DELIVERED: DeliveredChart = {
  kind: 'HelmRelease',
  namespace: 'flux-system',
  name: 'karpenter',
  chart: 'karpenter',
  version: '0.37.1',
};
const FLUX = { delivered: DELIVERED, managedBy: 'flux', owner: 'Kustomization flux-system/platform' } as const;
const ALPHA = { version: 'v1beta1', managedBy: 'flux' } as const;
const V1 = { version: 'v1', managedBy: 'flux' } as const;

export const migrationChapter = chapter('Karpenter’s migration', 'workflows/messages/karpenter/migration.ts', migration, {
  noAlphaLeft: [[]],
  helmInstalls: [['karpenter', BEFORE]],
  mergeChart: [
    [{ chart: 'karpenter', to: BEFORE, why: chartReason.lastAlpha() }, FLUX],
    [{ chart: 'karpenter', to: BRIDGE, why: chartReason.bridge(BEFORE) }, FLUX],
    [{ chart: 'karpenter', to: BRIDGE, values: DRIFT_GATE, why: chartReason.driftGate() }, FLUX],
    [{ chart: 'karpenter', to: '0.37.7', values: WEBHOOK, why: chartReason.beforeV1() }, FLUX],
    [{ chart: 'karpenter', to: '1.0.14', values: WEBHOOK, why: chartReason.controllerOfV1() }, FLUX],
  ],
  installChart: [
    [{ chart: 'karpenter-crd', to: BRIDGE, why: chartReason.bothApis() }, 'manual'],
    [{ chart: 'karpenter-crd', to: '0.37.7', values: WEBHOOK, why: chartReason.servesV1() }, 'terraform'],
    [{ chart: 'karpenter-crd', to: '1.0.14', values: WEBHOOK, why: chartReason.definitionsOfV1() }, 'terraform'],
    [{ chart: 'karpenter-crd', to: '1.0.14', values: WEBHOOK, why: chartReason.noConversion() }, 'manual'],
  ],
  chartAdopts: [[['nodepools.karpenter.sh']]],
  bridgeRunsAlready: [[BRIDGE]],
  bridgeRuns: [[BRIDGE, BEFORE]],
  newObjectsCreated: [[POOLS]],
  createNewObjects: [[['NodePool default (Flux has Provisioner default)', 'EC2NodeClass batch: spec.role is required'], ALPHA]],
  provisionersDeleted: [[['Provisioner default']]],
  deleteProvisioners: [[['Provisioner batch (Flux)'], ALPHA]],
  provisionersTainted: [
    [['default', 'batch'], []],
    [['default', 'batch'], ['Provisioner batch (Flux)']],
  ],
  deleteNodes: [['v1beta1']],
  machinesStuck: [[MACHINES]],
  taintRemoved: [
    [['default'], false],
    [['default'], true],
  ],
  noMachineLeft: [[]],
  nodesMoved: [[]],
  alphaDeleted: [[OLD]],
  removeAlpha: [[OLD, ALPHA]],
  migratedAlready: [[]],
  heldWords: [[{ byBudget: ['default'], byNode: [] }]],
  driftHeld: [[{ byBudget: ['default'], byNode: ['batch'] }]],
  conversionAnswers: [['0.37.7']],
  conversionReady: [['0.37.7']],
  v1RunsAlready: [['1.0.14']],
  v1Runs: [['1.0.14']],
  webhooksDeleted: [[['ValidatingWebhookConfiguration validation.webhook.karpenter.sh']]],
  kubeletsMoved: [[['default']]],
  mergeManifests: [[['EC2NodeClass default (Flux): spec.kubelet {"maxPods":42}'], V1]],
  manifestsMerged: [[]],
  waitingForStorage: [[]],
  objectsRewritten: [[7]],
  verifyingDrift: [[]],
  migrated: [[]],
  otherBudgetsKept: [[['batch']]],
  holdNotReleased: [['default', 'the API server answered 500: etcdserver: request timed out']],
});

const ASKED: Extract<StepParams, { phase: 'karpenter-migration' }> = {
  phase: 'karpenter-migration',
  from: '0.37.1',
  to: '1.0.14',
  legs: ['v1'],
  namespace: 'kube-system',
  deployment: 'karpenter',
  managedBy: 'helm',
};
const LOOK: MigrationLook = {
  controller: '0.37.1',
  steps: [
    { id: 'kubernetes', title: 'Kubernetes is 1.25 or newer', state: 'done', seen: '1.31.' },
    { id: 'patch', title: 'The controller runs 0.37.7', state: 'open', seen: '0.37.1 runs.' },
    { id: 'conversion', title: 'The conversion webhook answers', state: 'broken', seen: 'Service kube-system/karpenter has no port 8443.' },
  ],
  delivered: [],
  workloads: ['Deployment shop/cart'],
  questions: ['NodePool batch: is expireAfter Never meant?'],
  unknowns: ['PodDisruptionBudgets: the right to list them is missing'],
  claimCount: 12,
  driftedCount: 1,
  incomplete: [],
};
const ROLLBACK = { what: 'Karpenter’s API', how: 'both charts at 0.37.7', until: 'Karpenter 1.1 runs', cost: 'settings that only v1 has' };
const EXPIRY = { pastCount: 2, soonCount: 1, lines: ['NodePool default (5 nodes, expireAfter 720h): 2 past it'] };
const GRANTED: RoleVerdict = { granted: 'yes', lines: ['role karpenter has the policy of 1.0'] };

export const migrationGateChapter = chapter('Gates of Karpenter’s migration', 'workflows/messages/karpenter/migration-gates.ts', gates, {
  beginMigrationGate: [
    [
      {
        params: { ...ASKED, delivery: { kind: 'helm' } },
        leg: 'v1',
        look: { ...LOOK, unknowns: [], workloads: [], questions: [] },
        rollback: ROLLBACK,
      },
    ],
    [
      {
        params: { ...ASKED, from: '0.31.3', legs: ['v1beta1', 'v1'] },
        leg: 'v1beta1',
        look: LOOK,
        rollback: ROLLBACK,
      },
    ],
  ],
  oldLabelsGate: [[['Deployment shop/cart'], ROLLBACK]],
  moveNodesGate: [
    [MACHINES, WAYS_TO_MOVE.map((way, index) => ({ ...way, id: (['drift', 'cascade', 'by-hand'] as const)[index] ?? 'drift' }))],
  ],
  leaveAlphaGate: [[BEFORE]],
  v1Gate: [
    [{ from: '0.37.1', to: '1.0.14', expiry: EXPIRY }],
    [{ from: '0.37.1', to: '1.0.14', expiry: { pastCount: 0, soonCount: 0, lines: [], iam: GRANTED } }],
  ],
  notAsBeforeGate: [[['3 NodeClaims are marked as drifted (NodeClassDrift); before the change it was 1'], ROLLBACK]],
});
