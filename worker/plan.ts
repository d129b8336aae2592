/** A plan without Temporal: inspects and plans in this process. */
import { createClusterClients } from '../activities/clients/clusters.ts';
import { createPlanningActivities } from '../activities/planning.ts';
import { during } from '../activities/translate-errors.ts';
import { type Config, policyOf } from '../domain/config/config.ts';
import type { NodeStrategy, PlanResult } from '../domain/plan/types.ts';
import { settingsOf } from './settings.ts';

/** Reads only. Throws ConfigError, or a failure in our words where AWS or the cluster cannot be read. */
export async function planCluster(
  config: Config,
  request: { cluster: string; target: string; strategy?: NodeStrategy },
): Promise<PlanResult> {
  const policy = policyOf(config, request.cluster);
  const clients = createClusterClients({ settings: (name) => settingsOf(config, name) });
  try {
    const planning = createPlanningActivities({
      policyOf: (name) => policyOf(config, name),
      aws: (cluster) => clients.aws(cluster),
      clusterPorts: (cluster) => clients.clusterPorts(cluster),
    });
    const { cluster } = policy;
    return await during(`planning ${cluster.name}`, () =>
      planning.makePlan({ cluster, target: request.target, strategy: request.strategy ?? policy.strategy, policy }),
    );
  } finally {
    await clients.close();
  }
}
