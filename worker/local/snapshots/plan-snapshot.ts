/** A plan of a cluster as a snapshot holds it: the same inspection and planner as worker/local/plan.ts, of which nothing is sent to AWS or Kubernetes. */
import type { ClusterClients } from '../../../activities/clients/clusters.ts';
import type { RecordStore } from '../../../activities/contract/records.ts';
import { replayedClients } from '../../../activities/observe/snapshot/replay/clients.ts';
import { createPlanningActivities } from '../../../activities/run/planning/planning.ts';
import { createRecordStore } from '../../../activities/run/records/records.ts';
import { createWindowActivities } from '../../../activities/run/windows/index.ts';
import { during } from '../../../activities/runtime/translate-errors.ts';
import { defined } from '../../../domain/core/defined.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import type { PlanResult } from '../../../domain/plan/model/types.ts';
import { type Config, validateConfig } from '../../../domain/policy/config/config.ts';
import { accessOf, defaultTarget, keyOfCluster, policyOf, readinessOf } from '../../../domain/policy/config/of-cluster.ts';
import type { NodeStrategy, NodeWaves, UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { ReadinessSettings } from '../../../domain/readiness/model/settings.ts';
import { withStorage } from '../read-records.ts';

export interface SnapshotPlanRequest {
  /** Absent: there is no belay.yaml, so there are no records either. */
  config?: Config;
  target: string;
  strategy?: NodeStrategy;
  /** In place of those of belay.yaml. */
  waves?: NodeWaves | 'none';
}

/** What Belay goes by on the cluster of a snapshot. */
export interface SnapshotPolicy {
  policy: UpgradePolicy;
  readiness: ReadinessSettings;
  /** belay.yaml names this very cluster; false: the policy is Belay's defaults. */
  named: boolean;
  /** belay.yaml has a Prometheus for it. */
  prometheus: boolean;
  /** The version to upgrade to where a command names none. */
  target?: string;
}

/** Throws a failure in our words where the snapshot does not hold the cluster itself, or where records cannot be opened. */
export async function planSnapshot(snapshot: Snapshot, { config, ...request }: SnapshotPlanRequest): Promise<PlanResult> {
  const { policy: configured, prometheus } = snapshotPolicy(snapshot, config);
  const policy = withWaves(configured, request.waves);
  const clients = replayedClients(snapshot, { prometheus });
  try {
    return await during(`planning ${policy.cluster.name} from a snapshot`, () =>
      withRecords(config, (store) => makePlan({ clients, store, policy, config }, request)),
    );
  } finally {
    await clients.close();
  }
}

/** The same policy with other waves; as it is where none are asked for. */
export function withWaves(policy: UpgradePolicy, waves: NodeWaves | 'none' | undefined): UpgradePolicy {
  if (waves === undefined) return policy;
  const { waves: _, ...karpenter } = policy.karpenter;
  return { ...policy, karpenter: waves === 'none' ? karpenter : { ...karpenter, waves } };
}

interface Planning {
  clients: ClusterClients;
  store: RecordStore;
  policy: UpgradePolicy;
  config: Config | undefined;
}

async function makePlan(
  { clients, store, policy, config }: Planning,
  { target, strategy }: Omit<SnapshotPlanRequest, 'config'>,
): Promise<PlanResult> {
  const { cluster } = policy;
  const windows = createWindowActivities({ ...clients, windowsOf: () => policy.windows, store });
  const activities = createPlanningActivities({ ...clients, policyOf: (name) => policyNamed(config, policy, name), store, windows });
  const result = await activities.makePlan({ cluster, target, strategy, policy });
  if (result.kind === 'refused') return result;
  // A snapshot has nothing to try health checks on, and keeps no OIDC issuer: a run is started on the plan of the cluster itself.
  const { health: _, identity: __, ...planned } = result;
  return planned;
}

/** The policy of belay.yaml where it names this cluster, under whatever key: one of the same name elsewhere is another cluster. */
export function snapshotPolicy({ header }: Pick<Snapshot, 'header'>, config: Config | undefined): SnapshotPolicy {
  const { cluster, ownerKeys } = header;
  const key = config === undefined ? undefined : keyOfCluster(config, cluster);
  if (config !== undefined && key !== undefined) {
    return {
      policy: policyOf(config, key),
      readiness: readinessOf(config, key),
      named: true,
      prometheus: accessOf(config, key).prometheus !== undefined,
      ...defined({ target: defaultTarget(config, key) }),
    };
  }
  const defaults = policyOf(NOTHING_SAID, STAND_IN);
  // Whose a workload is was said by the belay.yaml with which the snapshot was taken; in one without names, its keys are tokens.
  const karpenter = { ...defaults.karpenter, ...defined({ ownerKeys }) };
  const policy = { ...defaults, karpenter, cluster, environment: cluster.name };
  return { policy, readiness: { ...readinessOf(NOTHING_SAID, STAND_IN), withoutFile: true }, named: false, prometheus: false };
}

/** An anonymized name or account is none that belay.yaml would take. */
const STAND_IN = 'snapshot';
const NOTHING_SAID = validateConfig(
  { clusters: { [STAND_IN]: { region: 'us-east-1', account: '000000000000' } } },
  { fileName: 'belay.yaml' },
);

function policyNamed(config: Config | undefined, own: UpgradePolicy, name: string): UpgradePolicy {
  if (name === own.cluster.name || config === undefined) return own;
  return policyOf(config, name);
}

/** None where there is no belay.yaml. */
export async function withRecords<T>(config: Config | undefined, work: (store: RecordStore) => Promise<T>): Promise<T> {
  return config === undefined ? await work(NO_RECORDS) : await withStorage(config, ({ texts }) => work(createRecordStore(texts)));
}

const NO_RECORDS: RecordStore = {
  write: () => Promise.reject(new Error('without a belay.yaml there is no place for records')),
  upgradesOf: async () => [],
  newest: async () => [],
  read: async () => undefined,
  find: async () => undefined,
};
