/** Which cluster of belay.yaml a snapshot is of: by account, region and EKS's name. What does not match is said with what would. */
import { type ClusterRef, differencesOf, eksNameOf } from '../../domain/core/cluster-ref.ts';
import type { SnapshotHeader } from '../../domain/facts/snapshot/format.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { keyOfCluster, policyOf } from '../../domain/policy/config/of-cluster.ts';
import { anonymousSnapshot, configElsewhere, notInConfig, otherClustersSnapshot, snapshotElsewhere } from '../messages/snapshots.ts';
import { CliError } from './errors.ts';

interface Asked {
  /** The snapshot. */
  file: string;
  /** As it was typed. */
  named: string | undefined;
  /** Absent: there is no belay.yaml. */
  config?: Config;
}

/** Throws a CliError where `named` is another cluster. A sentence where belay.yaml is there and does not name this cluster: its settings are not used. */
export function matchSnapshot({ cluster, anonymized }: SnapshotHeader, { file, named, config }: Asked): string | undefined {
  const key = config === undefined ? undefined : keyOfCluster(config, cluster);
  const names = [cluster.name, eksNameOf(cluster)];
  const ofFile = config === undefined || named === undefined || !config.clusterNames.includes(named) ? undefined : policyOf(config, named);
  if (named !== undefined && named !== key) {
    if (config !== undefined && ofFile !== undefined && !anonymized)
      throw new CliError(
        snapshotElsewhere(file, cluster, {
          config: config.fileName,
          cluster: ofFile.cluster,
          fields: differencesOf(ofFile.cluster, cluster),
        }),
      );
    if (!names.includes(named)) throw new CliError(otherClustersSnapshot(file, cluster.name, named));
  }
  if (config === undefined || key !== undefined) return undefined;
  if (anonymized) return anonymousSnapshot(config.fileName);
  const near = nearTo(cluster, config);
  return near === undefined
    ? notInConfig(config.fileName, cluster)
    : configElsewhere(config.fileName, cluster, { cluster: near, fields: differencesOf(near, cluster) });
}

/** One that is called the same, on either side, and is elsewhere. */
function nearTo(cluster: ClusterRef, config: Config): ClusterRef | undefined {
  const names = new Set([cluster.name, eksNameOf(cluster)]);
  return config.clusterNames
    .map((name) => policyOf(config, name).cluster)
    .find((each) => names.has(each.name) || names.has(eksNameOf(each)));
}
