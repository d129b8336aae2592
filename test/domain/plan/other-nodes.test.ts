/** The step for nodes that neither EKS's node groups nor Karpenter replace. */
import { describe, expect, test } from 'vitest';
import type { ClusterFacts, KubeletFact } from '../../../domain/facts/facts.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { healthyFacts, policy } from '../../support/facts.ts';
import { findingCodes, planOf, refusalOf, stepIds } from '../../support/plans.ts';

/** A healthy cluster at 1.33 with more nodes. */
const withNodes = (more: KubeletFact[], change: Partial<ClusterFacts> = {}): ClusterFacts => {
  const facts = healthyFacts();
  return { ...facts, kubelets: [...facts.kubelets, ...more], ...change };
};

const stepOf = (facts: ClusterFacts) => planOf(facts, '1.34').steps.find(({ phase }) => phase === 'other-nodes');

test('a cluster with node groups and Karpenter alone has no such step', () => {
  expect(stepIds(planOf(healthyFacts(), '1.34')).filter((id) => id.startsWith('other-nodes'))).toEqual([]);
});

describe('Fargate', () => {
  const facts = withNodes([{ minor: '1.33', count: 3, owner: 'fargate' }], { fargateNamespaces: ['batch', 'reports'] });

  test('stands after the node groups with a gate that says how pods are replaced', () => {
    const plan = planOf(facts, '1.34');
    const ids = stepIds(plan);
    expect(ids.indexOf('other-nodes@1.34')).toBe(ids.indexOf('node-groups@1.34') + 1);
    expect(stepOf(facts)).toMatchObject({
      title: '3 pods on Fargate → 1.34',
      why: 'A pod on Fargate keeps the kubelet that it was started with: what owns the 3 pods in batch, reports is restarted, one namespace at a time.',
      gate: {
        title: 'Replace 3 pods on Fargate?',
        next: 'Belay restarts the Deployments and StatefulSets of the 3 pods on Fargate in batch, reports, by their own strategies: rollouts ignore PodDisruptionBudgets, and single replicas may be away briefly. It asks about pods that nothing recreates.',
      },
      rollback: { how: 'Fargate pods at 1.34 must be deleted before the control plane goes back, and return after it.' },
      params: { phase: 'other-nodes', to: '1.34', fargate: { podCount: 3, namespaces: ['batch', 'reports'] } },
    });
    expect(findingCodes(plan)).not.toContain('PLN042');
  });
});

describe('hybrid nodes', () => {
  const facts = withNodes([{ minor: '1.33', count: 2, owner: 'hybrid' }]);

  test('are nobody’s step, are told, and do not hold the plan up', () => {
    const plan = planOf(facts, '1.34');
    expect(stepOf(facts)).toBeUndefined();
    expect(plan.findings.find(({ code }) => code === 'PLN057')).toMatchObject({
      severity: 'recommended',
      message: 'Hybrid nodes (2 at 1.33) stay as they are: the plan neither upgrades them nor waits for them.',
      remediation: 'Upgrade them with nodeadm, after the control plane has moved to 1.34.',
    });
  });

  test('that would lag too far refuse it', () => {
    const behind = withNodes([{ minor: '1.30', count: 1, owner: 'hybrid' }]);
    expect(refusalOf(behind, '1.34').map(({ rule }) => rule)).toEqual(['kubelet-skew']);
  });
});

describe('self-managed nodes', () => {
  const nodes: KubeletFact[] = [{ minor: '1.33', count: 2, owner: 'self-managed' }];
  const facts = withNodes(nodes, { selfManagedGroups: [{ name: 'batch', size: 2 }] });

  test('are asked for', () => {
    expect(stepOf(facts)).toMatchObject({
      title: '2 self-managed nodes → 1.34',
      why: 'EKS moves neither the 2 self-managed nodes of batch nor their AMI.',
      gate: {
        next: 'Belay asks you to replace the 2 self-managed nodes of batch, with the commands, and waits until their kubelets are at 1.34.',
      },
      params: { selfManaged: { nodeCount: 2, groups: [{ name: 'batch', size: 2 }] } },
    });
  });

  test('one step for all kinds of them', () => {
    const both = withNodes([...nodes, { minor: '1.33', count: 1, owner: 'fargate' }]);
    expect(stepOf(both)).toMatchObject({
      title: '1 pod on Fargate, 2 self-managed nodes → 1.34',
      params: { selfManaged: { groups: [] } },
    });
  });
});

describe('a Cluster Autoscaler', () => {
  const clusterAutoscaler = { namespace: 'kube-system', name: 'cluster-autoscaler', replicas: 2 };
  const gateOf = (facts: ClusterFacts, change: Partial<UpgradePolicy> = {}) =>
    planOf(facts, '1.34', { policy: policy(change) }).steps.find(({ phase }) => phase === 'node-groups')?.gate?.next;
  const nodeGroups = { clusterAutoscaler: 'pause', selfManaged: 'ask' } as const;

  test('is paused while node groups move, and the gate says so', () => {
    expect(gateOf(healthyFacts({ clusterAutoscaler }), { nodeGroups })).toBe(
      'EKS drains and replaces 3 nodes of system. Meanwhile Cluster Autoscaler kube-system/cluster-autoscaler is scaled to 0, and back to 2 replicas afterwards.',
    );
  });

  test('is asked for where GitOps would undo it', () => {
    expect(gateOf(healthyFacts({ clusterAutoscaler: { ...clusterAutoscaler, deliveredBy: 'argocd' } }), { nodeGroups })).toBe(
      'EKS drains and replaces 3 nodes of system. Before it you are asked to scale Cluster Autoscaler kube-system/cluster-autoscaler to 0 through argocd, which would undo it otherwise, and back afterwards.',
    );
  });

  test('is named with every other one beside it', () => {
    const others = [{ namespace: 'kube-system', name: 'gpu-autoscaler', replicas: 1 }];
    expect(gateOf(healthyFacts({ clusterAutoscaler: { ...clusterAutoscaler, others } }), { nodeGroups })).toBe(
      'EKS drains and replaces 3 nodes of system. Meanwhile Cluster Autoscaler kube-system/cluster-autoscaler is scaled to 0, and back to 2 replicas afterwards. Meanwhile Cluster Autoscaler kube-system/gpu-autoscaler is scaled to 0, and back to 1 replica afterwards.',
    );
  });

  test('is left alone where belay.yaml says so', () => {
    const left = { nodeGroups: { clusterAutoscaler: 'leave' as const, selfManaged: 'ask' as const } };
    expect(gateOf(healthyFacts({ clusterAutoscaler }), left)).toBe('EKS drains and replaces 3 nodes of system.');
  });
});

test('self-managed nodes are refreshed where belay.yaml says so, with the autoscaler paused; without groups they are asked for', () => {
  const kubelets: ClusterFacts['kubelets'] = [{ minor: '1.33', count: 2, owner: 'self-managed' }];
  const clusterAutoscaler = { namespace: 'kube-system', name: 'cluster-autoscaler', replicas: 2 };
  const nodeGroups = { clusterAutoscaler: 'pause', selfManaged: 'refresh', minHealthyPercent: 90 } as const;
  const facts = { kubelets, clusterAutoscaler, selfManagedGroups: [{ name: 'batch', size: 2 }] };
  const of = (change: Partial<ClusterFacts>) =>
    planOf(healthyFacts({ ...facts, ...change }), '1.34', { policy: policy({ nodeGroups }) }).steps.find(
      ({ phase }) => phase === 'other-nodes',
    );
  expect(of({})).toMatchObject({
    gate: { next: expect.stringMatching(/are replaced by an instance refresh, and asks before each; .* Meanwhile Cluster Autoscaler/) },
    params: { selfManaged: { groups: [{ name: 'batch' }], refresh: { minHealthyPercent: 90, autoscaler: clusterAutoscaler } } },
  });
  expect(of({ selfManagedGroups: [] })?.params).toMatchObject({ selfManaged: { nodeCount: 2, groups: [] } });
  expect(JSON.stringify(of({ selfManagedGroups: [] })?.params)).not.toContain('refresh');
});

test('an istiod that is alone gets company in each step that moves nodes, and the pre-checks know', () => {
  const healthy = healthyFacts();
  if (healthy.istio === undefined) throw new Error('there is a mesh');
  const plan = planOf(healthyFacts({ istio: { ...healthy.istio, loneBudgets: ['istio-system/istiod'] } }), '1.34');
  const params = (phase: string) => plan.steps.find((step) => step.phase === phase)?.params;
  expect(params('pre-checks')).toMatchObject({ spared: ['istio-system/istiod'] });
  expect([params('node-groups'), params('karpenter-drift')]).toMatchObject([{ spareIstiod: true }, { spareIstiod: true }]);
  const words = plan.steps.find(({ phase }) => phase === 'node-groups')?.gate?.next;
  expect(words).toContain('Meanwhile istiod behind istio-system/istiod runs with two replicas, since its budget lets the only one not go');
  expect(JSON.stringify(planOf(healthy, '1.34').steps)).not.toContain('spareIstiod');
});

describe('EKS Auto Mode', () => {
  const healthy = healthyFacts();
  const autoMode: ClusterFacts = {
    ...healthy,
    controlPlane: { ...healthy.controlPlane, autoMode: true },
    nodeGroups: [],
    addOns: [],
    karpenter: undefined,
    istio: undefined,
    kubelets: [{ minor: '1.33', count: 5, owner: 'auto-mode' }],
    autoModePools: [
      { name: 'general-purpose', builtIn: true, nodeCount: 2 },
      { name: 'batch', builtIn: false, nodeCount: 3 },
    ],
  };

  test('pools of one’s own are frozen and paced, those of EKS are watched without a gate', () => {
    const plan = planOf(autoMode, '1.34');
    expect(plan.steps.map(({ id, title, gate }) => [id, title, gate !== undefined])).toEqual([
      ['pre-checks@1.34', 'Pre-checks for 1.34', true],
      ['freeze-drift@1.34', 'Freeze Auto Mode', false],
      ['control-plane@1.34', 'Control plane 1.33 → 1.34', true],
      ['bake@1.34', 'Verify and watch 1.34', false],
      ['other-nodes@1.34', '2 Auto Mode nodes → 1.34', false],
      ['karpenter-drift@1.34', 'Auto Mode nodes → 1.34', true],
      ['validation@1.34', 'Validate 1.34', false],
    ]);
    expect(stepOf(autoMode)?.params).toEqual({ phase: 'other-nodes', to: '1.34', autoMode: { nodeCount: 2, frozenPools: ['batch'] } });
    expect(plan.strategies[0]?.nodeReplacementCount).toBe(5);
    expect(plan.findings.find(({ code }) => code === 'PLN050')?.message).toBe(
      'EKS replaces the nodes of general-purpose after each control-plane move; the budgets of built-in pools cannot be edited, so no freeze and no gate holds them back.',
    );
  });

  test('where EKS’s own pools have no node, nothing rolls by itself', () => {
    const autoModePools = autoMode.autoModePools?.map((pool) => (pool.builtIn ? { ...pool, nodeCount: 0 } : pool));
    expect(findingCodes(planOf({ ...autoMode, ...(autoModePools === undefined ? {} : { autoModePools }) }, '1.34'))).not.toContain(
      'PLN050',
    );
  });

  test('pools that could not be read are taken for EKS’s own: nothing is frozen, and all nodes are watched', () => {
    const { autoModePools: _unread, ...blind } = autoMode;
    const plan = planOf(blind, '1.34');
    expect(stepIds(plan)).not.toContain('freeze-drift@1.34');
    expect(stepOf(blind)?.params).toMatchObject({ autoMode: { nodeCount: 5, frozenPools: [] } });
    expect(findingCodes(plan)).toContain('PLN050');
  });
});
