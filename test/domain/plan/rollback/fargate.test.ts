/** Newer pods on Fargate: what a way back does about them, and when it is refused. */
import { describe, expect, test } from 'vitest';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { backFindings } from '../../../../domain/plan/rollback/findings.ts';
import { planRollback } from '../../../../domain/plan/rollback/plan-rollback.ts';
import type { FargateBack, SeenForBack } from '../../../../domain/plan/rollback/evidence.ts';
import type { FargateBackPolicy, UpgradePolicy } from '../../../../domain/policy/policy.ts';
import { newerApis } from '../../../../domain/facts/newer-apis.ts';
import { wayBack } from '../../../../domain/facts/rollback-window.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import { addOn, healthyFacts, NOW, policy } from '../../../support/facts.ts';

const YESTERDAY = new Date(Date.parse(NOW) - 24 * 3_600_000).toISOString();
const worker = { kind: 'Deployment' as const, namespace: 'batch', name: 'worker', replicas: 2 };

function seen(change: Partial<FargateBack> | string = {}): SeenForBack {
  const back = wayBack('1.33', [{ type: 'VersionUpdate', to: '1.33', createdAt: YESTERDAY }], NOW);
  const none = { podCount: 2, workloads: [worker], stuck: [], dns: false, cronJobs: [], budgets: [] };
  const nothingNewer = newerApis(parseKubernetesVersion('1.33')).map((api) => ({ api, objects: [] }));
  return { back, newerApis: nothingNewer, fargate: typeof change === 'string' ? change : { ...none, ...change } };
}

/** Two newer pods on Fargate; nothing else is newer. */
function facts(change: Partial<ClusterFacts> = {}): ClusterFacts {
  const base = healthyFacts({ karpenter: undefined });
  return {
    ...base,
    nodeGroups: base.nodeGroups.map((group) => ({ ...group, version: '1.32' })),
    kubelets: [
      { minor: '1.32', count: 3, owner: 'node-group' },
      { minor: '1.33', count: 2, owner: 'fargate' },
    ],
    addOns: [addOn('aws-ebs-csi-driver', 'v1.38.1-eksbuild.1')],
    ...change,
  };
}

const asked = (fargate: FargateBackPolicy, change: Partial<UpgradePolicy> = {}): UpgradePolicy =>
  policy({ rollback: { fargate }, ...change });
const refusals = (looked: SeenForBack, wanted: UpgradePolicy): string[] => {
  const result = planRollback(facts(), looked, wanted);
  return result.kind === 'plan' ? [] : result.violations.map(({ message, remedy }) => `${message} ${remedy}`);
};

describe('newer pods on Fargate', () => {
  test('are taken down in the step of the control plane, and the plan says so in plain words', () => {
    const result = planRollback(facts(), seen(), asked('stop'));
    if (result.kind === 'refused') throw new Error(result.violations.map(({ message }) => message).join());
    const { plan } = result;
    const step = plan.steps.find(({ phase }) => phase === 'control-plane-back');
    expect(step?.params).toMatchObject({ fargate: { podCount: 2, workloadCount: 1 } });
    const words =
      'Before that 1 workload with 2 pods on Fargate is scaled to 0, behind a gate of its own, and DOWN until the control plane is back at 1.32.';
    expect(step?.gate?.next).toContain(words);
    expect(step?.why).toContain(words);
    expect(plan.findings).toMatchObject([
      {
        code: 'RBK005',
        severity: 'recommended',
        message:
          '2 fargate nodes run a kubelet newer than 1.32, which no control plane at 1.32 may have. Deployment batch/worker is stopped, behind a gate, until the control plane is back.',
        remediation: 'Tell whoever uses them: they are DOWN meanwhile.',
      },
    ]);
  });

  test('who may start them again is named', () => {
    const result = planRollback(facts(), seen({ workloads: [{ ...worker, keptBy: 'Argo CD' }] }), asked('stop'));
    expect(result.kind === 'plan' ? result.plan.findings[0]?.remediation : '').toBe(
      'Tell whoever uses them: they are DOWN meanwhile. Argo CD may start Deployment batch/worker again: suspend the sync of these until the control plane is back.',
    );
  });

  test('CoreDNS among them is said again where people have allowed it', () => {
    const result = planRollback(facts(), seen({ dns: true }), asked('stop-with-dns'));
    const step = result.kind === 'plan' ? result.plan.steps.find(({ phase }) => phase === 'control-plane-back') : undefined;
    expect(step?.params).toMatchObject({ fargate: { dns: true } });
    expect(step?.gate?.next).toContain('CoreDNS is among them: no name resolves in the cluster meanwhile.');
  });

  test.each([
    {
      what: 'nobody has allowed it',
      looked: seen(),
      wanted: asked('refuse'),
      says: /^2 fargate nodes run a kubelet newer than 1\.32.*Scale what runs on Fargate to 0.*clusters\.prod\.rollback\.fargate: stop in belay\.yaml\.$/,
    },
    { what: 'a run from before there was a choice', looked: seen(), wanted: policy(), says: /Scale what runs on Fargate to 0/ },
    {
      what: 'a Job',
      looked: seen({ stuck: [{ workload: 'Job batch/import', why: 'Wait until it has ended' }] }),
      wanted: asked('stop'),
      says: /Belay does not stop Job batch\/import\. Wait until it has ended; then ask again\.$/,
    },
    {
      what: 'CoreDNS without a word of its own',
      looked: seen({ dns: true }),
      wanted: asked('stop'),
      says: /while it is stopped no name resolves in the whole cluster\..*rollback\.fargate: stop-with-dns\.$/,
    },
    {
      what: 'Terraform owns the control plane',
      looked: seen(),
      wanted: asked('stop', { managedBy: { ...policy().managedBy, controlPlane: 'terraform' } }),
      says: /Terraform takes the control plane back, and nobody knows when/,
    },
    { what: 'a node without a pod', looked: seen({ podCount: 0, workloads: [] }), wanted: asked('stop'), says: /Belay sees no pod on it/ },
  ])('refused: $what', ({ looked, wanted, says }) => {
    expect(refusals(looked, wanted)).toEqual([expect.stringMatching(says)]);
  });

  test('what owns them cannot be seen: unknown, which stops the first step', () => {
    const findings = backFindings({
      facts: facts(),
      seen: seen('listing pods: forbidden'),
      backTo: parseKubernetesVersion('1.32'),
      policy: asked('stop'),
      later: ['control-plane-back'],
    });
    expect(findings.find(({ code }) => code === 'RBK005')).toMatchObject({ status: 'unknown', severity: 'required' });
  });

  test('right before EKS is asked, one that is up again stands in its way, and EKS’s own insight counts', () => {
    const judge = (later: 'control-plane-back'[]) =>
      backFindings({
        facts: facts(),
        seen: { ...seen(), insights: [{ name: 'Kubelets', category: 'ROLLBACK_READINESS', status: 'ERROR' }] },
        backTo: parseKubernetesVersion('1.32'),
        policy: asked('stop'),
        later,
      })
        .filter(({ code, severity }) => /RBK00[59]/.test(code) && severity === 'required')
        .map(({ code }) => code);
    expect(judge([])).toEqual(['RBK005', 'RBK009']);
    expect(judge(['control-plane-back'])).toEqual([]);
  });
});
