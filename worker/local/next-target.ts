/** The version to upgrade to where nobody names one: the next minor that EKS offers after the cluster's own. */
import type { Cluster } from '@aws-sdk/client-eks';
import { describeCluster } from '../../activities/clients/aws/eks-api.ts';
import { listOfferedVersions } from '../../activities/observe/inspect/eks.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { targetsFrom } from '../../domain/run/fleet.ts';
import { openClients } from '../config/clients.ts';
import { ClusterProblemError } from './without-file/problems.ts';

/**
 * By what EKS itself says: Belay's own calendar may be older than the offer. `known`: the cluster's version. Throws ClusterProblemError where EKS does
 * not say, or offers nothing newer.
 */
export async function nextTarget(config: Config, cluster: string, known?: string): Promise<string> {
  const clients = openClients(config, 'versions');
  try {
    const { cluster: ref } = policyOf(config, cluster);
    const aws = clients.aws(ref);
    const version = known ?? (await describeCluster(aws, ref)).version ?? '';
    const unread = (why: string, cause?: unknown) => new ClusterProblemError({ kind: 'no-versions', cluster, version, why }, { cause });
    const offered = await listOfferedVersions(aws).catch((error: unknown) => {
      throw unread(messageOf(error), error);
    });
    if (offered.length === 0) throw unread('EKS listed none');
    const [next] = targetsFrom(version, offered);
    if (next === undefined) throw new ClusterProblemError({ kind: 'newest', cluster, version });
    return next.minor;
  } finally {
    await clients.close();
  }
}

/** The cluster as EKS describes it. Throws a failure in our words where it cannot be described. */
export async function describe(config: Config, cluster: string): Promise<Cluster> {
  const clients = openClients(config, 'versions');
  try {
    const { cluster: ref } = policyOf(config, cluster);
    return await describeCluster(clients.aws(ref), ref);
  } finally {
    await clients.close();
  }
}
