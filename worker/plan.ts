/** A plan without Temporal: inspects and plans in this process. */
import { createBackActivities } from '../activities/going-back.ts';
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
  return await planning(config, request.cluster, (clients, policy) => {
    const { cluster } = policy;
    const store = createDirectoryStore(besideConfig(config, config.recordsDirectory));
    const windows = createWindowActivities({ ...clients, windowsOf: () => policy.windows, store });
    const activities = createPlanningActivities({ ...clients, policyOf: (name) => policyOf(config, name), store, windows });
    return activities.makePlan({ cluster, target: request.target, strategy: request.strategy, policy });
  });
}

/** The same for the way back. */
export async function planClusterBack(config: Config, name: string): Promise<PlanResult> {
  return await planning(config, name, (clients, policy) => createBackActivities(clients).planBack({ cluster: policy.cluster, policy }));
}

async function planning(
  config: Config,
  name: string,
  plan: (clients: ReturnType<typeof openClients>, policy: ReturnType<typeof policyOf>) => Promise<PlanResult>,
): Promise<PlanResult> {
  const policy = policyOf(config, name);
  const clients = openClients(config, 'plan');
  try {
    return await during(`planning ${policy.cluster.name}`, () => plan(clients, policy));
  } finally {
    await clients.close();
  }
}
