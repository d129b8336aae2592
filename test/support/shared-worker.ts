/** One worker for all tests of a file: to start one takes as long as a short upgrade. The activities of each run are those of its own test. */
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { startWorker } from './temporal.ts';

export interface SharedWorker {
  taskQueue: string;
  /** From now on, of every workflow whose id contains `part` between slashes: also of what outlives its test. */
  perform(part: string, activities: BelayActivities): void;
}

type Activity = (...args: unknown[]) => Promise<unknown>;

const workers = new WeakMap<object, Promise<SharedWorker>>();

/** The same one each time for the same environment; ends with it. */
export function sharedWorker(env: TestWorkflowEnvironment): Promise<SharedWorker> {
  const worker = workers.get(env) ?? start(env);
  workers.set(env, worker);
  return worker;
}

async function start(env: TestWorkflowEnvironment): Promise<SharedWorker> {
  const casts = new Map<string, BelayActivities>();
  const taskQueue = `belay-${randomUUID()}`;
  // Temporal's name for an activity that stands for all that are not registered.
  const activities = { default: (...args: unknown[]) => activityOf(casts)(...args) };
  const worker = await startWorker(env, activities as unknown as BelayActivities, taskQueue);
  const ended = worker.run();
  const teardown = env.teardown.bind(env);
  env.teardown = async () => {
    worker.shutdown();
    await ended;
    await teardown();
  };
  return { taskQueue, perform: (part, theirs) => void casts.set(part, theirs) };
}

function activityOf(casts: ReadonlyMap<string, BelayActivities>): Activity {
  const { activityType, workflowExecution } = Context.current().info;
  const id = workflowExecution?.workflowId ?? '';
  for (const [part, activities] of casts) {
    const activity = (activities as unknown as Record<string, Activity | undefined>)[activityType];
    if (`/${id}/`.includes(`/${part}/`) && activity !== undefined) return activity;
  }
  throw ApplicationFailure.nonRetryable(`No test performs ${activityType} of ${id}`, 'NotRegistered');
}
