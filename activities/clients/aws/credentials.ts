/**
 * AWS credentials that outlast a blip: an endpoint that gave them a while ago and is refused now (Pod Identity, IMDS, SSO, STS) is away, not
 * missing; a session that AWS calls expired is renewed once and the call repeated.
 */
import { fromNodeProviderChain, fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { defined } from '../../../domain/core/defined.ts';
import { CREDENTIAL_ERRORS, SESSION_ERRORS } from '../../runtime/error-tables.ts';
import { keepSession } from './kept-session.ts';
import type { Reach } from './reach.ts';

type BaseProvider = ReturnType<typeof fromNodeProviderChain>;
type Identity = Awaited<ReturnType<BaseProvider>>;
type AskedWith = Parameters<BaseProvider>[0] & { forceRefresh?: boolean };
interface ClientConfig {
  region: string;
  requestHandler: { connectionTimeout: number; requestTimeout: number; throwOnRequestTimeout: boolean };
}
type AssumeRole = Parameters<typeof fromTemporaryCredentials>[0]['params'];

/** A session of an assumed role lasts at most twelve hours. https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const TRUSTED_FOR_MS = 12 * 60 * 60_000;

/** When this process was last given credentials by its own chain, epoch milliseconds. */
let givenAtMs: number | undefined;

/** The credential chain gave something a while ago and does not now. Retryable. */
export class CredentialsAwayError extends Error {
  override readonly name = 'CredentialsAwayError';
}

/**
 * The process's own chain of environment, files and endpoints. Nothing is asked for yet. `profile`: of the shared AWS files, instead of the chain's
 * beginning.
 */
export function createCredentials(clientConfig: ClientConfig, profile?: string): (asked?: AskedWith) => Promise<Identity> {
  return renewable(() => ownChain(clientConfig, profile));
}

/** A session of a role, assumed with the process's own chain and shared by all clients that get it. Nothing is asked for yet. */
export function roleCredentials(
  clientConfig: ClientConfig,
  role: AssumeRole & { RoleArn: string },
  { breaker, pace }: Reach,
): (asked?: AskedWith) => Promise<Identity> {
  // AssumeRole counts against the account that asks, not against the role's.
  const retryStrategy = pace({ account: '', region: clientConfig.region }, 'sts');
  const assume = renewable(() =>
    fromTemporaryCredentials({
      masterCredentials: ownChain(clientConfig),
      params: role,
      clientConfig: { ...clientConfig, retryStrategy },
    }),
  );
  return keepSession((asked?: AskedWith) =>
    breaker.through(role.RoleArn, keyOf(clientConfig, role), async () => {
      try {
        return await assume(asked);
      } catch (error) {
        // The session that asks has ended itself: its chain is made anew, once.
        if (asked?.forceRefresh === true || !isSessionError(error)) throw error;
        return await assume({ ...asked, forceRefresh: true });
      }
    }),
  );
}

/** What a role's trust policy decides by, and what is the same for all runs of a cluster: not the session's name, nor whose run it is for. */
function keyOf({ region }: ClientConfig, { RoleArn, ExternalId, Tags }: NonNullable<AssumeRole>): string {
  const access = Tags?.find(({ Key }) => Key === 'belay:access')?.Value;
  return JSON.stringify([RoleArn, region, ExternalId, access]);
}

/**
 * Files are read again: "aws sso login" and rotated keys are seen without a restart. The region is only for what has none of its own: in `clientConfig` it
 * would go before a profile's sso_region, and another region's portal knows no such session (https://github.com/aws/aws-cdk/issues/32510).
 */
const ownChain = ({ region, ...clientConfig }: ClientConfig, profile?: string): ((asked?: AskedWith) => Promise<Identity>) =>
  remembering(fromNodeProviderChain({ clientConfig, parentClientConfig: { region }, ignoreCache: true, ...defined({ profile }) }));

const isSessionError = (error: unknown): error is Error => error instanceof Error && SESSION_ERRORS.has(error.name);

/** Each part of a chain keeps what it was given until it expires by its own clock: renewed, the chain is made anew. */
function renewable(open: () => (asked?: AskedWith) => Promise<Identity>): (asked?: AskedWith) => Promise<Identity> {
  let current = open();
  return async (asked) => {
    if (asked?.forceRefresh === true) current = open();
    return await current(asked);
  };
}

/** Tells an endpoint that is away from credentials that were never there. `nowMs` is injected by tests. */
export function remembering(
  provider: (asked?: AskedWith) => Promise<Identity>,
  nowMs = Date.now,
): (asked?: AskedWith) => Promise<Identity> {
  return async (asked) => {
    try {
      const identity = await provider(asked);
      givenAtMs = nowMs();
      return identity;
    } catch (error) {
      const agoMs = givenAtMs === undefined ? Infinity : nowMs() - givenAtMs;
      if (!(error instanceof Error) || !CREDENTIAL_ERRORS.has(error.name) || agoMs > TRUSTED_FOR_MS) throw error;
      const minutes = Math.floor(agoMs / 60_000);
      throw new CredentialsAwayError(`${error.message}; they were there ${minutes === 0 ? 'a moment' : `${minutes} min`} ago`, {
        cause: error,
      });
    }
  };
}

/** What of a client is needed to repeat its calls. */
export interface Renewable {
  config: { credentials: (asked?: { forceRefresh?: boolean }) => Promise<unknown> };
  middlewareStack: { add(middleware: typeof repeatOnce, options: typeof OUTERMOST): void };
}

const OUTERMOST = { step: 'initialize', priority: 'low', name: 'belayRenewsExpired' } as const;

declare const repeatOnce: <Args, Result>(next: (args: Args) => Promise<Result>) => (args: Args) => Promise<Result>;

/** The client: a call that AWS refuses because the session has expired was not carried out, and is sent once more with renewed credentials. */
export function renewsExpired<Client extends Renewable>(client: Client): Client {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (!isSessionError(error)) throw error;
        await client.config.credentials({ forceRefresh: true });
        return await next(args);
      }
    },
    OUTERMOST,
  );
  return client;
}
