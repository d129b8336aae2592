/** Publishes each call to AWS, Kubernetes and Prometheus for whoever counts them (worker/telemetry/metrics). */
import { channel } from 'node:diagnostics_channel';
import { CancelledFailure } from '@temporalio/common';
import { EXTERNAL_CALLS, type ExternalCall } from '../../domain/core/external-call.ts';
import { FAILURES, type FailureType } from '../../domain/core/failure-types.ts';
import { field } from '../../domain/core/unknown.ts';
import { judge } from './judge-error.ts';

const calls = channel(EXTERNAL_CALLS);

/** Answers and throws as `call` does. */
export async function counted<T>(of: Pick<ExternalCall, 'service' | 'operation'>, call: () => Promise<T>): Promise<T> {
  if (!calls.hasSubscribers) return await call();
  const begunMs = performance.now();
  const publish = (result: ExternalCall['result']): void =>
    calls.publish({ ...of, result, seconds: (performance.now() - begunMs) / 1000 } satisfies ExternalCall);
  try {
    const answer = await call();
    publish('ok');
    return answer;
  } catch (error) {
    publish(resultOf(error));
    throw error;
  }
}

function resultOf(error: unknown): ExternalCall['result'] {
  if (error instanceof CancelledFailure) return 'Cancelled';
  // Translated already: a failure of ours says its type.
  const type = field(error, 'type');
  return isFailureType(type) ? type : judge(error).type;
}

const isFailureType = (type: unknown): type is FailureType => typeof type === 'string' && Object.hasOwn(FAILURES, type);
