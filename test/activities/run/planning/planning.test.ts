/** What a run goes by: its policy with what the namespace lacks, and a plan that was shown a moment ago. */
import { expect, test } from 'vitest';
import { createPlanningActivities, type PlanningDeps } from '../../../../activities/run/planning/planning.ts';
import { storedForecast } from '../../../../domain/run/forecasts/stored.ts';
import { forecast as made } from '../../../support/forecasts.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { startTwin } from '../../support/twin.ts';

const unused = () => Promise.reject(new Error('nothing of this is asked'));

test.each<[string, PlanningDeps['missingSearchAttributes'], object]>([
  ['is not known', undefined, {}],
  ['is nothing', () => [], {}],
  ['is something', () => ['BelayPhase'], { missingSearchAttributes: ['BelayPhase'] }],
])('a policy says what search attributes are missing: where that %s', async (_what, missing, expected) => {
  const deps = { policyOf: () => policy(), ...(missing === undefined ? {} : { missingSearchAttributes: missing }) };
  expect(await createPlanningActivities(deps as unknown as PlanningDeps).loadPolicy({ cluster: CLUSTER })).toEqual({
    ...policy(),
    ...expected,
  });
});

test.each<[string, PlanningDeps['campaignOf'], object]>([
  ['that says nothing of it', () => ({ campaign: {} }), { quiet: true }],
  ['that tells exceptions', () => ({ campaign: { notify: 'exceptions' } }), { quiet: true }],
  ['that tells all', () => ({ campaign: { notify: 'all' } }), {}],
  [
    'that cannot be read',
    () => {
      throw new Error('belay.yaml is not there');
    },
    {},
  ],
  ['of another process', undefined, {}],
])('a run of a campaign %s', async (_what, campaignOf, expected) => {
  const deps = { policyOf: () => policy(), ...(campaignOf === undefined ? {} : { campaignOf }) };
  const { loadPolicy } = createPlanningActivities(deps as unknown as PlanningDeps);
  expect(await loadPolicy({ cluster: CLUSTER, campaign: 'to-1-34' })).toEqual({ ...policy(), ...expected });
  expect(await loadPolicy({ cluster: CLUSTER })).toEqual(policy());
});

test('a run that starts from a plan that was just shown goes by it, once; whoever plans reads anew', async () => {
  const twin = await startTwin('small');
  try {
    let asked = 0;
    twin.grant({ aws: () => (asked += 1) > 0 });
    const planning = createPlanningActivities({
      ...twin.clients,
      policyOf: () => policy(),
      store: { newest: async () => [], read: async () => undefined },
      windows: { judgeOrder: unused },
    });
    const question = { cluster: twin.ref, target: '1.32', policy: policy({ cluster: twin.ref }) };
    const shown = await planning.makePlan(question);
    const before = asked;
    expect(await planning.makePlan({ ...question, shown: true })).toBe(shown);
    expect(asked).toBe(before);
    expect(await planning.makePlan({ ...question, shown: true })).not.toBe(shown);
    expect(asked).toBeGreaterThan(before);
  } finally {
    await twin.close();
  }
});

test('a forecast stands beside the plan, and neither it nor a store that cannot be read changes what is approved', async () => {
  const twin = await startTwin('small');
  try {
    const planned = async (read: PlanningDeps['store']['read']) => {
      const store = { newest: async () => [], read };
      const deps = { ...twin.clients, policyOf: () => policy(), store, windows: { judgeOrder: unused } };
      const question = { cluster: twin.ref, target: '1.32', policy: policy({ cluster: twin.ref }) };
      const result = await createPlanningActivities(deps).makePlan(question);
      if (result.kind === 'refused') throw new Error('it can be planned');
      return { hash: result.plan.hash, forecast: result.forecast };
    };
    const { hash, forecast: none } = await planned(async () => undefined);
    expect(none).toBeUndefined();
    const stored = storedForecast(made({ cluster: twin.ref, from: '1.31', to: '1.32', planHash: hash }));
    const found = await planned(async () => stored);
    expect(found.hash).toBe(hash);
    expect(found.forecast).toMatchObject({ kind: 'made', total: stored.total, blockers: { count: 2, nodeCount: 2 } });
    expect(found.forecast).not.toHaveProperty('another');
    expect(await planned(async () => ({ ...stored, planHash: 'another' }))).toMatchObject({ forecast: { another: expect.any(String) } });
    expect(await planned(async () => ({ ...stored, target: '1.33' }))).toEqual({ hash, forecast: undefined });
    expect(await planned(async () => ({ ...stored, cluster: { ...twin.ref, account: '999' } }))).toEqual({ hash, forecast: undefined });
    const unread = await planned(() => Promise.reject(new Error('AccessDenied: s3:GetObject')));
    expect(unread).toEqual({ hash, forecast: { kind: 'unread', why: 'AccessDenied: s3:GetObject' } });
  } finally {
    await twin.close();
  }
});

test.each([
  ['has baked is where node classes move', 5, [{ nodeClass: 'default', terms: [{ alias: 'al2023@v20250403' }] }], []],
  ['has not baked yet is not, and that is said', 90, [], [{ nodeClass: 'default', status: 'fail' }]],
])('a release that %s', async (_what, bakedDays, moves, unpromoted) => {
  const twin = await startTwin('small');
  try {
    const planning = createPlanningActivities({
      ...twin.clients,
      policyOf: () => policy(),
      store: { newest: async () => [], read: async () => undefined },
      windows: { judgeOrder: unused },
    });
    // Its nodes have run it for six days.
    const karpenter = { ...policy().karpenter, promoteFrom: { clusters: [twin.ref], bakedDays } };
    const asked = { cluster: twin.ref, to: '1.31', policy: policy({ cluster: twin.ref, karpenter }) };
    expect(await planning.readPromotion(asked)).toMatchObject({ moves, unpromoted });
  } finally {
    await twin.close();
  }
});
