/** Examples of workflows/messages: Karpenter's controller. */
import type { KarpenterState } from '../../../../activities/contract/delivery.ts';
import type { DeliveredChart } from '../../../../domain/facts/facts.ts';
import * as karpenter from '../../../../workflows/messages/karpenter/controller.ts';
import { chapter } from '../chapter.ts';

const CHART: DeliveredChart = {
  kind: 'HelmRelease',
  namespace: 'flux-system',
  name: 'karpenter',
  chart: 'karpenter',
  version: '1.5.3',
  owner: 'Kustomization flux-system/platform',
};
const PARAMS = {
  phase: 'karpenter-controller',
  from: '1.5.3',
  to: '1.9.2',
  minimum: '1.9',
  namespace: 'kube-system',
  deployment: 'karpenter',
  managedBy: 'helm',
} as const;
const SEEN: KarpenterState = {
  claimCount: 12,
  driftedCount: 1,
  frozenPools: 2,
  poolCount: 2,
  notReady: [],
  unowned: ['nodepools.karpenter.sh'],
  needs: ['1.7: the controller’s role needs iam:ListInstanceProfiles'],
  permissions: [{ action: 'iam:ListInstanceProfiles', granted: 'no', why: 'role karpenter: implicitDeny' }],
};
const NOT_READY = { name: 'EC2NodeClass batch', line: 'EC2NodeClass batch is not Ready (AMIsNotFound)' };
const UNKNOWN_LEADER =
  'Lease kube-system/karpenter-leader-election is renewed by build-host_5d2f, which is not a pod of Deployment kube-system/karpenter';
const ROLLBACK = { what: 'karpenter', how: 'the charts at 1.5.3; its CRDs stay', until: 'the control plane moves', cost: 'one restart' };
const CANARY = { version: '1.9.2', nodePool: 'default' };
const CLAIM = 'belay-canary-4f1c09ab7d';

export const karpenterChapter = chapter('Karpenter’s controller', 'workflows/messages/karpenter/controller.ts', karpenter, {
  readingNeeds: [['1.9.2']],
  karpenterGate: [
    [{ params: { ...PARAMS, delivery: { kind: 'helm' } }, seen: SEEN, charts: [], rollback: ROLLBACK }],
    [
      {
        params: { ...PARAMS, managedBy: 'flux', delivery: { kind: 'gitops', charts: [CHART] } },
        seen: { ...SEEN, frozenPools: 1, needs: [], permissions: [], notReady: [NOT_READY] },
        charts: [CHART],
        rollback: ROLLBACK,
      },
    ],
  ],
  changeKarpenter: [[{ ...PARAMS, managedBy: 'terraform' }, SEEN]],
  mergeKarpenter: [[CHART, { from: '1.5.3', to: '1.9.2', managedBy: 'flux', owner: 'Kustomization flux-system/platform' }]],
  helmUpgradesKarpenter: [
    ['1.9.2', false],
    ['1.5.3', true],
  ],
  definitionsAdopted: [[['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh']]],
  verifyingKarpenter: [['1.9.2']],
  otherKarpenterNeeded: [['1.8.4', '1.9.2', 'it has a regression in topology spread constraints']],
  verifiedLines: [[{ driftedCount: 1 }], [{ driftedCount: 0, stillNotReady: [NOT_READY.line], leaderUnknown: UNKNOWN_LEADER }]],
  karpenterVerified: [
    ['1.9.2', { driftedCount: 1 }],
    ['1.9.2', { driftedCount: 0, leaderUnknown: UNKNOWN_LEADER }],
  ],
  launchingCanary: [[{ ...CANARY, claim: CLAIM }]],
  canaryLine: [[{ ...CANARY, node: 'ip-10-0-3-17.ec2.internal' }]],
  canaryReady: [[{ ...CANARY, node: 'ip-10-0-3-17.ec2.internal' }]],
  canaryNotRemoved: [[CLAIM, 'it is still there']],
});
