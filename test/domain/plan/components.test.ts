import { describe, expect, test } from 'vitest';
import type { AddOnFact, ClusterFacts, IstioFact } from '../../../domain/facts/facts.ts';
import { addOn, healthyFacts, meshNamespace, policy, seed000Facts, seed002Facts } from '../../support/facts.ts';
import { findingCodes, paramsOf, planOf, refusalOf, stepIds } from '../../support/plans.ts';

describe('Karpenter controller', () => {
  const withKarpenter = (facts: ClusterFacts, version: string): ClusterFacts =>
    facts.karpenter === undefined ? facts : { ...facts, karpenter: { ...facts.karpenter, version } };

  test('a version that supports both minors stays', () => {
    expect(stepIds(planOf(withKarpenter(seed000Facts(), '1.2.0'), '1.32'))).not.toContain('karpenter-controller@1.32');
  });

  test('a version that serves only the first hop changes in the second', () => {
    const plan = planOf(withKarpenter(seed002Facts(), '1.5.2'), '1.34');
    expect(stepIds(plan)).not.toContain('karpenter-controller@1.33');
    expect(paramsOf(plan, 'karpenter-controller', '1.34')).toMatchObject({ from: '1.5.2', to: '1.6.8', minimum: '1.6.0' });
  });

  test('a version that nobody can read, or that is newer than the table, is unknown and not fine', () => {
    for (const version of ['unknown', '1.20.0']) {
      const plan = planOf(withKarpenter(healthyFacts(), version), '1.34');
      expect(plan.findings).toContainEqual(expect.objectContaining({ code: 'PLN011', severity: 'required', status: 'unknown' }));
    }
  });

  test('preconditions of all minors on the way are told', () => {
    const finding = planOf(seed002Facts(), '1.34').findings.find((f) => f.code === 'PLN013');
    expect(finding).toMatchObject({ severity: 'required', status: 'unknown' });
    expect(finding?.message).toContain('storedVersions of the CRDs must be ["v1"]');
    expect(finding?.message).not.toContain('iam:ListInstanceProfiles');
  });
});

describe('Istio', () => {
  const istio = (change: Partial<IstioFact>): IstioFact => ({
    revisions: [{ revision: '1-26', version: '1.26.2', namespace: 'istio-system', ready: true }],
    tags: [],
    namespaces: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => meshNamespace(name)),
    hasCniOrZtunnel: false,
    ...change,
  });
  const path = (plan: ReturnType<typeof planOf>, hop: string) =>
    paramsOf(plan, 'istio', hop).canaries.map((c) => `${c.fromRevision} → ${c.toRevision}`);

  test('seed-002 goes 1.26 → 1.28 → 1.30 in the first hop', () => {
    const plan = planOf(seed002Facts(), '1.34');
    expect(path(plan, '1.33')).toEqual(['1-26 → 1-28', '1-28 → 1-30']);
    expect(findingCodes(plan)).not.toContain('PLN023');
  });

  test('the way is the same while 1.28 is still maintained', () => {
    expect(path(planOf(seed002Facts(), '1.34', { now: '2026-03-02T09:00:00Z' }), '1.33')).toEqual(['1-26 → 1-28', '1-28 → 1-30']);
  });

  test('1.31 is chosen once it is there, and not for one canary more while 1.30 is maintained', () => {
    const from = (minor: string, now: string): string[] => {
      const revision = minor.replace('.', '-');
      const mesh = istio({
        revisions: [{ revision, version: `${minor}.2`, namespace: 'istio-system', ready: true }],
        namespaces: [meshNamespace('a', { selector: revision, revision })],
      });
      return path(planOf(healthyFacts({ istio: mesh }), '1.34', { now }), '1.34');
    };
    expect(from('1.27', '2026-08-30T09:00:00Z')).toEqual(['1-27 → 1-29', '1-29 → 1-30']);
    expect(from('1.27', '2026-09-08T09:00:00Z')).toEqual(['1-27 → 1-29', '1-29 → 1-31']);
    expect(from('1.26', '2026-09-08T09:00:00Z')).toEqual(['1-26 → 1-28', '1-28 → 1-30']);
  });

  describe('node agents', () => {
    const agent = (kind: 'istio-cni' | 'ztunnel', version: string) => ({
      kind,
      namespace: 'istio-system',
      daemonSet: kind === 'ztunnel' ? 'ztunnel' : 'istio-cni-node',
      version,
    });
    const moves = (nodeAgents: IstioFact['nodeAgents'], change: Partial<IstioFact> = {}) => {
      const plan = planOf(seed002Facts({ istio: istio({ hasCniOrZtunnel: true, nodeAgents, ...change }) }), '1.34');
      const { canaries } = paramsOf(plan, 'istio', '1.33');
      const said = (changes: (typeof canaries)[number]['agentsAfter']) =>
        (changes ?? []).map(({ kind, from, toMinor }) => `${kind} ${from} → ${toMinor}`);
      return { plan, moves: canaries.map((canary) => [said(canary.agentsBefore), canary.toMinor, said(canary.agentsAfter)]) };
    };

    test('follow each istiod after its canary, istio-cni first; the plan says that there is no canary for them', () => {
      const { plan, moves: seen } = moves([agent('istio-cni', '1.26.2'), agent('ztunnel', '1.26.2')]);
      expect(seen).toEqual([
        [[], '1.27', ['istio-cni 1.26.2 → 1.27', 'ztunnel 1.26.2 → 1.27']],
        [[], '1.28', ['istio-cni 1.27 → 1.28', 'ztunnel 1.27 → 1.28']],
        [[], '1.29', ['istio-cni 1.28 → 1.29', 'ztunnel 1.28 → 1.29']],
        [[], '1.30', ['istio-cni 1.29 → 1.30', 'ztunnel 1.29 → 1.30']],
      ]);
      expect(plan.steps.find(({ phase }) => phase === 'istio')?.why).toContain(
        'istio-cni and ztunnel follow each istiod in place (8 rollouts), behind a gate: there is no canary for them, even with revisions. While istio-cni restarts on a node no pod starts there; a restart of ztunnel ends the long-lived connections of its node.',
      );
    });

    test('one that lags already comes up first: the next istiod would be two minors ahead of it', () => {
      expect(moves([agent('istio-cni', '1.25.0')]).moves[0]).toEqual([['istio-cni 1.25.0 → 1.26'], '1.27', ['istio-cni 1.26 → 1.27']]);
    });

    test('ambient namespaces are named with what Belay does not do for them', () => {
      const { plan } = moves([agent('ztunnel', '1.26.2')], { ambient: ['batch'] });
      expect(plan.findings.find(({ code }) => code === 'PLN026')).toMatchObject({
        message:
          'The traffic of batch goes through ztunnel, which has no canary: Belay upgrades istio-cni and ztunnel in place after istiod, behind a gate. Waypoints (Gateways of class istio-waypoint) move as gateways do, in a wave.',
      });
    });
  });

  test('one minor at a time where istio-cni or ztunnel run', () => {
    const plan = planOf(seed002Facts({ istio: istio({ hasCniOrZtunnel: true }) }), '1.34');
    expect(path(plan, '1.33')).toEqual(['1-26 → 1-27', '1-27 → 1-28', '1-28 → 1-29', '1-29 → 1-30']);
  });

  test('stopping past the end of life is a finding', () => {
    const facts = healthyFacts();
    const onlyOneHop = {
      ...facts,
      controlPlane: { ...facts.controlPlane, version: '1.30' },
      supportedVersions: [],
      nodeGroups: [],
      kubelets: [],
      karpenter: undefined,
      addOns: [],
      istio: istio({
        revisions: [{ revision: 'default', version: '1.23.4', namespace: 'istio-system', ready: true }],
        namespaces: [meshNamespace('a', { mode: 'injection-label', selector: 'default', revision: 'default' })],
      }),
    };
    const plan = planOf(onlyOneHop, '1.31');
    expect(path(plan, '1.31')).toEqual(['default → 1-25']);
    expect(plan.findings).toContainEqual(
      expect.objectContaining({
        code: 'PLN023',
        severity: 'recommended',
        status: 'fail',
        message: 'The plan ends with revision 1-25 (1.25), past its end of life (2025-09-30).',
      }),
    );
  });

  test('only revisions past their end of life are named with its date', () => {
    const revision = (name: string, version: string) => ({ revision: name, version, namespace: 'istio-system', ready: true });
    const facts = healthyFacts({
      istio: istio({
        revisions: [revision('1-28', '1.28.3'), revision('1-30', '1.30.1')],
        namespaces: [
          meshNamespace('a', { selector: '1-28', revision: '1-28' }),
          meshNamespace('b', { selector: '1-30', revision: '1-30' }),
        ],
      }),
    });
    expect(
      planOf(facts, '1.34')
        .findings.filter(({ code }) => code === 'PLN023')
        .map(({ message }) => message),
    ).toEqual(['The plan ends with revision 1-28 (1.28.3), past its end of life (2026-07-01).']);
  });

  test('an installed revision of the wanted minor keeps its name', () => {
    const revisions = [
      { revision: '1-26', version: '1.26.2', namespace: 'istio-system', ready: true },
      { revision: '1-28-3', version: '1.28.3', namespace: 'istio-system', ready: true },
    ];
    const { canaries } = paramsOf(planOf(seed002Facts({ istio: istio({ revisions }) }), '1.34'), 'istio', '1.33');
    expect(canaries.map(({ toRevision, toMinor, toVersion }) => ({ toRevision, toMinor, toVersion }))).toEqual([
      { toRevision: '1-28-3', toMinor: '1.28', toVersion: '1.28.3' },
      { toRevision: '1-30', toMinor: '1.30', toVersion: undefined },
    ]);
  });

  test('several revisions in use join each other on the way', () => {
    const revisions = [
      { revision: '1-26', version: '1.26.2', namespace: 'istio-system', ready: true },
      { revision: '1-28', version: '1.28.1', namespace: 'istio-system', ready: true },
    ];
    const namespaces = [meshNamespace('a'), meshNamespace('b', { selector: '1-28', revision: '1-28' })];
    const { canaries } = paramsOf(planOf(seed002Facts({ istio: istio({ revisions, namespaces }) }), '1.34'), 'istio', '1.33');
    expect(canaries.map((c) => [c.fromRevision, c.toRevision, c.waves.flat().toSorted()])).toEqual([
      ['1-26', '1-28', ['a']],
      ['1-28', '1-30', ['a', 'b']],
    ]);
  });

  test('waves: one namespace, 25 %, the rest; the quietest first, unknown traffic after known', () => {
    const namespaces = [
      meshNamespace('busy', { requestsPerSecond: 900 }),
      meshNamespace('quiet', { requestsPerSecond: 0 }),
      meshNamespace('some', { requestsPerSecond: 12 }),
      ...['z', 'y', 'x', 'w', 'v'].map((name) => meshNamespace(name)),
    ];
    const { canaries } = paramsOf(planOf(seed002Facts({ istio: istio({ namespaces }) }), '1.34'), 'istio', '1.33');
    expect(canaries[0]?.waves).toEqual([['quiet'], ['some', 'busy'], ['v', 'w', 'x', 'y', 'z']]);
  });

  test('waves come from the policy, and no namespace is left over', () => {
    const plan = planOf(seed002Facts({ istio: istio({}) }), '1.34', {
      policy: policy({ istio: { ...policy().istio, moveBy: 'tag', waves: [0.5] } }),
    });
    const params = paramsOf(plan, 'istio', '1.33');
    expect(params.moveBy).toBe('tag');
    expect(params.canaries[0]?.waves).toEqual([['a'], ['b', 'c', 'd', 'e'], ['f', 'g', 'h']]);
  });

  const tagged = istio({
    tags: [
      { tag: 'prod', revision: '1-26' },
      { tag: 'default', revision: '1-26' },
      { tag: 'edge', revision: '1-30' },
    ],
  });
  const tagsBy = (moveBy: 'tag' | 'label', mesh: IstioFact) => {
    const plan = planOf(seed002Facts({ istio: mesh }), '1.34', { policy: policy({ istio: { ...policy().istio, moveBy, waves: [1] } }) });
    return { plan, tags: paramsOf(plan, 'istio', '1.33').canaries.map((canary) => canary.tags) };
  };

  test('moved by tag: the tags that point at the old revision go along, canary after canary', () => {
    const { plan, tags } = tagsBy('tag', tagged);
    expect(tags).toEqual([
      ['default', 'prod'],
      ['default', 'prod'],
    ]);
    expect(findingCodes(plan)).not.toContain('PLN025');
  });

  test('moved by label: no tag is touched', () => {
    expect(tagsBy('label', tagged).tags).toEqual([undefined, undefined]);
  });

  test('asked to move by tag where there is none: said before it is done by label', () => {
    const { plan, tags } = tagsBy('tag', istio({}));
    expect(tags).toEqual([undefined, undefined]);
    expect(plan.findings).toContainEqual(
      expect.objectContaining({
        code: 'PLN025',
        severity: 'recommended',
        message: 'istio.moveBy is tag, but no revision tag points at 1-26, 1-28: namespaces are labelled with the new revision instead.',
      }),
    );
  });

  test('an Istio newer than the table is unknown, and is not moved', () => {
    const newer = istio({
      revisions: [{ revision: '1-32', version: '1.32.0', namespace: 'istio-system', ready: true }],
      namespaces: [meshNamespace('a', { selector: '1-32', revision: '1-32' })],
    });
    const plan = planOf(healthyFacts({ istio: newer }), '1.34');
    expect(stepIds(plan)).not.toContain('istio@1.34');
    expect(plan.findings).toContainEqual(expect.objectContaining({ code: 'PLN024', severity: 'required', status: 'unknown' }));
  });
});

describe('add-ons', () => {
  test('bridges are valid on both minors, never kube-proxy; the target step ends with kube-proxy', () => {
    const plan = planOf(seed000Facts(), '1.32');
    expect(paramsOf(plan, 'add-ons-bridge', '1.32').changes).toEqual([
      { name: 'aws-ebs-csi-driver', from: 'v1.35.0-eksbuild.1', to: 'v1.38.1-eksbuild.1', managed: true },
      { name: 'vpc-cni', from: 'v1.18.3-eksbuild.3', to: 'v1.19.0-eksbuild.1', managed: true },
    ]);
    expect(paramsOf(plan, 'add-ons-target', '1.32').changes).toEqual([
      { name: 'coredns', from: 'v1.11.3-eksbuild.1', to: 'v1.11.4-eksbuild.2', managed: true },
      { name: 'kube-proxy', from: 'v1.31.2-eksbuild.3', to: 'v1.32.0-eksbuild.2', managed: true },
    ]);
  });

  test('vpc-cni moves one minor at a time', () => {
    const facts = seed002Facts({ addOns: [addOn('vpc-cni', 'v1.18.3-eksbuild.3')] });
    expect(paramsOf(planOf(facts, '1.34'), 'add-ons-bridge', '1.33').changes).toEqual([
      { name: 'vpc-cni', from: 'v1.18.3-eksbuild.3', to: 'v1.19.5-eksbuild.1', managed: true },
      { name: 'vpc-cni', from: 'v1.19.5-eksbuild.1', to: 'v1.20.4-eksbuild.2', managed: true },
    ]);
  });

  test('minors of vpc-cni that EKS does not offer are passed over, and said', () => {
    const offered = {
      '1.33': [{ version: 'v1.20.4-eksbuild.2', isDefault: true }],
      '1.34': [{ version: 'v1.20.4-eksbuild.2', isDefault: true }],
    };
    const plan = planOf(healthyFacts({ addOns: [addOn('vpc-cni', 'v1.18.3-eksbuild.3', { offered })] }), '1.34');
    expect(paramsOf(plan, 'add-ons-bridge', '1.34').changes).toHaveLength(1);
    expect(plan.findings.find((f) => f.code === 'PLN031')?.message).toBe(
      'vpc-cni goes v1.18.3-eksbuild.3 → v1.20.4-eksbuild.2; EKS offers no version of the minors between.',
    );
  });

  test('a newer version than the default stays', () => {
    const facts = healthyFacts({ addOns: [addOn('vpc-cni', 'v1.21.0-eksbuild.4')] });
    expect(stepIds(planOf(facts, '1.34'))).not.toContain('add-ons-target@1.34');
  });

  test.each<[string, AddOnFact['offered']]>([
    ['absent', {}],
    ['empty', { '1.33': [], '1.34': [] }],
  ])('an %s list of offers is unknown, not "none"', (_name, offered) => {
    const plan = planOf(healthyFacts({ addOns: [addOn('coredns', 'v1.12.2-eksbuild.4', { offered })] }), '1.34');
    expect(stepIds(plan)).not.toContain('add-ons-bridge@1.34');
    expect(plan.findings).toContainEqual(
      expect.objectContaining({ code: 'PLN003', severity: 'required', status: 'unknown', resources: ['coredns'] }),
    );
  });

  test('an add-on that EKS does not manage is recognised by its image tag, and is told', () => {
    const plan = planOf(healthyFacts({ addOns: [addOn('coredns', 'v1.12.2', { managed: false })] }), '1.34');
    expect(stepIds(plan)).not.toContain('add-ons-bridge@1.34');
    expect(paramsOf(plan, 'add-ons-target', '1.34').changes).toEqual([
      { name: 'coredns', from: 'v1.12.2', to: 'v1.12.3-eksbuild.1', managed: false },
    ]);
    expect(findingCodes(plan)).toContain('PLN030');
  });
});

describe('nodes', () => {
  test('A22: node groups with AMIs of their own are left and told', () => {
    const [group] = healthyFacts().nodeGroups;
    const nodeGroups = group === undefined ? [] : [group, { ...group, name: 'gpu', amiType: 'CUSTOM' }];
    const plan = planOf(healthyFacts({ nodeGroups }), '1.34');
    expect(paramsOf(plan, 'node-groups', '1.34').groups).toEqual([{ name: 'system', from: '1.33', count: 3 }]);
    expect(plan.findings).toContainEqual(expect.objectContaining({ code: 'PLN040', resources: ['gpu'] }));
  });

  test('node groups on Capacity Blocks are told unless they are at 0 nodes, and moved as the others are', () => {
    const [group] = healthyFacts().nodeGroups;
    if (group === undefined) throw new Error('the healthy cluster has a node group');
    const block = { ...group, capacityBlock: true } as const;
    const nodeGroups = [group, { ...block, name: 'trains' }, { ...block, name: 'idle', desiredCount: 0 }];
    const plan = planOf(healthyFacts({ nodeGroups }), '1.34');
    expect(paramsOf(plan, 'node-groups', '1.34').groups.map(({ name }) => name)).toEqual(['system', 'trains', 'idle']);
    expect(plan.findings.filter(({ code }) => code === 'PLN063')).toMatchObject([{ severity: 'recommended', resources: ['trains (3)'] }]);
  });

  test('a node group that is newer than the control plane is refused', () => {
    const facts = healthyFacts({ nodeGroups: healthyFacts().nodeGroups.map((group) => ({ ...group, version: '1.33' })) });
    const [group] = facts.nodeGroups;
    const nodeGroups = group === undefined ? [] : [group, { ...group, name: 'done', version: '1.34' }];
    expect(refusalOf({ ...facts, nodeGroups }, '1.34').map((v) => v.rule)).toEqual(['kubelet-skew']);
  });

  test('pools whose AMIs are pinned do not count as replaced, and are told', () => {
    const facts = healthyFacts();
    const karpenter = facts.karpenter && {
      ...facts.karpenter,
      nodeClasses: [{ name: 'default', ready: true, amiFamily: 'AL2023', amiIds: ['ami-1'] }],
    };
    const plan = planOf({ ...facts, karpenter }, '1.34');
    expect(paramsOf(plan, 'karpenter-drift', '1.34').nodeCount).toBe(0);
    expect(plan.strategies.map((s) => s.nodeReplacementCount)).toEqual([3, 3]);
    expect(findingCodes(plan)).toContain('PLN041');
    expect(paramsOf(plan, 'karpenter-drift', '1.34').pinnedPools).toEqual(['default']);
  });

  test('pools that Belay itself has pinned follow again: the hold is told, and released before nodes roll', () => {
    const facts = healthyFacts();
    const nodeClasses = [{ name: 'default', ready: true, heldAlias: 'al2023@latest', amiFamily: 'AL2023', amiIds: ['ami-1'] }];
    const plan = planOf({ ...facts, karpenter: facts.karpenter && { ...facts.karpenter, nodeClasses } }, '1.34');
    expect(paramsOf(plan, 'karpenter-drift', '1.34')).toMatchObject({ heldClasses: ['default'] });
    expect(paramsOf(plan, 'karpenter-drift', '1.34').pinnedPools).toBeUndefined();
    expect(paramsOf(plan, 'karpenter-drift', '1.34').nodeCount).toBeGreaterThan(0);
    expect(findingCodes(plan)).toContain('PLN051');
    expect(findingCodes(plan)).not.toContain('PLN041');
  });

  test.each([
    ['a budget of 0 for drift', { nodes: '0', reasons: ['Drifted'] }, true],
    ['a budget of 0 % for everything', { nodes: '0%' }, true],
    ['one that only holds in a window', { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' }, false],
    ['one for consolidation', { nodes: '0', reasons: ['Underutilized'] }, false],
    ['a small one', { nodes: '1' }, false],
  ])('%s: %j is told when no pace could ever replace a node', (_title, budget, told) => {
    const facts = healthyFacts();
    const withBudget = (frozenBy?: string) => {
      const nodePools = (facts.karpenter?.nodePools ?? []).map((pool) => ({
        ...pool,
        budgets: [{ nodes: '10%' }, budget],
        ...(frozenBy === undefined ? {} : { frozenBy }),
      }));
      return findingCodes(planOf({ ...facts, karpenter: facts.karpenter && { ...facts.karpenter, nodePools } }, '1.34'));
    };
    expect(withBudget().includes('PLN052')).toBe(told);
    expect(withBudget('eks-upgrade/x')).not.toContain('PLN052');
  });

  test('a node class that could not be read is unknown, not pinned', () => {
    const facts = healthyFacts();
    const plan = planOf({ ...facts, karpenter: facts.karpenter && { ...facts.karpenter, nodeClasses: [] } }, '1.34');
    expect(findingCodes(plan)).toContain('PLN049');
    expect(findingCodes(plan)).not.toContain('PLN041');
  });

  test('RD9: a NodePool of another provider is frozen, not waited for, and not said to be gone', () => {
    const facts = healthyFacts();
    const [pool] = facts.karpenter?.nodePools ?? [];
    if (pool === undefined || facts.karpenter === undefined) throw new Error('the healthy cluster has no NodePool');
    const foreign = { ...pool, name: 'elsewhere', group: 'karpenter.example.com', nodeCount: 4 };
    const plan = planOf({ ...facts, karpenter: { ...facts.karpenter, nodePools: [foreign] } }, '1.34');
    expect(findingCodes(plan)).toContain('PLN056');
    for (const code of ['PLN041', 'PLN042', 'PLN049']) expect(findingCodes(plan)).not.toContain(code);
    const frozen = plan.steps.flatMap(({ params }) => (params.phase === 'freeze-drift' ? params.nodePools : []));
    expect(new Set(frozen)).toEqual(new Set(['elsewhere']));
    for (const { params } of plan.steps) if (params.phase === 'karpenter-drift') expect(params.pinnedPools).toContain('elsewhere');
  });

  test.each([
    [1, '1 NodeClaim expires within 24 hours: Karpenter drains it whatever the freeze says.', 'Start after it has been replaced.'],
    [2, '2 NodeClaims expire within 24 hours: Karpenter drains them whatever the freeze says.', 'Start after they have been replaced.'],
  ])('NodeClaims that expire during the upgrade: %d', (expiringSoonCount, message, remediation) => {
    const facts = healthyFacts();
    const plan = planOf({ ...facts, karpenter: facts.karpenter && { ...facts.karpenter, expiringSoonCount } }, '1.34');
    expect(plan.findings).toContainEqual(expect.objectContaining({ code: 'PLN043', message, remediation }));
  });

  test('nodes that expire during the upgrade, and a freeze that is left, are told', () => {
    const facts = healthyFacts();
    const karpenter = facts.karpenter && {
      ...facts.karpenter,
      expiringSoonCount: 4,
      nodePools: facts.karpenter.nodePools.map((pool) => ({ ...pool, frozenBy: 'eks-upgrade/x' })),
    };
    const plan = planOf({ ...facts, karpenter }, '1.34');
    expect(findingCodes(plan)).toEqual(expect.arrayContaining(['PLN043', 'PLN044']));
    expect(paramsOf(plan, 'freeze-drift', '1.34').frozenBefore).toEqual(facts.karpenter?.nodePools.map(({ name }) => name));
  });
});
