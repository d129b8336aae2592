/** Which cluster it is: one that was deleted and made anew under the same name is another one, and nothing that was approved is about it. */
import type { Cluster } from '@aws-sdk/client-eks';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

/**
 * "2024-03-01T09:00:00.000Z 5A1F…": when EKS made it, and the id at the end of its OIDC issuer. Neither can be changed, and a new cluster has others
 * (docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html: createdAt; API_OIDC.html: issuer).
 */
export function identityOf({ createdAt, identity }: Cluster): string | undefined {
  const issuer = identity?.oidc?.issuer?.split('/').at(-1);
  return createdAt === undefined ? undefined : [createdAt.toISOString(), ...(issuer === undefined ? [] : [issuer])].join(' ');
}

/** Throws ClusterReplaced where the run began on another one. */
export function refuseAnotherCluster(ref: ClusterRef, cluster: Cluster): void {
  const now = identityOf(cluster);
  if (ref.identity === undefined || now === undefined || isSame(ref.identity, now)) return;
  const [began = '?'] = ref.identity.split(' ');
  throw failureOf(
    'ClusterReplaced',
    `cluster ${ref.name} is another one: this run began on the one that was created at ${began}, and EKS says that this one was created at ${now.split(' ')[0] ?? '?'}. Belay changes nothing on it; start a new upgrade there if it needs one`,
  );
}

/** By the issuer where both have one: it is what the cluster's own roles trust. */
function isSame(before: string, now: string): boolean {
  const [createdBefore, issuerBefore] = before.split(' ');
  const [createdNow, issuerNow] = now.split(' ');
  return issuerBefore !== undefined && issuerNow !== undefined ? issuerBefore === issuerNow : createdBefore === createdNow;
}
