/** Where the API server of a cluster is, by DescribeCluster. */
import { DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import type { ClusterEndpoint } from '../../clients/kubernetes/connection.ts';
import { currentSignal } from '../../runtime/context.ts';
import { CannotTry } from './check.ts';

export async function describeEndpoint(eks: EKSClient, name: string): Promise<ClusterEndpoint> {
  const { cluster } = await eks.send(new DescribeClusterCommand({ name }), { abortSignal: currentSignal() });
  const { endpoint, certificateAuthority } = cluster ?? {};
  if (endpoint === undefined || certificateAuthority?.data === undefined) throw new CannotTry(`${name} has no endpoint yet`);
  return { endpoint: endpoint.replace(/\/$/, ''), caData: certificateAuthority.data };
}
