/**
 * The campaign's worker in a process of its own, so that it can be killed: `worker.ts ADDRESS TASK_QUEUE`. Its activities ask the process that started it,
 * whose world survives the kill.
 */
import { Context } from '@temporalio/activity';
import { NativeConnection } from '@temporalio/worker';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { keepAliveInterceptor } from '../../../activities/runtime/keep-alive.ts';
import { sealResultsInterceptor } from '../../../worker/crypto/codec/seal-results.ts';
import { quietRuntime, startWorker } from '../../support/temporal.ts';
import type { Answer, FromWorker } from './messages.ts';

const [, , address = '', taskQueue = ''] = process.argv;
const waiting = new Map<number, PromiseWithResolvers<unknown>>();
let calls = 0;

const tell = (message: FromWorker): void => void process.send?.(message);

async function ask(input: unknown): Promise<unknown> {
  const id = (calls += 1);
  const answered = Promise.withResolvers<unknown>();
  waiting.set(id, answered);
  tell({ kind: 'call', id, name: Context.current().info.activityType, input });
  return await answered.promise;
}

process.on('message', ({ id, ...answer }: Answer) => {
  const answered = waiting.get(id);
  waiting.delete(id);
  if ('failed' in answer) answered?.reject(new Error(answer.failed));
  else answered?.resolve(answer.result);
});
// It never outlives the process that started it.
process.once('disconnect', () => process.exit());

quietRuntime();
const nativeConnection = await NativeConnection.connect({ address });
// Temporal's name for an activity that stands for all that are not registered. As many runs in memory as Belay's own worker keeps.
const worker = await startWorker({ nativeConnection, namespace: 'default' }, { default: ask } as unknown as BelayActivities, taskQueue, {
  maxCachedWorkflows: 200,
  interceptors: { activity: [sealResultsInterceptor, keepAliveInterceptor] },
});
const running = worker.run();
tell({ kind: 'polling' });
await running;
