/** AWS identities of the rehearsal's people, and STS's own look at a presigned request: the signature, its headers, its age. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AwsError } from './errors.ts';

export interface Identity {
  accessKeyId: string;
  secretAccessKey: string;
  /** Without the account. */
  session: string;
}

/** As IAM Identity Center names roles and sessions. */
const ROLE = 'assumed-role/AWSReservedSSO_PlatformEngineer_0a1b2c3d4e5f6789';

/** By Slack user id. The secrets open nothing: they are the rehearsal's own. */
export const IDENTITIES: Readonly<Record<string, Identity>> = Object.fromEntries(
  ['ALEX', 'SAM', 'RIN', 'EVE'].map((name) => [
    `U0${name}`,
    { accessKeyId: `AKIA${name}REHEARSAL`, secretAccessKey: `rehearsal-${name}`, session: `${ROLE}/${name.toLowerCase()}@example.com` },
  ]),
);

/** For people's own clients where there are more accounts: a key that shows whose it is. Of one of AWS, STS GetAccessKeyInfo tells. */
export const accessKeyOf = (account: string): string => `AKIA${account}TWIN`;

export const accountOfKey = (accessKeyId: string): string | undefined => /^AKIA(\d{12})TWIN$/.exec(accessKeyId)?.[1];

export const arnOf = ({ session }: Identity, account: string): string => `arn:aws:sts::${account}:${session}`;

export const identityOf = (accessKeyId: string): Identity | undefined =>
  Object.values(IDENTITIES).find((identity) => identity.accessKeyId === accessKeyId);

/**
 * Throws what STS answers to a presigned GET that does not hold. Signature version 4:
 * docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function verifyPresigned(url: URL, headers: IncomingHttpHeaders, { secretAccessKey }: Identity, nowMs: number): void {
  const query = url.searchParams;
  const date = query.get('X-Amz-Date') ?? '';
  const scope = (query.get('X-Amz-Credential') ?? '').split('/').slice(1);
  const signedHeaders = query.get('X-Amz-SignedHeaders') ?? '';
  const canonicalQuery = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const canonicalHeaders = signedHeaders.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`);
  const request = ['GET', url.pathname, canonicalQuery, canonicalHeaders.join(''), signedHeaders, sha256('')].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(request)].join('\n');
  const key = scope.reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  if (hmac(key, toSign).toString('hex') !== query.get('X-Amz-Signature'))
    throw new AwsError(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match the signature you provided.');
  const signedMs = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(nowMs <= signedMs + Number(query.get('X-Amz-Expires')) * 1000))
    throw new AwsError(403, 'SignatureDoesNotMatch', `Signature expired: ${date} is now earlier than the time of the request`);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}
