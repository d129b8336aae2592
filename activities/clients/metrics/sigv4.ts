/** Signs queries for Amazon Managed Service for Prometheus (its user guide, "SigV4": service name aps). */
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpOptions } from './http.ts';

type SignerOptions = ConstructorParameters<typeof SignatureV4>[0];

/** `credentials` are asked for each time: a role's expire. */
export function apsSigner({
  region,
  credentials,
}: {
  region: string;
  credentials: SignerOptions['credentials'];
}): NonNullable<HttpOptions['sign']> {
  const signer = new SignatureV4({ service: 'aps', region, credentials, sha256: Sha256 });
  return async ({ url, headers }) => {
    const signed = await signer.sign({
      method: 'GET',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...headers, host: url.host },
    });
    // fetch sets the host itself, and may not be told.
    const { host: _host, ...rest } = signed.headers;
    return rest;
  };
}
