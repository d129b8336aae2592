/** How a plan moves AMIs that do not move by themselves. */
import { describe, expect, test } from 'vitest';
import type { AmiBuild } from '../../../domain/facts/ami-names.ts';
import type { ClusterFacts, NodeClassFact } from '../../../domain/facts/facts.ts';
import { healthyFacts, nodePool, policy } from '../../support/facts.ts';
import { findingCodes, paramsOf, planOf, refusalOf, stepOf } from '../../support/plans.ts';

const BUILDS: AmiBuild[] = [
  { alias: 'al2023@v20250403', minor: '1.34', images: {} },
  { alias: 'al2023@v20251016', minor: '1.34', images: { x86_64: 'ami-new', arm64: 'ami-new-arm' } },
  { alias: 'al2023@latest', minor: '1.34', images: { x86_64: 'ami-new', arm64: 'ami-new-arm' }, release: 'al2023@v20251016' },
];

const IDS: Partial<NodeClassFact> = {
  alias: undefined,
  selects: 'ids',
  amiFamily: 'AL2023',
  amiIds: ['ami-old'],
  amiNames: ['amazon-eks-node-al2023-x86_64-standard-1.33-v20250801'],
};

/** 1.33 with one node class, used by a pool of twelve nodes. */
function facts(nodeClass: Partial<NodeClassFact>, change: Partial<ClusterFacts> = {}): ClusterFacts {
  const healthy = healthyFacts({ amiBuilds: BUILDS, ...change });
  const nodeClasses = [
    { name: 'default', ready: true, alias: 'al2023@v20250403', selects: 'alias' as const, amiIds: ['ami-old'], ...nodeClass },
  ];
  return { ...healthy, karpenter: healthy.karpenter && { ...healthy.karpenter, nodeClasses, nodePools: [nodePool('default', 12)] } };
}

const naming = (amis: Record<string, string[]>) => ({ policy: { ...policy(), karpenter: { ...policy().karpenter, amis } } });
const drift = (seen: ClusterFacts, change = {}) => paramsOf(planOf(seen, '1.34', change), 'karpenter-drift', '1.34');

describe('a pinned release without images for the target', () => {
  test('goes to the newest release; plan, gate and findings say so', () => {
    const plan = planOf(facts({}), '1.34');
    const why = 'al2023@v20250403 has no image for 1.34';
    const move = { nodeClass: 'default', nodePools: ['default'], before: 'al2023@v20250403', terms: [{ alias: 'al2023@v20251016' }], why };
    expect(paramsOf(plan, 'karpenter-drift', '1.34')).toMatchObject({
      moves: [move],
      follows: [{ nodeClass: 'default', nodePools: ['default'] }],
    });
    expect(stepOf(plan, 'karpenter-drift@1.34').gate?.next).toBe(
      'Karpenter may replace nodes again, at first 1 node at a time per node pool; 12 nodes will be replaced. First: Belay changes EC2NodeClass default from al2023@v20250403 to al2023@v20251016 (al2023@v20250403 has no image for 1.34).',
    );
    expect(plan.findings.find(({ code }) => code === 'PLN053')?.message).toBe(
      'AMIs that do not move by themselves: default: al2023@v20250403 → al2023@v20251016 (al2023@v20250403 has no image for 1.34). The edit is made under the freeze, once the control plane has moved.',
    );
  });

  test('Argo CD is asked where its mark is on the class', () => {
    const plan = planOf(facts({ deliveredBy: 'argocd' }), '1.34');
    expect(paramsOf(plan, 'karpenter-drift', '1.34').moves?.[0]?.owner).toBe('argocd');
    expect(stepOf(plan, 'karpenter-drift@1.34').why).toContain('argocd is asked to change EC2NodeClass default');
  });

  test('what belay.yaml names is used; where it has no image either, the plan is refused', () => {
    const moves = [{ terms: [{ id: 'ami-0123456789abcdef0' }], why: 'belay.yaml says so', amiFamily: 'AL2023' }];
    expect(drift(facts({}), naming({ default: ['ami-0123456789abcdef0'] }))).toMatchObject({ moves });
    const bad: AmiBuild = { alias: 'al2023@v20250501', minor: '1.34', images: {} };
    expect(refusalOf(facts({}, { amiBuilds: [...BUILDS, bad] }), '1.34', naming({ default: ['al2023@v20250501'] }))).toEqual([
      {
        rule: 'pinned-releases-have-images',
        message:
          'belay.yaml moves EC2NodeClass default to al2023@v20250501, for which there is no image for 1.34: its new nodes would silently keep the old version.',
        remedy: 'Name a release with such images in belay.yaml (karpenter.amis), or pin the class to one.',
      },
    ]);
  });

  test('an earlier run holds the class by ids: the alias behind the hold counts', () => {
    expect(drift(facts({ alias: undefined, heldAlias: 'al2023@v20250403', selects: 'ids', amiFamily: 'AL2023' }))).toMatchObject({
      heldClasses: ['default'],
      moves: [{ before: 'al2023@v20250403', terms: [{ alias: 'al2023@v20251016' }] }],
    });
  });

  test('with every-hop an edit that does for both hops is made once', () => {
    const build = (alias: string, minor: string, image?: string): AmiBuild => ({
      alias,
      minor,
      images: image === undefined ? {} : { x86_64: image },
    });
    const amiBuilds = [
      ...['1.34', '1.35'].map((minor) => build('al2023@v20250403', minor)),
      ...['1.34', '1.35'].map((minor) => ({ ...build('al2023@latest', minor, 'ami-new'), release: 'al2023@v20251016' })),
    ];
    const plan = planOf(facts({}, { amiBuilds }), '1.35', { strategy: 'every-hop' });
    expect(paramsOf(plan, 'karpenter-drift', '1.34').moves).toHaveLength(1);
    expect(paramsOf(plan, 'karpenter-drift', '1.35').moves).toBeUndefined();
  });

  test('not looked up is unknown, not fine', () => {
    const plan = planOf(facts({}, { amiBuilds: undefined, amiBuildsUnseen: 'not authorized to perform: ssm:GetParameter' }), '1.34');
    expect(plan.findings.find(({ code }) => code === 'PLN054')).toMatchObject({
      severity: 'required',
      status: 'unknown',
      message:
        'Whether Amazon has images for the way of default (al2023@v20250403) is not known: not authorized to perform: ssm:GetParameter',
    });
    expect(paramsOf(plan, 'karpenter-drift', '1.34').moves).toBeUndefined();
  });
});

describe('AMIs by id', () => {
  test('Amazon’s own become the newest of the same family and architectures, and their nodes count', () => {
    const params = drift(facts(IDS));
    expect(params).toMatchObject({
      nodeCount: 12,
      moves: [{ before: 'ami-old', terms: [{ id: 'ami-new' }], why: 'ids stay where they are; these are al2023@v20251016 for 1.34' }],
    });
    expect(params.pinnedPools).toBeUndefined();
  });

  test.each([
    ['an image of somebody else', { ...IDS, amiNames: ['golden-image-1.33-7'] }],
    ['a GPU variant', { ...IDS, amiNames: ['amazon-eks-node-al2023-x86_64-nvidia-1.33-v20250801'] }],
    ['tags', { ...IDS, selects: 'mixed' as const }],
    ['a family of its own', { ...IDS, amiFamily: 'Custom' }],
  ])('%s is left to people', (_title, nodeClass) => {
    const plan = planOf(facts(nodeClass), '1.34');
    expect(paramsOf(plan, 'karpenter-drift', '1.34')).toMatchObject({ nodeCount: 0, pinnedPools: ['default'] });
    expect(findingCodes(plan)).toContain('PLN041');
  });

  test('where the newest has no image for one of the architectures, neither is changed', () => {
    const names = ['x86_64', 'arm64'].map((arch) => `amazon-eks-node-al2023-${arch}-standard-1.33-v20250801`);
    const half: AmiBuild = { alias: 'al2023@latest', minor: '1.34', images: { x86_64: 'ami-new' }, release: 'al2023@v20251016' };
    const both = { ...IDS, amiIds: ['ami-old', 'ami-old-arm'], amiNames: names };
    expect(drift(facts(both))).toMatchObject({ moves: [{ terms: [{ id: 'ami-new' }, { id: 'ami-new-arm' }] }] });
    expect(drift(facts(both, { amiBuilds: [half] }))).toMatchObject({ nodeCount: 0, pinnedPools: ['default'] });
    expect(drift(facts(both, { amiBuilds: [half] })).moves).toBeUndefined();
  });

  test('a class that no pool uses is left alone', () => {
    const seen = facts(IDS);
    const nodePools = [nodePool('default', 12, { nodeClass: 'other' })];
    expect(drift({ ...seen, karpenter: seen.karpenter && { ...seen.karpenter, nodePools } }).moves).toBeUndefined();
  });

  test('with every-hop each hop has ids of its own minor', () => {
    const latest = (minor: string, id: string): AmiBuild => ({ alias: 'al2023@latest', minor, images: { x86_64: id } });
    const seen = facts(IDS, { amiBuilds: [latest('1.34', 'ami-34'), latest('1.35', 'ami-35')] });
    const plan = planOf(seen, '1.35', { strategy: 'every-hop' });
    expect(['1.34', '1.35'].map((hop) => paramsOf(plan, 'karpenter-drift', hop).moves)).toMatchObject([
      [{ before: 'ami-old', terms: [{ id: 'ami-34' }] }],
      [{ before: 'ami-34', terms: [{ id: 'ami-35' }] }],
    ]);
  });
});

describe('a NodePool that is pointed at another class', () => {
  const al2 = { name: 'default', ready: true, alias: 'al2@latest', selects: 'alias' as const, amiIds: ['ami-old'] };
  const modern = { name: 'modern', ready: true, alias: 'al2023@latest', selects: 'alias' as const, amiIds: ['ami-new'], hopLimit: 1 };
  const healthy = healthyFacts({ amiBuilds: [] });
  const pools = (change = {}) => ({
    ...healthy,
    karpenter: healthy.karpenter && { ...healthy.karpenter, nodeClasses: [al2, modern], nodePools: [nodePool('default', 12, change)] },
  });
  const switching = {
    policy: { ...policy(), karpenter: { ...policy().karpenter, switchNodeClass: [{ nodePool: 'default', to: 'modern' }] } },
  };

  test('is the way out of Amazon Linux 2: without it the plan is refused, with it the freeze step switches', () => {
    expect(refusalOf(pools(), '1.34').map(({ rule }) => rule)).toEqual(['no-al2-from-1.33']);
    const plan = planOf(pools(), '1.34', switching);
    expect(paramsOf(plan, 'freeze-drift', '1.34')).toMatchObject({ switches: [{ nodePool: 'default', from: 'default', to: 'modern' }] });
    expect(stepOf(plan, 'freeze-drift@1.34').why).toContain(
      'Then Belay points NodePool default from EC2NodeClass default to modern. New nodes come from there at once; the others are replaced in karpenter-drift@1.34.',
    );
    expect(paramsOf(plan, 'karpenter-drift', '1.34')).toMatchObject({
      nodeCount: 12,
      follows: [{ nodeClass: 'modern', nodePools: ['default'] }],
    });
    expect(plan.findings.find(({ code }) => code === 'PLN055')?.message).toBe(
      'default: default (AL2) → modern (AL2023); cgroup v2 instead of v1: JVMs older than 8u372, 11.0.16 and 15 do not see their memory limits; IMDS hop limit 1: pods get no credentials of the node. It is done as soon as the freeze stands: new nodes come from there at once, the others are replaced with the roll, once.',
    );
  });

  test('is asked of Flux where its mark is on the pool', () => {
    const plan = planOf(pools({ deliveredBy: 'flux' }), '1.34', switching);
    expect(paramsOf(plan, 'freeze-drift', '1.34').switches?.[0]?.owner).toBe('flux');
  });

  test('needs nothing when it is there, and is taken over where an earlier run has begun it', () => {
    expect(paramsOf(planOf(pools({ nodeClass: 'modern' }), '1.34', switching), 'freeze-drift', '1.34').switches).toBeUndefined();
    const begun = planOf(pools({ nodeClass: 'modern', classBefore: 'default' }), '1.34', switching);
    expect(paramsOf(begun, 'freeze-drift', '1.34').switches).toEqual([{ nodePool: 'default', from: 'default', to: 'modern' }]);
  });
});
