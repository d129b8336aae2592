/**
 * How fast each service of an account in a region is asked: as fast as anybody likes until it throttles, then as the SDK's adaptive rate limiter
 * learns. AWS throttles an account in a region, whichever client asks, so all clients of a process share one limiter for each.
 *
 * AWS publishes buckets for EC2 (docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html) and none for EKS, whose page on quotas lists resources
 * only (docs.aws.amazon.com/eks/latest/userguide/service-quotas.html); accounts can have others on request, and other programs use them up as well. So
 * no rate is written down here: ThrottlingException is what says it. That adaptive mode wants one limiter for what is throttled together:
 * docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
import { AdaptiveRetryStrategy, DefaultRateLimiter } from '@smithy/core/retry';
import { field } from '../../../domain/core/unknown.ts';
import { utcSecond } from '../../../domain/core/text.ts';

export interface Place {
  /** "" : that of the process's own credentials. */
  account: string;
  region: string;
}

/** The retries of one service in one place. The same arguments give the same one. */
export type Pace = (place: Place, service: string) => AdaptiveRetryStrategy;

export const MAX_ATTEMPTS = 3;
/** Somebody who waits longer holds one of the worker's slots that a run in another account needs: the call fails as throttled, and Temporal repeats it. */
const PATIENCE_MS = 5_000;
/** A throttling that long ago says nothing about now. */
const FORGOTTEN_AFTER_MS = 10 * 60_000;
/** Below EC2's slowest bucket of requests (mutating: 5 a second); a burst is one look at a small cluster. */
const SLOWEST = { minFillRate: 2, minCapacity: 10 };

/** So many calls wait for their turn in a throttled account that this one was not sent. */
export class AccountThrottledError extends Error {
  override readonly name = 'AccountThrottledError';
}

/** `nowMs` is injected by tests. */
export function createPace(nowMs: () => number = () => Date.now()): Pace {
  const strategies = new Map<string, AdaptiveRetryStrategy>();
  return (place, service) => {
    const key = `${place.account} ${place.region} ${service}`;
    const strategy =
      strategies.get(key) ?? new AdaptiveRetryStrategy(MAX_ATTEMPTS, { rateLimiter: new FairLimiter(whereOf(place, service), nowMs) });
    strategies.set(key, strategy);
    return strategy;
  };
}

const whereOf = ({ account, region }: Place, service: string): string =>
  `${service.toUpperCase()} throttles ${account === '' ? "the account of this process's credentials" : `account ${account}`} in ${region}`;

/** The SDK's limiter, with a queue that is left after a while: first come, first served. */
class FairLimiter {
  readonly #where: string;
  readonly #nowMs: () => number;
  #limiter = new DefaultRateLimiter(SLOWEST);
  #throttled: { sinceMs: number; lastMs: number } | undefined;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(where: string, nowMs: () => number) {
    this.#where = where;
    this.#nowMs = nowMs;
  }

  updateClientSendingRate(response: unknown): void {
    this.#limiter.updateClientSendingRate(response);
    if (field(response, 'errorType') !== 'THROTTLING') return;
    const now = this.#nowMs();
    this.#throttled = { sinceMs: this.#throttled?.sinceMs ?? now, lastMs: now };
  }

  async getSendToken(): Promise<void> {
    if (this.#throttled === undefined) return;
    if (this.#nowMs() - this.#throttled.lastMs > FORGOTTEN_AFTER_MS) {
      this.#throttled = undefined;
      this.#limiter = new DefaultRateLimiter(SLOWEST);
      return;
    }
    await this.#queue(this.#throttled.sinceMs);
  }

  async #queue(sinceMs: number): Promise<void> {
    let left = false;
    const turn = this.#last.then(async () => {
      if (!left) await this.#limiter.getSendToken();
    });
    this.#last = turn;
    this.#waiting += 1;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        left = true;
        reject(new AccountThrottledError(`${this.#where} since ${utcSecond(sinceMs)}, and ${this.#waiting} calls wait for their turn`));
      }, PATIENCE_MS);
    });
    try {
      await Promise.race([turn, patience]);
    } finally {
      clearTimeout(timer);
      this.#waiting -= 1;
    }
  }
}
