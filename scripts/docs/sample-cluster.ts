/** A cluster on which every phase has something to do: docs/reference/phases.md shows its plan. */
import { parseConfig } from '../../worker/config/config.ts';
import type { AddOnFact, ClusterFacts } from '../../domain/facts/facts.ts';
import { planUpgrade } from '../../domain/plan/plan-upgrade.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

const READ_AT = '2026-03-02T09:00:00.000Z';
const FROM = '1.33';
const TO = '1.34';

const CONFIG = `clusters:
  prod: { region: eu-central-1, account: "111122223333", managedBy: { karpenter: argocd, istio: argocd }, controlPlane: { logging: [api, audit] } }
approvals: { users: [U012AB3CD] }
slack: { channel: C012AB3CD }
`;

function addOn(name: string, version: string, next: string): AddOnFact {
  const offered = { [FROM]: [{ version, isDefault: true }], [TO]: [{ version: next, isDefault: true }] };
  return { name, version, status: 'ACTIVE', healthIssues: [], managed: true, offered };
}

function facts(cluster: ClusterRef): ClusterFacts {
  const bridge = addOn('aws-ebs-csi-driver', 'v1.44.0-eksbuild.1', 'v1.48.0-eksbuild.1');
  return {
    cluster,
    controlPlane: {
      arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/prod',
      version: FROM,
      status: 'ACTIVE',
      healthIssues: [],
      autoMode: false,
    },
    supportedVersions: [FROM, TO].map((version) => ({ version, status: 'STANDARD_SUPPORT' })),
    nodeGroups: [
      {
        name: 'system',
        version: FROM,
        amiType: 'AL2023_x86_64_STANDARD',
        status: 'ACTIVE',
        healthIssues: [],
        desiredCount: 3,
        maxUnavailableCount: 1,
      },
    ],
    addOns: [
      {
        ...bridge,
        offered: { ...bridge.offered, [FROM]: [...(bridge.offered[FROM] ?? []), { version: 'v1.48.0-eksbuild.1', isDefault: false }] },
      },
      addOn('kube-proxy', 'v1.33.3-eksbuild.4', 'v1.34.0-eksbuild.2'),
    ],
    kubelets: [
      { minor: FROM, count: 3, owner: 'node-group' },
      { minor: FROM, count: 12, owner: 'karpenter' },
      { minor: FROM, count: 4, owner: 'fargate' },
    ],
    fargateNamespaces: ['batch', 'reports'],
    karpenter: {
      version: '1.5.0',
      namespace: 'kube-system',
      deployment: 'karpenter',
      nodePools: [{ name: 'default', nodeClass: 'default', ready: true, budgets: [{ nodes: '10%' }], nodeCount: 12 }],
      nodeClasses: [{ name: 'default', ready: true, alias: 'al2023@latest', amiFamily: 'AL2023', amiIds: [] }],
      expiringSoonCount: 0,
    },
    istio: {
      revisions: [{ revision: '1-26', version: '1.26.2', namespace: 'istio-system', ready: true }],
      tags: [],
      namespaces: ['cart', 'checkout', 'search'].map((name) => ({ name, mode: 'revision', selector: '1-26', revision: '1-26' })),
      hasCniOrZtunnel: false,
    },
    unknowns: [],
    readAt: READ_AT,
  };
}

/** The same with a Karpenter of before 1.0: its first hop migrates Karpenter's API. */
export function olderSamplePlan(): UpgradePlan {
  return planOf((sample) =>
    sample.karpenter === undefined ? sample : { ...sample, karpenter: { ...sample.karpenter, version: '0.37.1', api: 'v1beta1' } },
  );
}

export const samplePlan = (): UpgradePlan => planOf((sample) => sample);

/** Throws when the planner refuses it: then the sample has to be brought up to date. */
function planOf(change: (sample: ClusterFacts) => ClusterFacts): UpgradePlan {
  const policy = policyOf(parseConfig(CONFIG, 'belay.yaml'), 'prod');
  const result = planUpgrade(change(facts(policy.cluster)), { target: TO, policy, now: READ_AT });
  if (result.kind === 'plan') return result.plan;
  throw new Error(`The sample cluster has no plan: ${result.violations.map(({ message }) => message).join(' ')}`);
}
