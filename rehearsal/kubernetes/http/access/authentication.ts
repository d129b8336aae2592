/** Bearer tokens: those that `aws eks get-token` makes (a presigned GetCallerIdentity), and static ones for people's kubeconfigs. */

const PREFIX = 'k8s-aws-v1.';
/** Tokens are wall time: they are signed by real clients with the real clock. */
const LIFETIME_MS = 15 * 60_000;
const CLOCK_SKEW_MS = 5 * 60_000;
const STS_HOST = /^sts(\.[a-z0-9-]+)?\.amazonaws\.com(\.cn)?$/;
/** With AWS_ENDPOINT_URL set, unmodified clients sign for the stand-in's own host. */
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])$/;

export interface Identity {
  username: string;
  /** Besides system:authenticated. */
  groups?: string[];
  /** Access key id for AWS tokens. */
  accessKeyId?: string;
}

/** Somebody with a token of their own, whom RBAC lets do what its objects say; the group system:masters may do everything. */
export interface TokenUser {
  token: string;
  name: string;
  groups: string[];
}

export const ANONYMOUS: Identity = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Who sent the request; undefined means 401. */
export function authenticate(options: {
  authorization: string | undefined;
  staticTokens: readonly string[];
  users?: readonly TokenUser[];
  wallNowMs: number;
}): Identity | undefined {
  const token = /^Bearer (.+)$/i.exec(options.authorization ?? '')?.[1];
  if (!token) return undefined;
  const user = options.users?.find((candidate) => candidate.token === token);
  if (user) return { username: user.name, groups: user.groups };
  if (options.staticTokens.includes(token)) return { username: 'rehearsal-admin' };
  return token.startsWith(PREFIX) ? identityFromAwsToken(token, options.wallNowMs) : undefined;
}

/** https://github.com/kubernetes-sigs/aws-iam-authenticator, README "API Authorization from Outside a Cluster". */
function identityFromAwsToken(token: string, wallNowMs: number): Identity | undefined {
  const url = parseUrl(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
  if (!url || !(STS_HOST.test(url.hostname) || LOCAL_HOST.test(url.hostname))) return undefined;
  const parameters = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  if (parameters.get('action') !== 'GetCallerIdentity') return undefined;
  if (!(parameters.get('x-amz-signedheaders') ?? '').split(';').includes('x-k8s-aws-id')) return undefined;
  const signature = parameters.get('x-amz-signature');
  const credential = parameters.get('x-amz-credential')?.split('/')[0];
  const signedAtMs = parseAmzDate(parameters.get('x-amz-date') ?? '');
  if (!signature || !credential || signedAtMs === undefined) return undefined;
  const expiresSeconds = Number(parameters.get('x-amz-expires') ?? 900);
  if (!(expiresSeconds >= 0 && expiresSeconds <= 900)) return undefined;
  const ageMs = wallNowMs - signedAtMs;
  if (ageMs > LIFETIME_MS || ageMs < -CLOCK_SKEW_MS) return undefined;
  return { username: `aws:${credential}`, accessKeyId: credential };
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** 20260302T090000Z */
function parseAmzDate(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
