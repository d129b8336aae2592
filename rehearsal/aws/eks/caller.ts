/** Who sends a request of AWS and for what, by its signature. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
import type { IncomingMessage } from 'node:http';
import { AwsError } from './errors.ts';
import type { Caller } from './routing.ts';

/** From the credential scope AKID/DATE/REGION/SERVICE/aws4_request; a presigned request has it in its query. */
export function callerOf(request: IncomingMessage, url: URL): Caller {
  const signed = /Credential=([^, ]+)/.exec(request.headers.authorization ?? '')?.[1];
  const scope = (signed ?? url.searchParams.get('X-Amz-Credential') ?? '').split('/');
  // Who sends a presigned request has shown nothing of himself: STS alone is asked so.
  return { accessKeyId: signed === undefined ? '' : (scope[0] ?? ''), region: scope[2] ?? '', service: scope[3] ?? 'eks' };
}

/** The access key that a presigned request names. */
export const presignerOf = (url: URL): string => (url.searchParams.get('X-Amz-Credential') ?? '').split('/')[0] ?? '';

export function refuseUnsigned(request: IncomingMessage, url: URL): void {
  const signed = /^AWS4-HMAC-SHA256 Credential=.+, ?SignedHeaders=.+, ?Signature=[0-9a-f]{64}$/.test(request.headers.authorization ?? '');
  if (!signed && !url.searchParams.has('X-Amz-Signature')) {
    throw new AwsError(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
}
