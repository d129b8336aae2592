/** The way back of a control plane: its plan, and every reason why there is none. */
import { describe, expect, test } from 'vitest';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { backFindings } from '../../../../domain/plan/rollback/findings.ts';
import { planRollback } from '../../../../domain/plan/rollback/plan-rollback.ts';
import type { SeenForBack } from '../../../../domain/plan/rollback/evidence.ts';
import type { UpgradePolicy } from '../../../../domain/policy/policy.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import { wayBack } from '../../../../domain/facts/rollback-window.ts';
import { addOn, healthyFacts, NOW, policy } from '../../../support/facts.ts';
import { unread } from '../../../support/unread.ts';

const DAY_MS = 24 * 3_600_000;
/** Moved up this many days ago. */
const movedUp = (days: number): SeenForBack => ({
  back: wayBack('1.33', [{ type: 'VersionUpdate', to: '1.33', createdAt: new Date(Date.parse(NOW) - days * DAY_MS).toISOString() }], NOW),
});

/** At 1.33 for two days, nodes still at 1.32, no Karpenter: only kube-proxy has to go down. */
function moved(change: Partial<ClusterFacts> = {}): ClusterFacts {
  const base = healthyFacts({ karpenter: undefined });
  return {
    ...base,
    nodeGroups: base.nodeGroups.map((group) => ({ ...group, version: '1.32' })),
    kubelets: [{ minor: '1.32', count: 3, owner: 'node-group' }],
    addOns: [addOn('kube-proxy', 'v1.33.3-eksbuild.4'), addOn('aws-ebs-csi-driver', 'v1.38.1-eksbuild.1')],
    ...change,
  };
}

function planned(facts: ClusterFacts, seen = movedUp(2), change: Partial<UpgradePolicy> = {}) {
  const result = planRollback(facts, seen, policy(change));
  if (result.kind === 'refused') throw new Error(result.violations.map(({ message }) => message).join('\n'));
  return result.plan;
}

function refusals(facts: ClusterFacts, seen = movedUp(2)): string[] {
  const result = planRollback(facts, seen, policy());
  return result.kind === 'plan' ? [] : result.violations.map(({ message, remedy }) => `${message} ${remedy}`);
}

describe('the plan of a way back', () => {
  test('on day 2, nodes older: kube-proxy, then the control plane, behind gates; a plan with a hash like any other', () => {
    const plan = planned(moved());
    expect(plan).toMatchObject({ kind: 'back', from: '1.33', to: '1.32', hops: ['1.32'] });
    expect(plan.steps.map(({ id }) => id)).toEqual([
      'rollback-checks@1.32',
      'add-ons-back@1.32',
      'control-plane-back@1.32',
      'validation@1.32',
    ]);
    expect(plan.steps.filter(({ gate }) => gate !== undefined).map(({ phase }) => phase)).toEqual([
      'rollback-checks',
      'control-plane-back',
    ]);
    expect(plan.steps[1]?.params).toMatchObject({ changes: [{ name: 'kube-proxy', to: 'v1.32.0-eksbuild.2' }] });
    expect(plan.hash).toBe(planned(moved()).hash);
    expect(planned(moved(), movedUp(3)).hash).not.toBe(plan.hash);
  });

  test('A28: node groups that are newer go first', () => {
    const facts = moved();
    const newer = {
      ...facts,
      nodeGroups: facts.nodeGroups.map((group) => ({ ...group, version: '1.33' })),
      kubelets: healthyFacts().kubelets.slice(0, 1),
    };
    const plan = planned(newer);
    expect(plan.steps.map(({ phase }) => phase)).toEqual([
      'rollback-checks',
      'node-groups',
      'add-ons-back',
      'control-plane-back',
      'validation',
    ]);
    expect(plan.steps[1]).toMatchObject({ params: { to: '1.32', back: true, groups: [{ name: 'system', from: '1.33' }] } });
    expect(plan.steps[1]?.gate?.title).toContain('system');
  });

  test('Terraform is asked, and warned of stale applies', () => {
    const plan = planned(moved(), movedUp(2), { managedBy: { ...policy().managedBy, controlPlane: 'terraform' } });
    expect(plan.steps.find(({ phase }) => phase === 'control-plane-back')?.params).toMatchObject({ managedBy: 'terraform' });
    expect(plan.findings.map(({ message }) => message).join()).toContain('even a stale one');
  });

  test('what cannot be seen is told in the plan', () => {
    const blind = moved({ unknowns: [unread('the nodes', 'not permitted')], kubelets: [] });
    expect(planned(blind).findings).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ code: 'RBK005', status: 'unknown', severity: 'required' })]),
    );
  });
});

describe('what stands against it', () => {
  const karpenter = healthyFacts().karpenter;
  const REFUSED: { what: string; facts: ClusterFacts; seen?: SeenForBack; says: RegExp }[] = [
    { what: 'day 8', facts: moved(), seen: movedUp(8), says: /can roll prod back to 1\.32 ended on 2026-09-07 09:00 UTC/ },
    {
      what: 'created at this version',
      facts: moved(),
      seen: { back: { kind: 'none', why: 'never-moved' } },
      says: /no update that moved prod to 1\.33: a cluster cannot be rolled back below the version it was created with/,
    },
    { what: 'rolled back already', facts: moved(), seen: { back: { kind: 'none', why: 'rolled-back' } }, says: /only the last hop/ },
    {
      what: 'an update runs',
      facts: moved({ updateInProgress: { id: 'u-9', type: 'ConfigUpdate' } }),
      says: /busy with ConfigUpdate \(u-9\)/,
    },
    {
      what: 'extended support is not paid for',
      facts: moved({ controlPlane: { ...healthyFacts().controlPlane, supportType: 'STANDARD' } }),
      says: /--upgrade-policy supportType=EXTENDED/,
    },
    {
      what: 'F38: nor where EKS calls the cluster otherwise',
      facts: moved({
        cluster: { ...healthyFacts().cluster, eksName: 'main' },
        controlPlane: { ...healthyFacts().controlPlane, supportType: 'STANDARD' },
      }),
      says: /the upgrade policy of prod is STANDARD.*--name main --region eu-central-1 --upgrade-policy supportType=EXTENDED/s,
    },
    {
      what: 'newer Karpenter nodes',
      facts: moved({ kubelets: [{ minor: '1.33', count: 2, owner: 'karpenter' }] }),
      says: /2 karpenter nodes run a kubelet newer than 1\.32.*amiSelectorTerms/,
    },
    {
      what: 'newer pods on Fargate',
      facts: moved({ kubelets: [{ minor: '1.33', count: 1, owner: 'fargate' }] }),
      says: /Scale what runs on Fargate to 0/,
    },
    {
      what: 'Karpenter would launch newer nodes, and there is no image to pin',
      facts: moved({ karpenter }),
      says: /EC2NodeClass default would launch nodes newer than 1\.32.*no image of al2023@latest for 1\.32.*Stop drift first/,
    },
    {
      what: 'an add-on that no older version replaces',
      facts: moved({
        addOns: [
          addOn('kube-proxy', 'v1.33.3-eksbuild.4', {
            offered: {
              '1.33': [{ version: 'v1.33.3-eksbuild.4', isDefault: true }],
              '1.32': [{ version: 'v1.32.0-eksbuild.2', isDefault: true }],
            },
          }),
        ],
      }),
      says: /no older version that both minors take/,
    },
  ];
  test.each(REFUSED)('$what', ({ facts, seen, says }) => {
    expect(refusals(facts, seen).join('\n')).toMatch(says);
  });

  test('Karpenter whose images are held by id launches nothing newer', () => {
    const held =
      karpenter === undefined
        ? undefined
        : { ...karpenter, nodeClasses: karpenter.nodeClasses.map((each) => ({ ...each, alias: undefined, selects: 'ids' as const })) };
    expect(refusals(moved({ karpenter: held }))).toEqual([]);
  });
});

describe('the checks of the steps', () => {
  const judge = (seen: SeenForBack, later: ('node-groups' | 'add-ons-back')[] = []) =>
    backFindings({ facts: moved({ addOns: [] }), seen, backTo: parseKubernetesVersion('1.32'), policy: policy(), later }).find(
      ({ code }) => code === 'RBK009',
    );
  const insight = (status: 'PASSING' | 'ERROR' | 'UNKNOWN') => ({
    ...movedUp(2),
    insights: [{ name: 'Kubelets', category: 'ROLLBACK_READINESS' as const, status }],
  });

  test.each([
    { what: 'EKS says ERROR', seen: insight('ERROR'), is: { status: 'fail', severity: 'required' } },
    { what: 'EKS cannot say', seen: insight('UNKNOWN'), is: { status: 'unknown', severity: 'required' } },
    { what: 'EKS says it is ready', seen: insight('PASSING'), is: { status: 'pass' } },
    { what: 'it could not be asked', seen: { ...movedUp(2), insights: 'access denied' }, is: { status: 'unknown', severity: 'required' } },
  ])('$what', ({ seen, is }) => {
    expect(judge(seen)).toMatchObject(is);
  });

  test('an error that a later step mends does not stop the first', () => {
    expect(judge(insight('ERROR'), ['node-groups'])).toMatchObject({ severity: 'recommended' });
  });
});
