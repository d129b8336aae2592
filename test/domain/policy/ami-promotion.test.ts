/** Which AMI release is promoted, and what a plan says where there is none. */
import { describe, expect, test } from 'vitest';
import type { AmiBuild } from '../../../domain/facts/ami-names.ts';
import type { ClusterFacts, NodeClassFact, PromotionSource, RunningRelease } from '../../../domain/facts/facts.ts';
import { compareReleases, promotedAliases, promotionOf } from '../../../domain/policy/ami-promotion.ts';
import { CLUSTER, healthyFacts, NOW, policy } from '../../support/facts.ts';
import { findingCodes, paramsOf, planOf, refusalOf, stepOf } from '../../support/plans.ts';

const release = (change: Partial<RunningRelease> = {}): RunningRelease => ({
  family: 'al2023',
  release: 'v20260801',
  minors: ['1.34'],
  nodeCount: 12,
  firstAt: '2026-08-20T09:00:00Z',
  lastAt: '2026-09-07T09:00:00Z',
  ...change,
});
const source = (change: Partial<PromotionSource> = {}): PromotionSource => ({
  cluster: 'staging',
  releases: [release()],
  unknown: [],
  readAt: NOW,
  ...change,
});

describe('a release', () => {
  const table: [string, PromotionSource[], ReturnType<typeof promotionOf>][] = [
    [
      'on all nodes, long enough',
      [source()],
      {
        kind: 'ready',
        alias: 'al2023@v20260801',
        why: 'promoted: staging runs it on all 12 nodes since 2026-08-20 (19 days)',
        minors: ['1.34'],
      },
    ],
    ['that nobody runs', [source({ releases: [] })], { kind: 'none', status: 'fail', why: 'no node of staging runs al2023' }],
    [
      'that is too young',
      [source({ releases: [release({ firstAt: '2026-09-05T09:00:00Z' })] })],
      { kind: 'none', status: 'fail', why: 'al2023@v20260801 has not run for 7 days yet: staging since 2026-09-05 (3 days)' },
    ],
    [
      'beside another one',
      [source({ releases: [release(), release({ release: 'v20260701', nodeCount: 1 })] })],
      { kind: 'none', status: 'fail', why: 'al2023 is mixed: v20260801 on 12 nodes of staging, v20260701 on 1 node of staging' },
    ],
    [
      'of which two clusters have different ones',
      [source(), source({ cluster: 'staging-us', releases: [release({ release: 'v20260701' })] })],
      { kind: 'none', status: 'fail', why: 'al2023 is mixed: v20260801 on 12 nodes of staging, v20260701 on 12 nodes of staging-us' },
    ],
    [
      'during a roll',
      [source({ unknown: [{ family: 'al2023', nodeCount: 2 }] })],
      {
        kind: 'none',
        status: 'unknown',
        why: '2 nodes of staging run an image of al2023 that their node class does not choose (any more): a roll has not finished there',
      },
    ],
    [
      'of a cluster that cannot be read, whatever the others run',
      [source(), source({ cluster: 'staging-us', releases: [], unseen: 'not permitted: list on nodeclaims' })],
      { kind: 'none', status: 'unknown', why: 'staging-us cannot be read: not permitted: list on nodeclaims' },
    ],
  ];
  test.each(table)('%s', (_title, sources, promotion) => {
    expect(promotionOf('al2023', sources, 7)).toEqual(promotion);
  });

  test('of each family, as far as it may be promoted, is looked up', () => {
    const bottlerocket = release({ family: 'bottlerocket', release: 'v1.20.4' });
    const young = release({ family: 'al2', release: 'v20260901', firstAt: '2026-09-07T09:00:00Z' });
    const sources = [source({ releases: [release(), young] }), source({ cluster: 'staging-us', releases: [bottlerocket] })];
    expect(promotedAliases(sources, 7)).toEqual(['al2023@v20260801', 'bottlerocket@v1.20.4']);
  });

  test('of which nobody says since when is not baked', () => {
    expect(promotionOf('al2023', [source({ releases: [release({ firstAt: '' })] })], 7).kind).toBe('none');
  });

  test.each([
    ['al2023@v20260801', 'al2023@v20251231', 'newer'],
    ['bottlerocket@1.9.2', 'bottlerocket@v1.20.4', 'older'],
    ['al2023@v20260801', 'al2023@v20260801', 'same'],
    ['al2023@latest', 'al2023@v20260801', 'incomparable'],
    ['al2023@v20260801', 'bottlerocket@v1.20.4', 'incomparable'],
    ['bottlerocket@v1.20.4', 'bottlerocket@v1.21.0-rc.1', 'incomparable'],
    ['bottlerocket@nightly', 'bottlerocket@v1.20.4', 'incomparable'],
  ])('%s against %s: %s', (one, other, said) => {
    const result = compareReleases(one, other);
    expect(result === undefined ? 'incomparable' : result > 0 ? 'newer' : result < 0 ? 'older' : 'same').toBe(said);
  });
});

const BUILDS: AmiBuild[] = [
  { alias: 'al2023@v20260801', minor: '1.34', images: { x86_64: 'ami-baked' } },
  { alias: 'al2023@v20260901', minor: '1.34', images: { x86_64: 'ami-pinned' } },
];

function facts(nodeClass: Partial<NodeClassFact>, promotion: PromotionSource[], amiBuilds = BUILDS): ClusterFacts {
  const healthy = healthyFacts({ promotion, amiBuilds });
  if (healthy.karpenter === undefined) throw new Error('the healthy cluster has Karpenter');
  const nodeClasses = [
    { name: 'default', ready: true, alias: 'al2023@latest', selects: 'alias' as const, amiIds: ['ami-0aa1'], ...nodeClass },
  ];
  return { ...healthy, karpenter: { ...healthy.karpenter, nodeClasses } };
}

const promoting = (karpenter = {}) => ({
  policy: {
    ...policy(),
    karpenter: { ...policy().karpenter, promoteFrom: { clusters: [{ ...CLUSTER, name: 'staging' }], bakedDays: 7 }, ...karpenter },
  },
});

describe('a plan', () => {
  test('pins what is baked, with its evidence, through the owner', () => {
    const plan = planOf(facts({ deliveredBy: 'flux' }, [source()]), '1.34', promoting());
    expect(paramsOf(plan, 'karpenter-drift', '1.34')).toMatchObject({
      moves: [{ nodeClass: 'default', before: 'al2023@latest', terms: [{ alias: 'al2023@v20260801' }], owner: 'flux' }],
    });
    expect(stepOf(plan, 'karpenter-drift@1.34').gate?.next).toContain(
      'flux is asked to change EC2NodeClass default from al2023@latest to al2023@v20260801 (promoted: staging runs it on all 12 nodes since 2026-08-20 (19 days)).',
    );
    expect(paramsOf(plan, 'karpenter-drift', '1.34').unpromoted).toBeUndefined();
    expect(findingCodes(plan)).not.toContain('PLN062');
  });

  test('says that the release was baked for another minor', () => {
    const plan = planOf(facts({}, [source({ releases: [release({ minors: ['1.33'] })] })]), '1.34', promoting());
    expect(plan.findings.find(({ code }) => code === 'PLN062')?.message).toContain('al2023@v20260801 for 1.33, not for 1.34');
  });

  test('pins nothing where nothing is baked: a required finding, and a question before nodes roll', () => {
    const plan = planOf(facts({}, [source({ unseen: 'the server does not answer' })]), '1.34', promoting());
    expect(plan.findings.find(({ code }) => code === 'PLN061')).toMatchObject({ severity: 'required', status: 'unknown' });
    expect(paramsOf(plan, 'karpenter-drift', '1.34')).toMatchObject({
      unpromoted: [{ nodeClass: 'default', chooses: 'al2023@latest', status: 'unknown' }],
    });
    expect(paramsOf(plan, 'karpenter-drift', '1.34').moves).toBeUndefined();
    expect(stepOf(plan, 'karpenter-drift@1.34').why).toContain('There is no AMI release to promote to default');
  });

  test('never goes back to an older release than the one that is pinned', () => {
    const plan = planOf(facts({ alias: 'al2023@v20260901' }, [source()]), '1.34', promoting());
    expect(paramsOf(plan, 'karpenter-drift', '1.34').unpromoted?.[0]).toMatchObject({
      status: 'fail',
      why: 'al2023@v20260801 is ready to promote, but this cluster already has al2023@v20260901, which is newer',
    });
  });

  test('leaves classes alone that belay.yaml names AMIs for, and those of no family of Amazon’s', () => {
    const named = planOf(facts({}, [source()]), '1.34', promoting({ amis: { default: ['al2023@v20260901'] } }));
    expect(paramsOf(named, 'karpenter-drift', '1.34').moves?.[0]?.terms).toEqual([{ alias: 'al2023@v20260901' }]);
    const own = planOf(facts({ alias: undefined, selects: 'mixed' }, [source()]), '1.34', promoting());
    expect(findingCodes(own)).not.toContain('PLN061');
  });

  test('is refused where Amazon has no image of the release for the target', () => {
    const builds: AmiBuild[] = [{ alias: 'al2023@v20260801', minor: '1.34', images: {} }];
    expect(refusalOf(facts({}, [source()], builds), '1.34', promoting()).map(({ rule }) => rule)).toContain('pinned-releases-have-images');
  });
});
