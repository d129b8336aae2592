/** Facts and policies of healthy clusters: a test starts from one of these and changes one thing. */
import type {
  AddOnFact,
  ClusterFacts,
  KarpenterFact,
  MeshNamespaceFact,
  NodeGroupFact,
  NodePoolFact,
  SupportedVersion,
} from '../../domain/facts/facts.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { ADD_ON_CATALOGUE } from './add-on-catalogue.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

/** The day on which these clusters stand: after the end of Istio 1.28 and of the standard support of Kubernetes 1.33. */
export const NOW = '2026-09-08T09:00:00.000Z';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const CLUSTER: ClusterRef = { name: 'prod', account: '111122223333', region: 'eu-central-1' };

/** What EKS offers, newest first. */
const SUPPORTED_VERSIONS: SupportedVersion[] = [
  { version: '1.35', endOfStandardSupport: '2027-03-27', endOfExtendedSupport: '2028-03-27', status: 'STANDARD_SUPPORT' },
  { version: '1.34', endOfStandardSupport: '2026-12-02', endOfExtendedSupport: '2027-12-02', status: 'STANDARD_SUPPORT' },
  { version: '1.33', endOfStandardSupport: '2026-07-29', endOfExtendedSupport: '2027-07-29', status: 'EXTENDED_SUPPORT' },
  { version: '1.32', endOfStandardSupport: '2026-03-23', endOfExtendedSupport: '2027-03-23', status: 'EXTENDED_SUPPORT' },
  { version: '1.31', endOfStandardSupport: '2025-11-26', endOfExtendedSupport: '2026-11-26', status: 'EXTENDED_SUPPORT' },
];

/** An add-on that EKS manages, with what EKS offers for it by minor. */
export function addOn(name: string, version: string, change: Partial<AddOnFact> = {}): AddOnFact {
  const offered: AddOnFact['offered'] = {};
  for (const entry of ADD_ON_CATALOGUE[name] ?? []) {
    for (const minor of entry.minors) {
      offered[minor] = [...(offered[minor] ?? []), { version: entry.version, isDefault: entry.defaultFor.includes(minor) }];
    }
  }
  return { name, version, status: 'ACTIVE', healthIssues: [], managed: true, offered, ...change };
}

export function nodePool(name: string, nodeCount: number, change: Partial<NodePoolFact> = {}): NodePoolFact {
  return { name, nodeClass: 'default', ready: true, budgets: [{ nodes: '10%' }], expireAfter: '720h', nodeCount, ...change };
}

/** A node group of the minor that its release has. */
export function nodeGroup(name: string, releaseVersion: string, change: Partial<NodeGroupFact> = {}): NodeGroupFact {
  return {
    name,
    version: releaseVersion.slice(0, releaseVersion.indexOf('.', 2)),
    releaseVersion,
    amiType: 'AL2023_x86_64_STANDARD',
    status: 'ACTIVE',
    healthIssues: [],
    desiredCount: 3,
    maxUnavailableCount: 1,
    ...change,
  };
}

function karpenter(version: string, nodePools: NodePoolFact[]): KarpenterFact {
  return {
    version,
    namespace: 'kube-system',
    deployment: 'karpenter',
    nodePools,
    nodeClasses: [{ name: 'default', ready: true, alias: 'al2023@latest', amiFamily: 'AL2023', amiIds: ['ami-0aa1'] }],
    expiringSoonCount: 0,
  };
}

function kubelets(minor: string, counts: { nodeGroup: number; karpenter: number }): ClusterFacts['kubelets'] {
  return [
    { minor, count: counts.nodeGroup, owner: 'node-group' },
    { minor, count: counts.karpenter, owner: 'karpenter' },
  ];
}

export function meshNamespace(name: string, change: Partial<MeshNamespaceFact> = {}): MeshNamespaceFact {
  return { name, mode: 'revision', selector: '1-26', revision: '1-26', ...change };
}

/** 1.33, one AL2023 node group, Karpenter and Istio that also support 1.34, nothing wrong. A shallow change replaces whole fields. */
export function healthyFacts(change: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    cluster: CLUSTER,
    controlPlane: {
      arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/prod',
      version: '1.33',
      platformVersion: 'eks.20',
      status: 'ACTIVE',
      healthIssues: [],
      supportType: 'EXTENDED',
      autoMode: false,
    },
    supportedVersions: SUPPORTED_VERSIONS,
    nodeGroups: [nodeGroup('system', '1.33.4-20260801')],
    addOns: [
      addOn('aws-ebs-csi-driver', 'v1.48.0-eksbuild.1'),
      addOn('coredns', 'v1.12.2-eksbuild.4'),
      addOn('kube-proxy', 'v1.33.3-eksbuild.4'),
      addOn('vpc-cni', 'v1.20.1-eksbuild.3'),
    ],
    kubelets: kubelets('1.33', { nodeGroup: 3, karpenter: 12 }),
    karpenter: karpenter('1.8.2', [nodePool('default', 12)]),
    istio: {
      revisions: [{ revision: '1-30', version: '1.30.1', namespace: 'istio-system', ready: true }],
      tags: [],
      namespaces: [
        meshNamespace('checkout', { selector: '1-30', revision: '1-30' }),
        meshNamespace('search', { selector: '1-30', revision: '1-30' }),
      ],
      hasCniOrZtunnel: false,
    },
    unknowns: [],
    readAt: NOW,
    ...change,
  };
}

/** seed-000: 1.31 with Karpenter 1.1, one AL2 node group, 32 Karpenter nodes, no Istio; on the way to 1.32. */
export function seed000Facts(change: Partial<ClusterFacts> = {}): ClusterFacts {
  const healthy = healthyFacts();
  return {
    ...healthy,
    cluster: { ...CLUSTER, name: 'staging' },
    controlPlane: { ...healthy.controlPlane, version: '1.31' },
    nodeGroups: [nodeGroup('karpenter', '1.31.7-20260801', { amiType: 'AL2_x86_64', desiredCount: 2 })],
    addOns: [
      addOn('aws-ebs-csi-driver', 'v1.35.0-eksbuild.1'),
      addOn('coredns', 'v1.11.3-eksbuild.1'),
      addOn('kube-proxy', 'v1.31.2-eksbuild.3'),
      addOn('vpc-cni', 'v1.18.3-eksbuild.3'),
    ],
    kubelets: kubelets('1.31', { nodeGroup: 2, karpenter: 32 }),
    karpenter: karpenter('1.1.1', [nodePool('default', 24), nodePool('batch', 8, { budgets: undefined })]),
    istio: undefined,
    ...change,
  };
}

/** seed-002: 1.32 with Karpenter 1.0.2 (outside its matrix), Istio 1.26.2 in revision 1-26; on the way to 1.34. */
export function seed002Facts(change: Partial<ClusterFacts> = {}): ClusterFacts {
  const healthy = healthyFacts();
  return {
    ...healthy,
    controlPlane: { ...healthy.controlPlane, version: '1.32' },
    nodeGroups: [nodeGroup('system', '1.32.8-20260801')],
    addOns: [
      addOn('aws-ebs-csi-driver', 'v1.38.1-eksbuild.1'),
      addOn('coredns', 'v1.11.4-eksbuild.2'),
      addOn('kube-proxy', 'v1.32.0-eksbuild.2'),
      addOn('vpc-cni', 'v1.19.0-eksbuild.1'),
    ],
    kubelets: kubelets('1.32', { nodeGroup: 3, karpenter: 18 }),
    karpenter: karpenter('1.0.2', [nodePool('default', 18)]),
    istio: {
      revisions: [{ revision: '1-26', version: '1.26.2', namespace: 'istio-system', ready: true }],
      tags: [],
      namespaces: ['cart', 'catalogue', 'checkout', 'mail', 'payments', 'reviews', 'search', 'shipping'].map((name) => meshNamespace(name)),
      hasCniOrZtunnel: false,
    },
    ...change,
  };
}

/** A whole policy with everything managed directly. A shallow change replaces whole sections. */
export function policy(change: Partial<UpgradePolicy> = {}): UpgradePolicy {
  return {
    cluster: CLUSTER,
    environment: 'production',
    channel: 'C0UPGRADES',
    rollbackEachHop: false,
    managedBy: { controlPlane: 'eks', nodeGroups: 'eks', addOns: 'eks', karpenter: 'manual', istio: 'helm' },
    approvals: {
      users: ['U0ALICE'],
      groups: ['S0PLATFORM'],
      quorum: 1,
      allowRequester: false,
      allowUnverifiedCli: false,
      reasonsFor: ['reject'],
    },
    timing: {
      pollMinMs: 1_000,
      pollMaxMs: 30_000,
      pollShare: 0.04,
      heartbeatTimeoutMs: 10_000,
      bakeMs: 30 * MINUTE,
      gateDeadlineMs: 24 * HOUR,
      gateReminders: [0.5, 0.9],
      freezeCheckMs: MINUTE,
      freezeReminderMs: 24 * HOUR,
      controlPlaneTimeoutMs: 90 * MINUTE,
      rollbackWindowMs: 7 * 24 * HOUR,
      autoModeRollbackMs: 12 * HOUR,
      nodeGroupTimeoutMs: 4 * HOUR,
      addOnTimeoutMs: 30 * MINUTE,
      askTimeoutMs: 24 * HOUR,
      driftBlockedAfterMs: 15 * MINUTE,
      driftTimeoutMs: 12 * HOUR,
      paceStepMs: 5 * MINUTE,
      rolloutTimeoutMs: 20 * MINUTE,
      waveBakeMs: 5 * MINUTE,
      retireBakeMs: 0,
      apiTransientMs: 15 * MINUTE,
      boardEditMs: 1_000,
    },
    karpenter: { paces: ['1', '10%'], freezeReasons: ['Drifted', 'Underutilized', 'Empty'] },
    nodeGroups: { clusterAutoscaler: 'pause', selfManaged: 'ask' },
    rollback: { fargate: 'refuse' },
    controlPlane: { logging: [] },
    istio: { moveBy: 'label', waves: [0.25, 1], gateways: 'last' },
    ...change,
  };
}
