/** STS GetCallerIdentity as a presigned URL: what EKS takes as a token and what Belay takes as a proof of who somebody is. Nothing is sent here. */
import { Sha256 } from '@aws-crypto/sha256-js';
import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';

export const CALLER_IDENTITY = { Action: 'GetCallerIdentity', Version: '2011-06-15' } as const;

/** `header` is signed as well: who sends the request on has to send it too. Rejects where there are no credentials. */
export async function presignCallerIdentity(
  sts: STSClient,
  { header, at, expiresIn }: { header: Record<string, string>; at: Date; expiresIn: number },
): Promise<string> {
  const endpoint = await callerIdentityEndpoint(sts);
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
      query: { ...CALLER_IDENTITY },
      headers: { host: endpoint.host, ...header },
    },
    { expiresIn, signingDate: at },
  );
  const query = Object.entries(signed.query ?? {})
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value ?? '']).map((one) => `${encode(name)}=${encode(one)}`))
    .join('&');
  return `${endpoint.protocol}//${endpoint.host}/?${query}`;
}

/** RFC 3986, as the signature's canonical query has it. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Where this client would send GetCallerIdentity: region, partition and AWS_ENDPOINT_URL* are the SDK's business. Nothing is sent. */
export async function callerIdentityEndpoint(sts: STSClient): Promise<URL> {
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
