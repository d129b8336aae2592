/** When Karpenter's objects are migrated, over which APIs, and what the plan says of it. */
import { describe, expect, test } from 'vitest';
import type { ClusterFacts, DeliveredChart, KarpenterFact } from '../../../../domain/facts/facts.ts';
import { policy } from '../../../support/facts.ts';
import { paramsOf, planOf, stepIds, stepOf } from '../../../support/plans.ts';
import { at, withKarpenter } from '../rule-cases/case.ts';

const facts = (minor: string, version: string, change: Partial<KarpenterFact> = {}): ClusterFacts => {
  const { karpenter } = withKarpenter(version);
  if (karpenter === undefined) throw new Error('no Karpenter');
  return at(minor, { supportedVersions: [], karpenter: { ...karpenter, ...change }, istio: undefined });
};
const phases = (minor: string, target: string, version: string, change: Partial<KarpenterFact> = {}): string[] =>
  stepIds(planOf(facts(minor, version, change), target)).filter((id) => id.startsWith('karpenter-') && !id.startsWith('karpenter-drift'));

describe('when', () => {
  test.each<[string, string, string, string, Partial<KarpenterFact>, string[]]>([
    ['0.37, which has to become 1.0', '1.30', '1.31', '0.37.1', { api: 'v1beta1' }, ['karpenter-migration@1.31']],
    ['0.36, which would do for the hop: Belay speaks v1 alone', '1.28', '1.29', '0.36.2', { api: 'v1beta1' }, ['karpenter-migration@1.29']],
    [
      'and the matrix asks for more: once, then the controller',
      '1.31',
      '1.32',
      '0.37.1',
      { api: 'v1beta1' },
      ['karpenter-migration@1.32', 'karpenter-controller@1.32'],
    ],
    ['1.0 whose objects are all of v1', '1.31', '1.32', '1.0.8', {}, ['karpenter-controller@1.32']],
    [
      '1.0 that has objects stored as v1beta1, and has to leave',
      '1.31',
      '1.32',
      '1.0.8',
      { storedBeta: true },
      ['karpenter-migration@1.32', 'karpenter-controller@1.32'],
    ],
    ['1.0 with such objects that may stay', '1.30', '1.31', '1.0.8', { storedBeta: true }, []],
    ['1.6', '1.33', '1.34', '1.6.2', {}, []],
  ])('%s', (_title, minor, target, version, change, steps) => {
    expect(phases(minor, target, version, change)).toEqual(steps);
  });

  test('over several hops: in the first', () => {
    const steps = stepIds(planOf(facts('1.30', '0.37.1', { api: 'v1beta1' }), '1.33'));
    expect(steps.filter((id) => /^karpenter-(?:migration|controller)/.test(id))).toEqual([
      'karpenter-migration@1.31',
      'karpenter-controller@1.32',
    ]);
  });
});

describe('what', () => {
  test('v1beta1: one leg, and the way back to the patch of the minor', () => {
    const plan = planOf(facts('1.30', '0.37.1', { api: 'v1beta1' }), '1.31');
    expect(paramsOf(plan, 'karpenter-migration', '1.31')).toEqual({
      phase: 'karpenter-migration',
      from: '0.37.1',
      to: '1.0.14',
      legs: ['v1'],
      namespace: 'kube-system',
      deployment: 'karpenter',
      managedBy: policy().managedBy.karpenter,
    });
    expect(stepOf(plan, 'karpenter-migration@1.31')).toMatchObject({
      title: 'Karpenter’s API v1beta1 → v1',
      why: 'Karpenter 0.37.1 has its objects in an older API; freeze, pace and waves speak v1, which comes with 1.0.14. Each change of its charts is asked for, in order, and watched.',
      rollback: {
        what: 'Karpenter, back to 0.37.7, and to nothing older',
        until: 'Karpenter goes to 1.1 or newer, which drops v1beta1',
      },
    });
  });

  test('v1alpha5: two legs, and its nodes count as replaced', () => {
    const [older, newer] = [facts('1.28', '0.31.1', { api: 'v1alpha5' }), facts('1.28', '0.37.1', { api: 'v1beta1' })].map((each) =>
      planOf(each, '1.29'),
    );
    if (older === undefined || newer === undefined) throw new Error('no plan');
    const params = paramsOf(older, 'karpenter-migration', '1.29');
    expect(params).toMatchObject({ legs: ['v1beta1', 'v1'], moveNodes: 'ask' });
    const replaced = (plan: typeof older) => plan.strategies.find(({ strategy }) => strategy === plan.strategy)?.nodeReplacementCount ?? 0;
    expect(replaced(older) - replaced(newer)).toBe(params.nodeCount);
  });

  test('Helm: Belay upgrades the charts itself', () => {
    const own = { policy: policy({ managedBy: { ...policy().managedBy, karpenter: 'helm' } }) };
    const step = stepOf(planOf(facts('1.30', '0.37.1', { api: 'v1beta1' }), '1.31', own), 'karpenter-migration@1.31');
    expect(step.params).toMatchObject({ delivery: { kind: 'helm' } });
    expect(step.why).toBe(
      'Karpenter 0.37.1 has its objects in an older API; freeze, pace and waves speak v1, which comes with 1.0.14. Belay upgrades its charts with helm, each behind the one before.',
    );
  });

  test('GitOps: which object is changed, and which is asked for', () => {
    const chart: DeliveredChart = {
      kind: 'HelmRelease',
      namespace: 'flux-system',
      name: 'karpenter',
      chart: 'karpenter',
      version: '0.37.1',
    };
    const kept = { ...chart, owner: 'Kustomization flux-system/platform' };
    const why = (charts: DeliveredChart[]) =>
      stepOf(
        planOf(facts('1.30', '0.37.1', { api: 'v1beta1', deliveredCharts: charts }), '1.31', {
          policy: policy({ managedBy: { ...policy().managedBy, karpenter: 'flux' } }),
        }),
        'karpenter-migration@1.31',
      ).why;
    expect(why([chart])).toContain('Belay changes HelmRelease flux-system/karpenter, each behind the one before.');
    expect(why([kept])).toContain(
      'HelmRelease flux-system/karpenter is kept as in Git by Kustomization flux-system/platform: Belay asks for each merge, in order.',
    );
  });

  test('leaving 1.0 for 1.1 or newer has a gate of its own, whoever does it', () => {
    expect(stepOf(planOf(facts('1.31', '1.0.8'), '1.32'), 'karpenter-controller@1.32').gate).toMatchObject({
      title: 'Leave v1beta1 for good: Karpenter 1.0.8 → 1.2.8?',
      next: 'Karpenter goes to 1.2.8, which supports only API v1.',
    });
    expect(stepOf(planOf(facts('1.31', '1.1.0'), '1.32'), 'karpenter-controller@1.32').gate).toBeUndefined();
  });
});
