/** Looks from time to time whether a cluster is still the one that a run began on. */
import type { AwsClients } from './clients.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { describeCluster } from './eks-api.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

/** EKS needs many minutes to delete a cluster and to make another one: looks ask once a minute, and a hundred patches in a row once. */
const BELIEVED_FOR_MS = { look: 60_000, change: 2000 } as const;
/** While EKS does not answer, what protects the cluster (a freeze that is put back, a pace of 0) must not wait for it. */
const BELIEVED_WHILE_AWAY_MS = 30 * 60_000;

export type IdentityProof = (before: keyof typeof BELIEVED_FOR_MS) => Promise<void>;

/** Rejects with ClusterReplaced where it is another one. Without a known identity nothing is asked. */
export function identityProof(aws: AwsClients, ref: ClusterRef, nowMs = Date.now): IdentityProof {
  let believed: { proof: Promise<unknown>; atMs: number } | undefined;
  let provenAtMs: number | undefined;
  const prove = async (): Promise<void> => {
    try {
      await describeCluster(aws, ref);
      provenAtMs = nowMs();
    } catch (error) {
      const isRecent = provenAtMs !== undefined && nowMs() - provenAtMs < BELIEVED_WHILE_AWAY_MS;
      if (failureType(error) === 'ClusterReplaced' || failureType(error) === 'NotFound' || !isRecent) throw error;
    }
  };
  return async (before) => {
    if (ref.identity === undefined) return;
    if (believed === undefined || nowMs() - believed.atMs >= BELIEVED_FOR_MS[before]) {
      const made = { proof: prove(), atMs: nowMs() };
      believed = made;
      // A look that failed is made again by the next one.
      made.proof.catch(() => {
        if (believed === made) believed = undefined;
      });
    }
    await believed.proof;
  };
}
