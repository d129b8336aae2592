/** EKS's own clock: what its times, and times that people set for it, are compared with. */
import type { AwsClients } from '../clients/aws/clients.ts';
import { failureOf } from '../runtime/translate-errors.ts';
import { describeCluster } from '../clients/aws/eks-api.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

/** ISO 8601, of an answer about this cluster. */
export async function readEksClock(aws: AwsClients, cluster: ClusterRef): Promise<string> {
  await describeCluster(aws, cluster);
  const date = aws.eksDate();
  if (date === undefined) throw failureOf('Unavailable', `reading EKS's clock: the answer for ${cluster.name} has no Date`);
  return date;
}
