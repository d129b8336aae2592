/** One session of an assumed role, for all clients that share it: renewed before it ends, while the old one still serves. */

/**
 * Sessions of AssumeRole last an hour by default, and no longer where the caller is itself a session (role chaining), whatever the role allows.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html,
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles.html#iam-term-role-chaining
 * Renewed five to ten minutes before that, so that the sessions of many runs do not all end in one minute.
 */
const RENEWED_BEFORE_MS = 5 * 60_000;
const SPREAD_MS = 5 * 60_000;
/** What is signed in its last minute might arrive after it. */
const LAST_MOMENT_MS = 60_000;
/** Between tries while the old session still serves. */
const PAUSE_MS = 30_000;
/** Calls that were refused together ask for one new session, not for one each. */
const YOUNG_MS = 30_000;

export interface SessionClock {
  nowMs: () => number;
  /** 0 to 1. */
  random: () => number;
}

const REAL: SessionClock = { nowMs: () => Date.now(), random: () => Math.random() };

interface Asked {
  forceRefresh?: boolean;
}

/** Asks STS for a session. */
type Ask<A extends Asked, Session> = (asked?: A) => Promise<Session>;

/**
 * `memoized` is how the SDK marks providers that remember by themselves (resolveAwsSdkSigV4Config in @aws-sdk/core): without it each client keeps a
 * session of its own, and one that is refused to one client is used by the others until it ends.
 */
export function keepSession<A extends Asked, Session extends { expiration?: Date }>(
  ask: Ask<A, Session>,
  { nowMs, random }: SessionClock = REAL,
): Ask<A, Session> & { memoized: true } {
  let kept: { session: Session; givenMs: number; renewMs: number; endsMs: number } | undefined;
  let pending: Promise<Session> | undefined;
  /** Pending, because the old one was refused: nobody should use that meanwhile. */
  let replacing: Promise<Session> | undefined;
  let notBeforeMs = 0;

  const renew = (asked?: A): Promise<Session> => {
    pending ??= ask(asked)
      .then((session) => {
        const endsMs = session.expiration?.getTime() ?? Infinity;
        const renewMs = endsMs - RENEWED_BEFORE_MS - random() * SPREAD_MS;
        kept = { session, givenMs: nowMs(), renewMs, endsMs: endsMs - LAST_MOMENT_MS };
        return session;
      })
      .finally(() => {
        pending = undefined;
        notBeforeMs = nowMs() + PAUSE_MS;
      });
    return pending;
  };

  const session = async (asked?: A): Promise<Session> => {
    const now = nowMs();
    if (kept === undefined || now >= kept.endsMs) return await renew(asked);
    const old = kept.session;
    if (asked?.forceRefresh === true) {
      if (now - kept.givenMs < YOUNG_MS) return old;
      replacing = renew(asked).finally(() => {
        replacing = undefined;
      });
      return await replacing;
    }
    if (replacing !== undefined) return await replacing.catch(() => old);
    // Nobody waits for it, and nobody hears of it where STS is away for a moment: the old one serves until it ends.
    if (now >= kept.renewMs && now >= notBeforeMs) renew(asked).catch(() => {});
    return old;
  };
  return Object.assign(session, { memoized: true as const });
}
