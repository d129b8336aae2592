/** Newer nodes of Auto Scaling groups of one's own: a way back refreshes them where belay.yaml lets it, before the control plane. */
import { expect, test } from 'vitest';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { backFindings } from '../../../../domain/plan/rollback/findings.ts';
import { planRollback } from '../../../../domain/plan/rollback/plan-rollback.ts';
import type { PhaseId } from '../../../../domain/core/phases.ts';
import type { UpgradePolicy } from '../../../../domain/policy/policy.ts';
import { wayBack } from '../../../../domain/facts/rollback-window.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import { addOn, healthyFacts, NOW, policy } from '../../../support/facts.ts';

const YESTERDAY = new Date(Date.parse(NOW) - 24 * 3_600_000).toISOString();
const seen = { back: wayBack('1.33', [{ type: 'VersionUpdate', to: '1.33', createdAt: YESTERDAY }], NOW) };
const asked = (selfManaged: 'refresh' | 'ask'): UpgradePolicy =>
  policy({ nodeGroups: { clusterAutoscaler: 'pause', selfManaged, minHealthyPercent: 90 } });

function facts(change: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    ...healthyFacts({ karpenter: undefined }),
    nodeGroups: [],
    kubelets: [{ minor: '1.33', count: 3, owner: 'self-managed' }],
    selfManagedGroups: [{ name: 'batch', size: 3 }],
    clusterAutoscaler: { namespace: 'kube-system', name: 'cluster-autoscaler', replicas: 2 },
    addOns: [addOn('kube-proxy', 'v1.33.3-eksbuild.4')],
    ...change,
  };
}

test('refreshed behind a gate, after what EKS and Karpenter move and before add-ons and the control plane; the autoscaler stands still', () => {
  const result = planRollback(facts(), seen, asked('refresh'));
  if (result.kind === 'refused') throw new Error(result.violations.map(({ message }) => message).join());
  const { plan } = result;
  expect(plan.steps.map(({ phase }) => phase)).toEqual([
    'rollback-checks',
    'other-nodes',
    'add-ons-back',
    'control-plane-back',
    'validation',
  ]);
  expect(plan.steps[0]?.gate?.next).toContain(
    'The rollback from 1.33 to 1.32 begins with checks, then rolls back 3 self-managed nodes and 1 add-on. The control plane has its own gate.',
  );
  expect(plan.steps[1]).toMatchObject({
    id: 'other-nodes@1.32',
    title: '3 self-managed nodes back to 1.32',
    gate: { title: 'Replace the 3 self-managed nodes of batch by 1.32?' },
    params: {
      to: '1.32',
      back: true,
      selfManaged: { nodeCount: 3, groups: [{ name: 'batch' }], refresh: { minHealthyPercent: 90, autoscaler: { replicas: 2 } } },
    },
  });
  expect(plan.findings.find(({ code }) => code === 'RBK005')).toMatchObject({
    severity: 'recommended',
    message: '3 self-managed nodes run a kubelet newer than 1.32, which no control plane at 1.32 may have. Auto Scaling groups: batch.',
  });
});

test.each([
  { what: 'belay.yaml has people do it', wanted: asked('ask'), change: {} },
  { what: 'no group is known', wanted: asked('refresh'), change: { selfManagedGroups: undefined } },
])('refused where $what', ({ wanted, change }) => {
  const result = planRollback(facts(change), seen, wanted);
  expect(result.kind === 'refused' ? result.violations : []).toEqual([
    {
      rule: 'RBK005',
      message: '3 self-managed nodes run a kubelet newer than 1.32, which no control plane at 1.32 may have.',
      remedy:
        "Point the launch template of their Auto Scaling groups at an image of 1.32 and refresh the instances; or let Belay do it, for groups that carry the cluster's tag: nodeGroups.selfManaged: refresh in belay.yaml.",
    },
  ]);
});

test('nodes that are older already are left alone', () => {
  const result = planRollback(facts({ kubelets: [{ minor: '1.31', count: 3, owner: 'self-managed' }] }), seen, asked('refresh'));
  expect(result.kind === 'plan' ? result.plan.steps.map(({ phase }) => phase) : []).not.toContain('other-nodes');
});

test('right before EKS is asked, one that is still newer stands in its way', () => {
  const judge = (later: PhaseId[]) =>
    backFindings({ facts: facts(), seen, backTo: parseKubernetesVersion('1.32'), policy: asked('refresh'), later }).find(
      ({ code }) => code === 'RBK005',
    );
  expect(judge(['other-nodes'])).toMatchObject({ severity: 'recommended' });
  expect(judge([])).toMatchObject({ status: 'fail', severity: 'required' });
});
