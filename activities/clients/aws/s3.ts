/** A bucket's client: S3, or a server that speaks its API. */
import { S3Client } from '@aws-sdk/client-s3';
import type { ProxyVariables } from '../../contract/ports.ts';
import { createCredentials } from './credentials.ts';
import { prepared } from './prepared-client.ts';

/** An append, a list and a write, has ten seconds. */
const TIMEOUT_MS = 4_000;

export interface BucketSettings {
  bucket: string;
  /** Ends in "/", or is empty. */
  prefix: string;
  region: string;
  /** Another server than S3. */
  endpoint?: string;
  /** Whose the bucket has to be: nobody else can take its name. */
  account?: string;
  /** ARN; absent: as the bucket encrypts by default. */
  kmsKey?: string;
  /** Of the shared AWS files; absent: the credentials of the process. */
  profile?: string;
  /** How long nobody can replace or delete what an audit record is made of. */
  lock?: { mode: 'compliance' | 'governance'; days: number };
  proxy?: ProxyVariables;
}

/** Nothing is sent until it is used. */
export function createS3Client({ region, endpoint, profile, proxy }: BucketSettings): S3Client {
  const requestHandler = {
    connectionTimeout: TIMEOUT_MS,
    requestTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    throwOnRequestTimeout: true,
    ...(proxy === undefined ? {} : { httpAgent: { proxyEnv: proxy }, httpsAgent: { proxyEnv: proxy } }),
  };
  const credentials = createCredentials({ region, requestHandler }, profile);
  return prepared(
    new S3Client({
      region,
      requestHandler,
      maxAttempts: 3,
      credentials,
      // Servers other than S3 rarely have a host name for each bucket.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    }),
  );
}
