/** The one place where errors of AWS, Kubernetes, sockets and time-outs become ApplicationFailures with a type of domain/core/failure-types. */
import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/common';
import type { Info } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { FAILURES, type FailureType } from '../../domain/core/failure-types.ts';
import { currentAttempt } from './context.ts';
import { clip, redact, redactedCause } from './redact.ts';
import { judge, SHORT_MS } from './judge-error.ts';
import { defined } from '../../domain/core/defined.ts';

/**
 * The failure for anything that was thrown while `doing` (a gerund and its object: "reading cluster prod"). An ApplicationFailure comes back
 * as it is. What is not recognised is `Unknown` and stays retryable. Throttling carries nextRetryDelay. Secrets are taken out.
 */
export function translateError(error: unknown, doing: string): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  const { type, what, retryAfterMs } = judge(error);
  return failureOf(type, `${doing}: ${what}`, { cause: error, retryAfterMs });
}

/** A failure of a known type; `message` is a gerund, what, and the cause. */
export function failureOf(
  type: FailureType,
  message: string,
  options: { cause?: unknown; retryAfterMs?: number } = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: clip(redact(message), 800),
    nonRetryable: !FAILURES[type].retryable,
    ...(type === 'Throttled' ? { nextRetryDelay: options.retryAfterMs ?? backoffMs(currentAttempt()) } : {}),
    ...(options.cause === undefined ? {} : { cause: redactedCause(options.cause) }),
  });
}

/** The failure's type when it is one of ours. */
export function failureType(error: unknown): FailureType | undefined {
  if (!(error instanceof ApplicationFailure)) return undefined;
  return isFailureType(error.type) ? error.type : undefined;
}

/** How long a throttled failure asks to wait; 0 for others. */
export function retryDelayMs(failure: ApplicationFailure): number {
  return typeof failure.nextRetryDelay === 'number' ? failure.nextRetryDelay : 0;
}

/** Runs `work`; whatever it throws comes out translated with `doing`. CancelledFailures pass. */
export async function during<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    throw translateError(error, doing);
  }
}

/** What the interceptor reads of Temporal's activity context. */
export interface RunningActivity {
  readonly cancellationSignal: AbortSignal;
  readonly info: Pick<Info, 'activityType'> & Partial<Pick<Info, 'retryPolicy' | 'scheduleToCloseTimeoutMs' | 'startToCloseTimeoutMs'>>;
}

/** The last net around every activity: nothing but Temporal's own failures leaves a worker. */
export function translateErrorsInterceptor(context: RunningActivity): { inbound: ActivityInboundCallsInterceptor } {
  return {
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) throw error;
          // A call that was aborted because the activity was: that is a cancellation, whatever the client made of it.
          if (context.cancellationSignal.aborted && !isPermanent(error)) {
            throw new CancelledFailure(`running ${context.info.activityType}: cancelled`, [], redactedCause(error));
          }
          throw unlessOwed(translateError(error, `running ${context.info.activityType}`), context);
        }
      },
    },
  };
}

/** Credentials come back by themselves more often than not: who undoes what the run has done waits for them. */
function unlessOwed(failure: ApplicationFailure, { info }: RunningActivity): ApplicationFailure {
  if (failureType(failure) !== 'NoCredentials' || !isOwed(info)) return failure;
  const { message, cause } = failure;
  return ApplicationFailure.create({ type: 'NoCredentials', message, nonRetryable: false, ...defined({ cause }) });
}

/** Repeated for as long as it takes, and no watch: workflows/runtime/activity-proxies calls it `owed`. */
function isOwed({ retryPolicy, scheduleToCloseTimeoutMs, startToCloseTimeoutMs }: RunningActivity['info']): boolean {
  return (retryPolicy?.maximumAttempts ?? 0) === 0 && scheduleToCloseTimeoutMs === 0 && (startToCloseTimeoutMs ?? 0) <= SHORT_MS;
}

/** No retry mends it: people decide. */
export function isPermanent(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.nonRetryable === true;
}

/** 2 s, doubled by attempt up to a minute, 20 % either way so that many runs do not knock at once. */
function backoffMs(attempt: number): number {
  return Math.round(Math.min(60_000, 2_000 * 2 ** Math.min(attempt - 1, 5)) * (0.8 + 0.4 * Math.random()));
}

function isFailureType(type: unknown): type is FailureType {
  return typeof type === 'string' && type in FAILURES;
}
