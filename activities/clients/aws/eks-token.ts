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
/** A token ends with the session that signed it. */
const BEFORE_SESSION_ENDS_MS = 60_000;

export interface TokenSource {
  /** A token that is at most ten minutes old, of a session that has not ended. */
  token(): Promise<string>;
  /** Forgets the token: the next call signs a new one, with a new session where the old one signed what is forgotten. */
  renew(): void;
}

interface Signed {
  token: string;
  untilMs: number;
}

/** Tokens for one cluster. `nowMs` is injected by tests. */
export function createEksTokenSource(sts: STSClient, cluster: string, nowMs: () => number = () => Date.now()): TokenSource {
  let current: Promise<Signed> | undefined;
  let afresh = false;
  const token = async (): Promise<string> => {
    const seen = current;
    const last = await seen?.catch(() => undefined);
    if (last !== undefined && nowMs() < last.untilMs) return last.token;
    // Somebody else signs one at the moment.
    if (current !== undefined && current !== seen) return await token();
    const made = signToken(sts, cluster, nowMs(), afresh);
    afresh = false;
    current = made;
    // A failed signing (no credentials yet) is not kept.
    made.catch(() => {
      if (current === made) current = undefined;
    });
    return (await made).token;
  };
  return {
    token,
    renew() {
      afresh ||= current !== undefined;
      current = undefined;
    },
  };
}

async function signToken(sts: STSClient, cluster: string, atMs: number, afresh: boolean): Promise<Signed> {
  // Somebody may have revoked the session; where there is no other, the old one is tried again.
  if (afresh) await sts.config.credentials({ forceRefresh: true }).catch(() => undefined);
  const { expiration } = await sts.config.credentials();
  const at = new Date(atMs);
  const url = await presignCallerIdentity(sts, { header: { [CLUSTER_HEADER]: cluster }, at, expiresIn: URL_EXPIRY_SECONDS });
  const sessionUntilMs = (expiration?.getTime() ?? Infinity) - BEFORE_SESSION_ENDS_MS;
  return { token: PREFIX + Buffer.from(url).toString('base64url'), untilMs: Math.min(atMs + RENEW_AFTER_MS, sessionUntilMs) };
}
