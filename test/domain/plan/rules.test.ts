/** Every rule bites: a request, a cluster or a plan that breaks it and nothing else. */
import { describe, expect, test } from '@jest/globals';
import type { ClusterFacts } from '../../../domain/facts.ts';
import { RULES } from '../../../domain/plan/rules/rules.ts';
import type { RuleViolation } from '../../../domain/plan/types.ts';
import { validatePlan } from '../../../domain/plan/validate.ts';
import { addOn, healthyFacts, meshNamespace, seed000Facts, seed002Facts } from '../../support/facts.ts';
import { paramsOf, planOf, refusalOf, stepOf, withStep } from '../../support/plans.ts';

const healthy = healthyFacts();

function withKarpenter(version: string, facts = healthy): ClusterFacts {
  return { ...facts, karpenter: facts.karpenter && { ...facts.karpenter, version } };
}

function at(version: string, change: Partial<ClusterFacts>): ClusterFacts {
  return { ...healthy, controlPlane: { ...healthy.controlPlane, version }, nodeGroups: [], addOns: [], kubelets: [], ...change };
}

interface Case {
  rule: string;
  title: string;
  found: () => RuleViolation[];
  /** Whole texts: message, then remedy. */
  expected: [string, string][];
}

const CHOOSE = 'Choose a minor that EKS offers; `aws eks describe-cluster-versions` lists them.';
const NEWER = 'Choose a newer minor. Going back is a rollback, not an upgrade.';

const CASES: Case[] = [
  {
    rule: 'target-known',
    title: 'a target that is no version',
    found: () => refusalOf(healthy, 'latest'),
    expected: [['"latest" is not a Kubernetes version such as 1.34.', CHOOSE]],
  },
  {
    rule: 'target-known',
    title: 'a target that EKS does not offer',
    found: () => refusalOf(at('1.35', { karpenter: undefined, istio: undefined }), '1.36'),
    expected: [['EKS does not offer Kubernetes 1.36; it offers 1.35, 1.34, 1.33, 1.32, 1.31.', CHOOSE]],
  },
  {
    rule: 'target-known',
    title: 'a target that nobody knows while the offer could not be read',
    found: () => refusalOf(at('1.36', { supportedVersions: [], karpenter: undefined, istio: undefined }), '1.37'),
    expected: [
      [
        "The versions that EKS offers could not be read, and Kubernetes 1.37 is not in Belay's own table.",
        'Allow eks:DescribeClusterVersions, or choose a minor that the table knows.',
      ],
    ],
  },
  {
    rule: 'target-above-current',
    title: 'the version that the cluster has',
    found: () => refusalOf(healthy, '1.33'),
    expected: [['The control plane of prod is already at 1.33.', NEWER]],
  },
  {
    rule: 'target-above-current',
    title: 'an older version',
    found: () => refusalOf(healthy, '1.32'),
    expected: [['The control plane of prod is at 1.33, newer than 1.32.', NEWER]],
  },
  {
    rule: 'cluster-active-and-healthy',
    title: 'a cluster that is not ACTIVE and has a health issue',
    found: () => {
      const healthIssues = [{ code: 'KmsKeyDisabled', message: 'the key is disabled', resourceIds: [] }];
      return refusalOf({ ...healthy, controlPlane: { ...healthy.controlPlane, status: 'FAILED', healthIssues } }, '1.34');
    },
    expected: [
      [
        'Cluster prod is FAILED, not ACTIVE.',
        'Wait until the cluster is ACTIVE and solve the health issues that the EKS console shows, then start again.',
      ],
      [
        'EKS reports KmsKeyDisabled: the key is disabled',
        'Wait until the cluster is ACTIVE and solve the health issues that the EKS console shows, then start again.',
      ],
    ],
  },
  {
    rule: 'no-update-in-progress',
    title: 'another update',
    found: () => refusalOf({ ...healthy, updateInProgress: { id: 'u-1', type: 'VersionUpdate', version: '1.34' } }, '1.34'),
    expected: [['EKS has VersionUpdate u-1 to 1.34 in progress.', 'Wait until that update has ended, then start again.']],
  },
  {
    rule: 'inspection-sufficient',
    title: 'Karpenter that could not be looked for is not "no Karpenter"',
    found: () =>
      refusalOf(
        {
          ...healthy,
          karpenter: undefined,
          unknowns: [{ what: 'the Karpenter Deployment', why: 'not permitted: it needs list on deployments' }],
        },
        '1.34',
      ),
    expected: [
      [
        'the Karpenter Deployment could not be read, so whether Karpenter has to be frozen is not known: not permitted: it needs list on deployments',
        'Give Belay the permission it names, then start again.',
      ],
    ],
  },
  {
    rule: 'control-plane-dependencies-present',
    title: 'a key that was deleted',
    found: () => refusalOf({ ...healthy, dependencies: [{ kind: 'kms-key', id: 'key/1', present: false }] }, '1.34'),
    expected: [
      ["The cluster's kms-key key/1 does not exist.", 'Restore it, or point the cluster at another one, before the control plane moves.'],
    ],
  },
  {
    rule: 'free-ip-addresses',
    title: 'addresses in one zone only',
    found: () =>
      refusalOf(
        {
          ...healthy,
          subnets: [
            { id: 'subnet-a', zone: 'eu-central-1a', freeIpCount: 40 },
            { id: 'subnet-b', zone: 'eu-central-1b', freeIpCount: 4 },
          ],
        },
        '1.34',
      ),
    expected: [
      [
        'Subnets with 5 free addresses exist in 1 of the 2 zones that are needed: subnet-a (eu-central-1a): 40, subnet-b (eu-central-1b): 4.',
        'Free addresses, or give the cluster more subnets with UpdateClusterConfig.',
      ],
    ],
  },
  {
    rule: 'no-removed-apis',
    title: 'an API that ends with the target; one that ends later does not count',
    found: () =>
      refusalOf(
        {
          ...healthy,
          removedApis: [
            { api: 'resource.k8s.io/v1alpha3 DeviceClass', removedIn: '1.34', usedBy: ['dra-driver/v1'] },
            { api: 'resource.k8s.io/v1beta1 DeviceClass', removedIn: '1.36', usedBy: ['dra-driver/v1'] },
          ],
        },
        '1.34',
      ),
    expected: [
      [
        'resource.k8s.io/v1alpha3 DeviceClass is removed in Kubernetes 1.34 and still used by dra-driver/v1.',
        'Move its users to the replacement API before the upgrade.',
      ],
    ],
  },
  {
    rule: 'no-al2-from-1.33',
    title: 'Amazon Linux 2 in a node group and in a node class',
    found: () => {
      const facts = seed000Facts();
      const nodeClasses = [{ name: 'old', ready: true, alias: 'al2@latest', amiIds: [] }];
      const nodePools = (facts.karpenter?.nodePools ?? []).map((pool) => ({ ...pool, nodeClass: 'old' }));
      return refusalOf({ ...facts, karpenter: facts.karpenter && { ...facts.karpenter, nodeClasses, nodePools } }, '1.33');
    },
    expected: [
      [
        'Node group karpenter has AMI type AL2_x86_64, which does not exist for 1.33.',
        'An AMI type cannot be changed: create a node group with AL2023, drain karpenter and delete it.',
      ],
      [
        'EC2NodeClass old uses alias al2@latest, which does not exist for 1.33: its node pools would stop to provision.',
        'Change its alias to al2023@… (it replaces the nodes: pace it), or move the workloads to a new EC2NodeClass.',
      ],
    ],
  },
  {
    rule: 'karpenter-v1-migration',
    title: 'Karpenter from before 1.0',
    found: () => refusalOf(at('1.30', { supportedVersions: [], karpenter: withKarpenter('0.37.2').karpenter, istio: undefined }), '1.31'),
    expected: [
      [
        'Karpenter 0.37.2 has to become 1.0.14, and between them lies the migration to v1.',
        'Follow Karpenter\'s v1 migration guide: 0.37.7 with webhooks on, then the newest 1.0 patch, manifests rewritten to v1, storedVersions ["v1"] on all CRDs; only then 1.1 or newer.',
      ],
    ],
  },
  {
    rule: 'karpenter-supports-both-minors',
    title: 'no Karpenter supports both',
    found: () =>
      refusalOf(
        at('1.25', { supportedVersions: [{ version: '1.26' }], karpenter: withKarpenter('1.9.1').karpenter, istio: undefined }),
        '1.26',
      ),
    expected: [
      [
        'Karpenter 1.9.1 supports Kubernetes 1.26 to 1.35; the hop needs 1.25 and 1.26.',
        "No Karpenter at or above 1.9.1 is known to support both: see Karpenter's compatibility matrix, or choose a nearer target.",
      ],
    ],
  },
  {
    rule: 'istio-supports-both-minors',
    title: 'no way within one minor per canary',
    found: () =>
      refusalOf(
        at('1.31', {
          karpenter: undefined,
          istio: {
            revisions: [{ revision: '1-23', version: '1.23.6', namespace: 'istio-system', ready: true }],
            tags: [],
            namespaces: [meshNamespace('shop', { selector: '1-23', revision: '1-23' })],
            hasCniOrZtunnel: true,
          },
        }),
        '1.32',
      ),
    expected: [
      [
        'Istio 1.23.6 (revision 1-23) does not support both Kubernetes 1.31 and 1.32.',
        'Upgrade Istio first; 1.25, 1.26, 1.27, 1.28, 1.29 support both Kubernetes 1.31 and 1.32.',
      ],
    ],
  },
  {
    rule: 'istio-canary-jump',
    title: 'a canary over four minors',
    found: () => {
      const facts = seed002Facts();
      const plan = planOf(facts, '1.34');
      const params = paramsOf(plan, 'istio', '1.33');
      const [first, last] = params.canaries;
      if (first === undefined || last === undefined) throw new Error('two canaries are expected');
      const canaries = [{ ...last, fromRevision: first.fromRevision, fromVersion: first.fromVersion }];
      return validatePlan(
        withStep(plan, 'istio@1.33', (step) => ({ ...step, params: { ...params, canaries } })),
        facts,
      );
    },
    expected: [['istio@1.33 goes from Istio 1.26 to 1.30, more than 2 minors on.', 'Put a canary of a version between them first.']],
  },
  {
    rule: 'add-ons-valid-on-both-minors',
    title: 'an add-on without a version for the target',
    found: () => {
      const offered = {
        '1.33': [{ version: 'v2.0.0-eksbuild.1', isDefault: true }],
        '1.34': [{ version: 'v1.9.0-eksbuild.1', isDefault: true }],
      };
      return refusalOf({ ...healthy, addOns: [addOn('adot', 'v2.0.0-eksbuild.1', { offered })] }, '1.34');
    },
    expected: [
      [
        'adot v2.0.0-eksbuild.1 is not offered on Kubernetes 1.34 (1.34: v1.9.0-eksbuild.1).',
        'Update the add-on to a version that EKS offers on both minors, or remove it.',
      ],
    ],
  },
  {
    rule: 'vpc-cni-one-minor-at-a-time',
    title: 'vpc-cni over two minors at once',
    found: () => {
      const facts = seed002Facts({ addOns: [addOn('vpc-cni', 'v1.18.3-eksbuild.3')] });
      const plan = planOf(facts, '1.34');
      const changes = [{ name: 'vpc-cni', from: 'v1.18.3-eksbuild.3', to: 'v1.20.4-eksbuild.2', managed: true }];
      return validatePlan(
        withStep(plan, 'add-ons-bridge@1.33', (step) => ({ ...step, params: { phase: 'add-ons-bridge', managedBy: 'eks', changes } })),
        facts,
      );
    },
    expected: [
      [
        'add-ons-bridge@1.33 takes vpc-cni from v1.18.3-eksbuild.3 to v1.20.4-eksbuild.2, past 1.19.',
        'Put a change for each minor between.',
      ],
    ],
  },
  {
    rule: 'kube-proxy-not-ahead',
    title: 'kube-proxy that is ahead now',
    found: () => refusalOf({ ...healthy, addOns: [addOn('kube-proxy', 'v1.34.0-eksbuild.2')] }, '1.34'),
    expected: [['kube-proxy v1.34.0-eksbuild.2 is newer than the control plane (1.33) now.', 'Update kube-proxy last, in add-ons-target.']],
  },
  {
    rule: 'kube-proxy-not-ahead',
    title: 'kube-proxy that is not changed last',
    found: () => {
      const plan = planOf(healthy, '1.34');
      const params = paramsOf(plan, 'add-ons-target', '1.34');
      const changes = params.changes.toReversed();
      return validatePlan(
        withStep(plan, 'add-ons-target@1.34', (step) => ({ ...step, params: { ...params, changes } })),
        healthy,
      );
    },
    expected: [['add-ons-target@1.34 does not change kube-proxy last.', 'Update kube-proxy last, in add-ons-target.']],
  },
  {
    rule: 'kube-proxy-skew',
    title: 'kube-proxy that is three behind already',
    found: () => refusalOf({ ...healthy, addOns: [addOn('kube-proxy', 'v1.30.6-eksbuild.3')] }, '1.34'),
    expected: [
      [
        'kube-proxy v1.30.6-eksbuild.3 would be 4 minors behind a control plane at 1.34; 3 are allowed.',
        'Update kube-proxy to the present minor first, or use the strategy every-hop.',
      ],
    ],
  },
  {
    rule: 'kubelet-skew',
    title: 'kubelets that are three behind already; two are allowed below 1.25',
    found: () => [
      ...refusalOf({ ...healthy, kubelets: [{ minor: '1.30', count: 12, owner: 'karpenter' }] }, '1.34'),
      ...refusalOf(
        at('1.26', {
          supportedVersions: [{ version: '1.27' }],
          karpenter: undefined,
          istio: undefined,
          kubelets: [{ minor: '1.24', count: 1, owner: 'fargate' }],
        }),
        '1.27',
      ),
    ],
    expected: [
      [
        '12 Karpenter nodes at 1.30 would be 4 minors behind a control plane at 1.34; 3 are allowed.',
        'Bring these nodes to the control plane’s present minor first.',
      ],
      [
        '1 Fargate nodes at 1.24 would be 3 minors behind a control plane at 1.27; 2 are allowed.',
        'Bring these nodes to the control plane’s present minor first.',
      ],
    ],
  },
  {
    rule: 'once-at-the-end-within-skew',
    title: 'nodes that cannot wait for the last hop',
    found: () => {
      const kubelets = [{ minor: '1.30', count: 20, owner: 'karpenter' as const }];
      return refusalOf(seed002Facts({ kubelets }), '1.34', { strategy: 'once-at-the-end' });
    },
    expected: [
      [
        '20 Karpenter nodes at 1.30 would be 4 minors behind a control plane at 1.34; 3 are allowed.',
        'Use the strategy every-hop, or upgrade in two runs.',
      ],
    ],
  },
  {
    rule: 'freeze-while-the-control-plane-moves',
    title: 'a freeze that nothing lifts',
    found: () => {
      const facts = { ...healthy, kubelets: [] };
      return validatePlan(withStep(planOf(facts, '1.34'), 'karpenter-drift@1.34', undefined), facts);
    },
    expected: [
      [
        "Node pools default are still frozen at the plan's end.",
        'Put freeze-drift before the first control-plane step and karpenter-drift after the last.',
      ],
    ],
  },
  {
    rule: 'nodes-reach-the-target',
    title: 'a node group that is forgotten',
    found: () => validatePlan(withStep(planOf(healthy, '1.34'), 'node-groups@1.34', undefined), healthy),
    expected: [
      [
        '3 nodes of node group system would still be at 1.33 when the plan ends.',
        'Add the node group to node-groups, or a karpenter-drift step, in the last hop.',
      ],
    ],
  },
  {
    rule: 'one-minor-at-a-time',
    title: 'two minors in one step',
    found: () => {
      const facts = at('1.33', { karpenter: undefined, istio: undefined });
      const plan = { ...planOf(facts, '1.34'), to: '1.35', hops: ['1.35'] };
      const steps = plan.steps.map((step) => ({
        ...step,
        hop: '1.35',
        id: `${step.phase}@1.35` as const,
        params: step.params.phase === 'control-plane' ? { ...step.params, to: '1.35' } : step.params,
      }));
      return validatePlan({ ...plan, steps }, facts);
    },
    expected: [
      ['control-plane@1.35 moves the control plane from 1.33 to 1.35; EKS moves it by one minor.', 'Plan one hop for every minor.'],
    ],
  },
  {
    rule: 'order-of-one-hop',
    title: 'nodes before the bake',
    found: () => {
      const plan = planOf(healthy, '1.34');
      const bake = stepOf(plan, 'bake@1.34');
      const steps = plan.steps.flatMap((step) => (step === bake ? [] : step.phase === 'node-groups' ? [step, bake] : [step]));
      return validatePlan({ ...plan, steps }, healthy);
    },
    expected: [
      [
        'bake@1.34 stands after node-groups@1.34.',
        'Put the steps in the order pre-checks, Karpenter, Istio, add-ons, freeze, control plane, bake, node groups, drift, add-ons, validation.',
      ],
    ],
  },
  {
    rule: 'gates-before-the-irreversible',
    title: 'a control plane without a gate',
    found: () =>
      validatePlan(
        withStep(planOf(healthy, '1.34'), 'control-plane@1.34', ({ gate: _gate, ...step }) => step),
        healthy,
      ),
    expected: [['control-plane@1.34 has no gate.', 'Give the step a gate.']],
  },
  {
    rule: 'plan-fits-history',
    title: 'a mesh of two thousand namespaces',
    found: () => {
      const facts = seed002Facts();
      const namespaces = Array.from({ length: 2_000 }, (_, i) => meshNamespace(`namespace-of-team-${i}`));
      const violations = refusalOf({ ...facts, istio: facts.istio && { ...facts.istio, namespaces } }, '1.34');
      return violations.map((v) => ({ ...v, message: v.message.replace(/\d+/, 'N') }));
    },
    expected: [['The plan is N KB of JSON.', 'Choose a nearer target and upgrade in two runs, or the strategy once-at-the-end.']],
  },
];

describe('rules', () => {
  test.each(CASES)('$rule: $title', ({ rule, found, expected }) => {
    expect(found()).toEqual(expected.map(([message, remedy]) => ({ rule, message, remedy })));
  });

  test('every rule has a case, a text and a remedy; names are unique', () => {
    const names = RULES.map((rule) => rule.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !CASES.some((c) => c.rule === name))).toEqual([]);
    expect(RULES.filter((rule) => rule.text === '' || rule.remedy === '')).toEqual([]);
  });

  test('all violations come at once', () => {
    const facts = seed000Facts({ updateInProgress: { id: 'u-9', type: 'ConfigUpdate' } });
    const controlPlane = { ...facts.controlPlane, status: 'UPDATING' };
    expect(refusalOf({ ...facts, controlPlane }, '1.33').map((v) => v.rule)).toEqual([
      'cluster-active-and-healthy',
      'no-update-in-progress',
      'no-al2-from-1.33',
    ]);
    expect(refusalOf({ ...facts, controlPlane }, '1.29').map((v) => v.rule)).toEqual([
      'target-known',
      'target-above-current',
      'cluster-active-and-healthy',
      'no-update-in-progress',
    ]);
  });
});
