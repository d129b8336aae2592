/** Retries of calls to Temporal that end with the connection: the client's own would still fire on a closed one, and that ends the process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultGrpcRetryOptions, type GrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/** Short, so that closing need not wait long, and often enough for the longest limit of a call. */
const MAX_INTERVAL_MS = 300;
const MAX_ATTEMPTS = 40;
/** On a busy machine a timer fires this much after its time, at most; until then a retry may still be to come. */
const LATE_MS = 1_000;

export interface Retries {
  interceptor: ReturnType<typeof makeGrpcRetryInterceptor>;
  /** No further retries; resolves when none is pending. */
  end(): Promise<void>;
}

export function createRetries(): Retries {
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions({ maxIntervalMs: () => MAX_INTERVAL_MS, maxAttempts: MAX_ATTEMPTS });
  let ended = false;
  let pendingUntilMs = 0;
  const options: GrpcRetryOptions = {
    delayFunction(attempt, status) {
      const delayMs = delayFunction(attempt, status);
      pendingUntilMs = Math.max(pendingUntilMs, performance.now() + delayMs);
      return delayMs;
    },
    retryableDecider: (attempt, status) => !ended && retryableDecider(attempt, status),
  };
  return {
    interceptor: makeGrpcRetryInterceptor(options),
    async end() {
      ended = true;
      const leftMs = pendingUntilMs - performance.now();
      if (pendingUntilMs > 0 && leftMs > -LATE_MS) await sleep(Math.max(leftMs, 0) + 50);
    },
  };
}
