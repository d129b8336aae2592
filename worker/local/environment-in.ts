/** Whether belay.yaml names a cluster, for what shows clusters that Temporal names: whoever may start workflows may name any. */
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

/** Its environment; undefined unless it is of the same account and region, too. */
export function environmentIn(config: Config, { name, account, region }: ClusterRef): string | undefined {
  if (!config.clusterNames.includes(name)) return undefined;
  const { cluster, environment } = policyOf(config, name);
  return cluster.account === account && cluster.region === region ? environment : undefined;
}
