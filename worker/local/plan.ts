/** A plan without Temporal: inspects and plans in this process. */
import { createRollbackPlanActivities } from '../../activities/run/planning/plan-rollback.ts';
import { inspectCluster } from '../../activities/observe/inspect/inspect-cluster.ts';
import { createPlanningActivities } from '../../activities/run/planning/planning.ts';
import type { RecordStore } from '../../activities/contract/records.ts';
import { createRecordStore } from '../../activities/run/records/records.ts';
import { during } from '../../activities/runtime/translate-errors.ts';
import { undoOptionsOf } from '../../activities/run/planning/plan-undo.ts';
import { createWindowActivities } from '../../activities/run/windows/index.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import type { PlanResult } from '../../domain/plan/model/types.ts';
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import { openClients } from '../config/clients.ts';
import { openStorage } from '../config/storage.ts';
import type { NodeStrategy } from '../../domain/policy/policy.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

/** Reads only. Throws ConfigError, or a failure in our words where AWS or the cluster cannot be read. */
export async function planCluster(
  config: Config,
  request: { cluster: string; target: string; strategy?: NodeStrategy },
): Promise<PlanResult> {
  return await planning(config, request.cluster, ({ clients, store, policy }) => {
    const { cluster } = policy;
    const windows = createWindowActivities({ ...clients, windowsOf: () => policy.windows, store });
    const activities = createPlanningActivities({ ...clients, policyOf: (name) => policyOf(config, name), store, windows });
    return activities.makePlan({ cluster, target: request.target, strategy: request.strategy, policy });
  });
}

/** The same for the way back; with `undo`, for that of one step of the last run. */
export async function planClusterBack(config: Config, name: string, undo?: string): Promise<PlanResult> {
  return await planning(config, name, ({ clients, store, policy }) =>
    createRollbackPlanActivities({ ...clients, store }).planRollback({ cluster: policy.cluster, policy, undo }),
  );
}

/** What of the last run can be undone now. */
export async function listUndo(config: Config, name: string): Promise<UndoOption[]> {
  return await planning(config, name, async ({ clients, store, policy }) => {
    const { cluster } = policy;
    const ports = await clients.clusterPorts(cluster);
    const [aws, account] = [clients.aws(cluster), clients.account(cluster)];
    const facts = await inspectCluster({ aws, ports, account, ref: cluster, onTransient: 'unknown' });
    return await undoOptionsOf({ store, facts, policy, aws, account, kubernetes: ports.kubernetes });
  });
}

interface Planning {
  clients: ReturnType<typeof openClients>;
  store: RecordStore;
  policy: ReturnType<typeof policyOf>;
}

async function planning<T>(config: Config, name: string, plan: (given: Planning) => Promise<T>): Promise<T> {
  const policy = policyOf(config, name);
  const clients = openClients(config, 'plan');
  const storage = openStorage(config);
  try {
    const store = createRecordStore(storage.texts);
    return await during(`planning ${policy.cluster.name}`, () => plan({ clients, store, policy }));
  } finally {
    storage.close();
    await clients.close();
  }
}
