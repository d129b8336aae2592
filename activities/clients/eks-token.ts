/**
 * Bearer tokens for EKS's API servers, made from AWS credentials: a presigned STS GetCallerIdentity whose signed header names the cluster.
 * Format: aws-iam-authenticator's `k8s-aws-v1.` + base64url of the URL. Kept in memory only.
 */
import { Sha256 } from '@aws-crypto/sha256-js';
import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';

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
  const endpoint = await resolveEndpoint(sts);
  const signer = new SignatureV4({
    service: 'sts',
    region: await sts.config.region(),
    credentials: sts.config.credentials,
    sha256: Sha256,
  });
  const signed = await signer.presign(
    {
      method: 'GET',
      protocol: endpoint.protocol,
      hostname: endpoint.hostname,
      ...(endpoint.port === '' ? {} : { port: Number(endpoint.port) }),
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: endpoint.host, [CLUSTER_HEADER]: cluster },
    },
    { expiresIn: URL_EXPIRY_SECONDS, signingDate: at },
  );
  const query = Object.entries(signed.query ?? {})
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value ?? '']).map((one) => `${encode(name)}=${encode(one)}`))
    .join('&');
  return PREFIX + Buffer.from(`${endpoint.protocol}//${endpoint.host}/?${query}`).toString('base64url');
}

/** RFC 3986, as the signature's canonical query has it. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Where this client would send GetCallerIdentity: region, partition and AWS_ENDPOINT_URL* are the SDK's business. Nothing is sent. */
async function resolveEndpoint(sts: STSClient): Promise<URL> {
  let url: URL | undefined;
  const command = new GetCallerIdentityCommand({});
  command.middlewareStack.add(
    (_next, context) => async () => {
      url = context.endpointV2?.url;
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'build', priority: 'high', name: 'belayEndpointOnly' },
  );
  await sts.send(command);
  if (url === undefined) throw new Error('the AWS SDK resolved no STS endpoint');
  return url;
}
