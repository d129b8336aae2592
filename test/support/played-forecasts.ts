/** Forecasts of small clusters: the plan of one roll, 1.31 → 1.32. */
import { type ForecastInput, forecastUpgrade } from '../../domain/plan/forecast/forecast.ts';
import type { Forecast } from '../../domain/plan/forecast/types.ts';
import type { StepParams } from '../../domain/plan/model/step-params.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import { type ClusterOf, clusterSnapshot } from './clusters.ts';
import { policy } from './facts.ts';
import { plan, step } from './plan.ts';

/** Its nodes roll at these paces; groups and pools are the cluster's. */
export function rollPlan(of: ClusterOf, change: Partial<Extract<StepParams, { phase: 'karpenter-drift' }>> = {}): UpgradePlan {
  const { pools = [], groups = [] } = of;
  const steps = [
    step('control-plane'),
    ...(groups.length === 0
      ? []
      : [
          step('node-groups', {
            params: {
              phase: 'node-groups',
              to: '1.32',
              groups: groups.map(({ name, nodes }) => ({ name, from: '1.31', count: nodes })),
              managedBy: 'eks',
            },
          }),
        ]),
    ...(pools.length === 0
      ? []
      : [
          step('karpenter-drift', {
            params: {
              phase: 'karpenter-drift',
              to: '1.32',
              nodePools: pools.map(({ name }) => name),
              nodeCount: pools.reduce((sum, { nodes }) => sum + nodes, 0),
              paces: ['original'],
              offeredPaces: [],
              ...change,
            },
          }),
        ]),
  ];
  return { ...plan([]), steps };
}

export function forecastOf(of: ClusterOf, change: Partial<ForecastInput> = {}): Forecast {
  return forecastUpgrade({
    snapshot: clusterSnapshot(of),
    plan: rollPlan(of),
    policy: policy(),
    runs: 5,
    seed: 1,
    madeAt: '2026-09-08T10:00:00Z',
    ...change,
  });
}
