/** Karpenter on the way back: what is pinned, what rolls, in which order, and what Belay leaves to people. */
import { describe, expect, test } from 'vitest';
import type { AmiHoldFact, ClusterFacts, NodeClassFact } from '../../../../domain/facts/facts.ts';
import { backFindings } from '../../../../domain/plan/rollback/findings.ts';
import { planRollback } from '../../../../domain/plan/rollback/plan-rollback.ts';
import type { PhaseId } from '../../../../domain/core/phases.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import { wayBack } from '../../../../domain/facts/rollback-window.ts';
import { healthyFacts, NOW, policy } from '../../../support/facts.ts';

const IMAGE = { x86_64: 'ami-132x', arm64: 'ami-132a' };
const NEWER = [{ minor: '1.33', count: 4, owner: 'karpenter' as const }];
const OLDER = [{ minor: '1.32', count: 4, owner: 'karpenter' as const }];
const seen = { back: wayBack('1.33', [{ type: 'VersionUpdate', to: '1.33', createdAt: NOW }], NOW) };

interface Change {
  nodeClass?: Partial<NodeClassFact>;
  kubelets?: ClusterFacts['kubelets'];
  hold?: Partial<AmiHoldFact>;
  builds?: ClusterFacts['amiBuilds'];
}

function moved({ nodeClass = {}, kubelets = NEWER, hold, builds }: Change = {}): ClusterFacts {
  const base = healthyFacts();
  const { karpenter } = base;
  if (karpenter === undefined) throw new Error('healthyFacts has a Karpenter');
  const [pool] = karpenter.nodePools;
  if (pool === undefined) throw new Error('healthyFacts has a NodePool');
  const given: NodeClassFact = {
    name: 'default',
    ready: true,
    alias: 'al2023@latest',
    selects: 'alias',
    amiIds: [],
    amiNames: ['amazon-eks-node-al2023-x86_64-standard-1.33-v20251016'],
    ...nodeClass,
  };
  return {
    ...base,
    addOns: [],
    nodeGroups: [],
    kubelets,
    karpenter: { ...karpenter, nodePools: [{ ...pool, name: 'default', nodeClass: 'default' }], nodeClasses: [given] },
    amiBuilds: builds ?? [{ alias: 'al2023@latest', minor: '1.32', images: IMAGE }],
    ...(hold === undefined ? {} : { amiHolds: [{ nodeClass: 'default', ids: ['ami-inuse'], amiFamily: 'AL2023', ...hold }] }),
  };
}

function steps(facts: ClusterFacts) {
  const result = planRollback(facts, seen, policy());
  if (result.kind === 'refused') throw new Error(result.violations.map(({ message }) => message).join('\n'));
  return result.plan.steps;
}

function refusals(facts: ClusterFacts): string {
  const result = planRollback(facts, seen, policy());
  return result.kind === 'plan' ? '' : result.violations.map(({ rule, message, remedy }) => `${rule} ${message} ${remedy}`).join('\n');
}

const paramsOf = (facts: ClusterFacts, phase: PhaseId) => steps(facts).find((step) => step.phase === phase)?.params;

describe('the plan', () => {
  test('names the pools that an earlier run has left frozen, and none where there is none', () => {
    const facts = moved();
    expect(paramsOf(facts, 'freeze-drift')).not.toHaveProperty('frozenBefore');
    const karpenter = facts.karpenter && {
      ...facts.karpenter,
      nodePools: facts.karpenter.nodePools.map((pool) => ({ ...pool, frozenBy: 'eks-upgrade/1/freeze-drift@1.33' })),
    };
    expect(paramsOf({ ...facts, ...(karpenter === undefined ? {} : { karpenter }) }, 'freeze-drift')).toMatchObject({
      frozenBefore: ['default'],
    });
  });

  test('A28: newer nodes of Karpenter roll to pinned images of the older minor, and the classes choose as before behind the control plane', () => {
    const facts = moved();
    expect(steps(facts).map(({ phase }) => phase)).toEqual([
      'rollback-checks',
      'freeze-drift',
      'karpenter-drift',
      'control-plane-back',
      'node-classes-back',
      'validation',
    ]);
    const use = { nodeClass: 'default', nodePools: ['default'] };
    const pin = { ...use, before: 'al2023@latest', amiFamily: 'AL2023', terms: [{ id: 'ami-132x' }, { id: 'ami-132a' }] };
    expect(paramsOf(facts, 'freeze-drift')).toMatchObject({ holds: [pin], back: { from: '1.33', to: '1.32' } });
    expect(paramsOf(facts, 'karpenter-drift')).toMatchObject({ to: '1.32', nodeCount: 4, back: true, follows: [use], forecast: true });
    expect(paramsOf(facts, 'node-classes-back')).toMatchObject({ own: ['default'], moves: [], follows: [use] });
    expect(steps(facts).filter(({ gate }) => gate !== undefined)).toHaveLength(3);
  });

  test('where no node is newer the images in use are pinned, and nothing rolls', () => {
    const facts = moved({ kubelets: OLDER, hold: {} });
    expect(steps(facts).map(({ phase }) => phase)).not.toContain('karpenter-drift');
    expect(paramsOf(facts, 'freeze-drift')).toMatchObject({ holds: [{ terms: [{ id: 'ami-inuse' }] }] });
  });

  test('whoever keeps a class as code is asked, and asked back', () => {
    const facts = moved({ nodeClass: { deliveredBy: 'argocd' } });
    expect(paramsOf(facts, 'freeze-drift')).toMatchObject({ holds: [{ owner: 'argocd' }] });
    expect(paramsOf(facts, 'node-classes-back')).toMatchObject({
      own: [],
      moves: [{ owner: 'argocd', before: 'ami-132a, ami-132x', terms: [{ alias: 'al2023@latest' }] }],
    });
  });

  test('an alias without an image for the older minor: the newest release that has one', () => {
    const builds = [
      { alias: 'al2023@v20300101', minor: '1.32', images: {} },
      { alias: 'al2023@latest', minor: '1.32', images: IMAGE },
    ];
    expect(paramsOf(moved({ nodeClass: { alias: 'al2023@v20300101' }, builds }), 'freeze-drift')).toMatchObject({
      holds: [{ before: 'al2023@v20300101', terms: [{ id: 'ami-132x' }, { id: 'ami-132a' }] }],
    });
  });

  test('a class that an upgrade has pinned keeps its pin; nothing is to be done about Karpenter', () => {
    const names = ['amazon-eks-node-al2023-x86_64-standard-1.32-v20251016'];
    const held = { alias: undefined, heldAlias: 'al2023@latest', selects: 'ids' as const, amiNames: names };
    expect(steps(moved({ nodeClass: held, kubelets: OLDER })).map(({ phase }) => phase)).toEqual([
      'rollback-checks',
      'control-plane-back',
      'validation',
    ]);
  });

  test('nodes that are newer under a class that people have pinned already roll as well', () => {
    const names = ['amazon-eks-node-al2023-x86_64-standard-1.32-v20251016'];
    const facts = moved({ nodeClass: { alias: undefined, selects: 'ids', amiNames: names } });
    expect(paramsOf(facts, 'freeze-drift')).not.toHaveProperty('holds');
    expect(paramsOf(facts, 'karpenter-drift')).toMatchObject({ nodeCount: 4, back: true });
    expect(paramsOf(facts, 'karpenter-drift')).not.toHaveProperty('pinnedPools');
  });
});

describe('what Belay does not pin refuses the plan', () => {
  const REFUSED: { what: string; change: Change; says: RegExp }[] = [
    {
      what: 'names or tags',
      change: { nodeClass: { alias: undefined, selects: 'mixed', amiNames: [] } },
      says: /by name, tag or parameter/,
    },
    {
      what: 'ids of newer images',
      change: { nodeClass: { alias: undefined, selects: 'ids' } },
      says: /it chooses amazon-eks-node-al2023-x86_64-standard-1\.33-v20251016, which is newer/,
    },
    { what: 'accelerators', change: { hold: { accelerated: 'gpu-1' } }, says: /its node gpu-1 has accelerators/ },
    {
      what: 'a pool of accelerators without a node',
      change: { hold: { ids: [], refused: 'ids tell no variants', acceleratedPool: 'gpu' } },
      says: /its NodePool gpu launches accelerators, whose images ids do not tell from others: split the class first/,
    },
    {
      what: 'an alias of no family that is known',
      change: { nodeClass: { alias: 'ubuntu@latest' } },
      says: /alias ubuntu@latest belongs to no AMI family that is known/,
    },
    { what: 'no image', change: { builds: [] }, says: /no image of al2023@latest for 1\.32 is known/ },
  ];
  test.each(REFUSED)('$what', ({ change, says }) => {
    expect(refusals(moved(change))).toMatch(says);
    expect(refusals(moved(change))).toMatch(/^RBK006/);
  });
});

test('right before the control plane moves nothing is left to later: newer nodes and open classes stop it', () => {
  const at = (later: PhaseId[]) =>
    backFindings({ facts: moved(), seen, backTo: parseKubernetesVersion('1.32'), policy: policy(), later })
      .filter(({ code }) => code === 'RBK005' || code === 'RBK006')
      .map(({ code, severity, status }) => `${code} ${severity} ${status}`);
  expect(at(['freeze-drift', 'karpenter-drift'])).toEqual(['RBK005 recommended fail', 'RBK006 recommended fail']);
  expect(at([])).toEqual(['RBK005 required fail', 'RBK006 required fail']);
});
