/**
 * AWS credentials that outlast a blip: an endpoint that gave them a while ago and is refused now (Pod Identity, IMDS, SSO, STS) is away, not
 * missing; a session that AWS calls expired is renewed once and the call repeated.
 */
import { fromNodeProviderChain, fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { defined } from '../../../domain/core/defined.ts';
import { CREDENTIAL_ERRORS, SESSION_ERRORS } from '../../runtime/error-tables.ts';

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

/** The process's own chain of environment, files and endpoints, or with `role` a session of it. Nothing is asked for yet. */
export function createCredentials(
  clientConfig: ClientConfig,
  role?: AssumeRole,
  /** Of the shared AWS files, instead of the chain's beginning. */
  profile?: string,
): (asked?: AskedWith) => Promise<Identity> {
  // Files are read again: "aws sso login" and rotated keys are seen without a restart.
  const own = (): ((asked?: AskedWith) => Promise<Identity>) =>
    remembering(fromNodeProviderChain({ clientConfig, ignoreCache: true, ...defined({ profile }) }));
  if (role === undefined) return renewable(own);
  return renewable(() => fromTemporaryCredentials({ masterCredentials: own(), params: role, clientConfig }));
}

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
        if (!(error instanceof Error) || !SESSION_ERRORS.has(error.name)) throw error;
        await client.config.credentials({ forceRefresh: true });
        return await next(args);
      }
    },
    OUTERMOST,
  );
  return client;
}
