/** A plan without Temporal: inspects and plans in this process. */
import { createPlanningActivities } from '../activities/planning.ts';
import { createDirectoryStore } from '../activities/records.ts';
import { during } from '../activities/translate-errors.ts';
import { createWindowActivities } from '../activities/windows/index.ts';
import { type Config, policyOf } from '../domain/config/config.ts';
import type { NodeStrategy, PlanResult } from '../domain/plan/types.ts';
import { openClients } from './clients.ts';
import { besideConfig } from './settings.ts';

/** Reads only. Throws ConfigError, or a failure in our words where AWS or the cluster cannot be read. */
export async function planCluster(
  config: Config,
  request: { cluster: string; target: string; strategy?: NodeStrategy },
): Promise<PlanResult> {
  const policy = policyOf(config, request.cluster);
  const clients = openClients(config);
  try {
    const store = createDirectoryStore(besideConfig(config, config.recordsDirectory));
    const windows = createWindowActivities({ ...clients, windowsOf: () => policy.windows, store });
    const planning = createPlanningActivities({ ...clients, policyOf: (name) => policyOf(config, name), windows });
    const { cluster } = policy;
    return await during(`planning ${cluster.name}`, () =>
      planning.makePlan({ cluster, target: request.target, strategy: request.strategy, policy }),
    );
  } finally {
    await clients.close();
  }
}
