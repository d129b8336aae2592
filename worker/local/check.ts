/** Readiness without Temporal: gathers the evidence and judges it in this process. */
import { judgeCluster, type Judging } from '../../activities/observe/readiness/judge-cluster.ts';
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { ReadinessSettings } from '../../domain/readiness/model/settings.ts';
import type { ReadinessReport } from '../../domain/readiness/report.ts';
import { openClients } from '../config/clients.ts';
import { policyOf, readinessOf } from '../../domain/policy/config/of-cluster.ts';
import { withSmallYoungGeneration } from '../config/small-young-generation.ts';

export interface CheckRequest extends Pick<Judging, 'target' | 'only' | 'skip' | 'namespace' | 'onRead' | 'described'> {
  cluster: string;
}

/** Reads only. Throws ConfigError, or a failure in our words where the cluster itself cannot be read. */
export async function checkCluster(config: Config, request: CheckRequest): Promise<ReadinessReport> {
  const clients = openClients(config, 'check');
  try {
    return await checkWith(clients, config, request);
  } finally {
    await clients.close();
  }
}

/** The same with clients that others use, too. */
export async function checkWith(clients: ClusterClients, config: Config, { cluster, ...request }: CheckRequest): Promise<ReadinessReport> {
  return await judgeWith(clients, { policy: policyOf(config, cluster), readiness: readinessOf(config, cluster) }, request);
}

/** The same by a policy that belay.yaml need not have. */
export async function judgeWith(
  clients: ClusterClients,
  { policy, readiness }: { policy: UpgradePolicy; readiness: ReadinessSettings },
  request: Omit<CheckRequest, 'cluster'>,
): Promise<ReadinessReport> {
  const { kubernetes } = await clients.clusterPorts(policy.cluster);
  const [aws, account] = [clients.aws(policy.cluster), clients.account(policy.cluster)];
  return await withSmallYoungGeneration(() => judgeCluster({ ...request, ...readiness, aws, account, kubernetes, policy }));
}
