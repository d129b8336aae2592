/** Clusters of a campaign that have arrived: are they still there? Read where they are reached; their runs are Temporal's to tell. */
import { tryMinorDistance } from '../../../domain/core/version.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { memberKey } from '../../../domain/plan/campaign/types.ts';
import type { Look } from '../../../domain/run/campaign/looks.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import type { ClusterDeps } from '../../clients/clusters.ts';
import type { CampaignActivities } from '../../contract/campaign.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { failureType, translateError } from '../../runtime/translate-errors.ts';

export type ArrivedDeps = Pick<ClusterDeps, 'aws'>;

export const createArrivedActivities = ({ aws }: ArrivedDeps): Pick<CampaignActivities, 'lookAtArrived'> => ({
  async lookAtArrived({ clusters, target }) {
    const looks = await someAtOnce(clusters, async (cluster) => [memberKey(cluster), await stillThere(aws, cluster, target)] as const);
    return { looks: Object.fromEntries(looks) };
  },
});

type Version = { version: string } | { gone: string } | { why: string };

export async function versionOf(aws: ArrivedDeps['aws'], cluster: ClusterRef): Promise<Version> {
  try {
    const { version } = await describeCluster(aws(cluster), cluster);
    return version === undefined ? { why: 'EKS names no version' } : { version };
  } catch (error) {
    const failure = translateError(error, `reading ${cluster.name}`);
    return failureType(failure) === 'NotFound' ? { gone: 'EKS knows no such cluster any more' } : { why: failure.message };
  }
}

/** People, or somebody's Terraform, may have taken it back. */
async function stillThere(aws: ArrivedDeps['aws'], cluster: ClusterRef, target: string): Promise<Look> {
  const read = await versionOf(aws, cluster);
  if ('gone' in read) return { kind: 'gone', why: read.gone };
  if ('why' in read) return { kind: 'unread', why: read.why };
  const order = tryMinorDistance(read.version, target);
  if (order !== undefined && order > 0) return { kind: 'ended', runId: '', outcome: 'rolled-back', why: `it is at ${read.version} again` };
  return { kind: 'ended', runId: '', outcome: 'completed', why: `at ${read.version}` };
}
