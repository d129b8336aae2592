/** AWS's request throttling: a token bucket of an account in a region. https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html */
import { AwsError } from './errors.ts';

export interface ApiRate {
  capacity: number;
  /** Wall time, as clients see it. */
  refillPerSecond: number;
  tokens: number;
  filledAtMs: number;
  /** Requests so far, and how many of them were refused. */
  asked: number;
  refused: number;
}

export const apiRate = (capacity: number, refillPerSecond: number): ApiRate => ({
  capacity,
  refillPerSecond,
  tokens: capacity,
  filledAtMs: Date.now(),
  asked: 0,
  refused: 0,
});

/** Takes a token; throws ThrottlingException where there is none. */
export function take(rate: ApiRate | undefined): void {
  if (rate === undefined) return;
  const now = Date.now();
  rate.tokens = Math.min(rate.capacity, rate.tokens + ((now - rate.filledAtMs) / 1000) * rate.refillPerSecond);
  rate.filledAtMs = now;
  rate.asked += 1;
  if (rate.tokens < 1) {
    rate.refused += 1;
    throw new AwsError(429, 'ThrottlingException', 'Rate exceeded');
  }
  rate.tokens -= 1;
}
