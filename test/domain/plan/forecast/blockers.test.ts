/** Who keeps a node from being replaced, and why. */
import { describe, expect, test } from 'vitest';
import type { BlockerForecast } from '../../../../domain/plan/forecast/types.ts';
import { type AppOf, type ClusterOf } from '../../../support/clusters.ts';
import { forecastOf } from '../../../support/played-forecasts.ts';

const POOL = { name: 'general', nodes: 3, budgets: [{ nodes: '1' }] };
const cluster = (...apps: AppOf[]): ClusterOf => ({ pools: [POOL], apps });
const brief = ({ pod, reason, budgets, share }: BlockerForecast): string =>
  `${pod.namespace}/${pod.name}: ${reason} ${budgets.join('+')} ${share}`.replaceAll('  ', ' ');

const CASES: [name: string, app: AppOf, blockers: string[], replaced: number][] = [
  ['a budget that allows nothing', { name: 'web', budget: { maxUnavailable: 0 } }, ['shop/web-5d8-0: budget web 1'], 2],
  [
    'a budget of 100 %',
    { name: 'web', replicas: 2, budget: { minAvailable: '100%' } },
    ['shop/web-5d8-0: budget web 1', 'shop/web-5d8-1: budget web 1'],
    1,
  ],
  ['half of three rounds up, so one may go', { name: 'web', replicas: 3, budget: { minAvailable: '50%' } }, [], 3],
  ['a tenth of one replica rounds up', { name: 'web', replicas: 1, budget: { maxUnavailable: '10%' } }, [], 3],
  [
    'one replica that has to stay: a second one frees it',
    { name: 'web', budget: { minAvailable: 1 } },
    ['shop/web-5d8-0: budget web 1'],
    3,
  ],
  [
    'several budgets',
    { name: 'web', replicas: 1, budgets: [{ maxUnavailable: 1 }, { maxUnavailable: 1 }] },
    ['shop/web-5d8-0: several-budgets web+web-1 1'],
    2,
  ],
  ['do-not-disrupt', { name: 'job', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }, ['shop/job-5d8-0: do-not-disrupt 1'], 2],
  ['do-not-disrupt that is over', { name: 'job', annotations: { 'karpenter.sh/do-not-disrupt': '30m' } }, [], 3],
  ['a budget of another', { name: 'web', budget: { maxUnavailable: 0, selector: { matchLabels: { app: 'else' } } } }, [], 3],
  [
    'a pod without a controller, which its budget does not count',
    { name: 'web', kind: 'Pod', budget: { maxUnavailable: 1 } },
    ['shop/web: budget web 1'],
    2,
  ],
  [
    'pods whose owner has no scale, as the status says',
    {
      name: 'web',
      replicas: 2,
      budget: { maxUnavailable: 1 },
      budgetStatus: { disruptionsAllowed: 0, conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' }] },
    },
    ['shop/web-5d8-0: budget web 1', 'shop/web-5d8-1: budget web 1'],
    1,
  ],
  [
    'a pod that is not Ready, which its budget lets go',
    { name: 'web', ready: false, budget: { maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    [],
    3,
  ],
];

describe('blockers', () => {
  test.each(CASES)('%s', (_, app, blockers, replaced) => {
    const forecast = forecastOf(cluster(app));
    expect(forecast.blockers.map(brief)).toEqual(blockers);
    expect(forecast.nodesReplaced).toEqual([{ owner: 'karpenter', name: 'general', count: { p50: replaced, p90: replaced } }]);
  });

  test('names pod, node, workload and team', () => {
    const { blockers, gates } = forecastOf(cluster({ name: 'web', budget: { maxUnavailable: 0 }, ownLabels: { team: 'checkout' } }));
    expect(blockers).toEqual([
      {
        pod: { namespace: 'shop', name: 'web-5d8-0' },
        node: 'general-0',
        workload: { kind: 'Deployment', namespace: 'shop', name: 'web' },
        reason: 'budget',
        budgets: ['web'],
        share: 1,
      },
    ]);
    expect(gates.at(-1)).toEqual({
      step: 'karpenter-drift@1.32',
      title: 'Nodes cannot be replaced: what now?',
      why: 'Pods or annotations block 1 node at least',
      assumed: 'a replica more where that frees the pod, else the node is skipped',
      decidedAfterMs: 600_000,
      share: 1,
    });
  });

  test('F53: budgets that were not read block nothing, and that is said first', () => {
    const { blockers, limits } = forecastOf({
      ...cluster({ name: 'web', budget: { maxUnavailable: 0 } }),
      unread: ['policy/v1 poddisruptionbudgets'],
    });
    expect(blockers).toEqual([]);
    expect(limits[0]).toBe(
      'PodDisruptionBudgets were not read: which pods block a drain is unknown, and every eviction is simulated as allowed (not permitted: Forbidden)',
    );
  });
});
