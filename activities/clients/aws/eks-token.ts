/**
 * Bearer tokens for EKS's API servers, made from AWS credentials: a presigned STS GetCallerIdentity whose signed header names the cluster.
 * Format: aws-iam-authenticator's `k8s-aws-v1.` + base64url of the URL. Kept in memory only.
 */
import type { STSClient } from '@aws-sdk/client-sts';
import { presignCallerIdentity } from './presigned-identity.ts';

const PREFIX = 'k8s-aws-v1.';
const CLUSTER_HEADER = 'x-k8s-aws-id';
const URL_EXPIRY_SECONDS = 60;
/** The server accepts a token for 15 minutes after signing; aws-cli counts on 14. */
const RENEW_AFTER_MS = 10 * 60_000;

export interface TokenSource {
  /** A token that is at most ten minutes old. */
  token(): Promise<string>;
  /** Forgets the token: the next call signs a new one. */
  renew(): void;
}

/** Tokens for one cluster. `nowMs` is injected by tests. */
export function createEksTokenSource(sts: STSClient, cluster: string, nowMs: () => number = Date.now): TokenSource {
  let current: { token: Promise<string>; madeMs: number } | undefined;
  return {
    token() {
      if (current === undefined || nowMs() - current.madeMs >= RENEW_AFTER_MS) {
        const made = { token: signToken(sts, cluster, new Date(nowMs())), madeMs: nowMs() };
        current = made;
        // A failed signing (no credentials yet) is not kept.
        made.token.catch(() => {
          if (current === made) current = undefined;
        });
      }
      return current.token;
    },
    renew() {
      current = undefined;
    },
  };
}

async function signToken(sts: STSClient, cluster: string, at: Date): Promise<string> {
  const url = await presignCallerIdentity(sts, { header: { [CLUSTER_HEADER]: cluster }, at, expiresIn: URL_EXPIRY_SECONDS });
  return PREFIX + Buffer.from(url).toString('base64url');
}
