/** A worker of its own process, so that it can be killed: `worker.ts ADDRESS TASK_QUEUE`. Activities answer at once; all else is real. */
import { NativeConnection } from '@temporalio/worker';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { quietRuntime, startWorker } from '../../support/temporal.ts';

const [, , address = '', taskQueue = ''] = process.argv;
quietRuntime();
const nativeConnection = await NativeConnection.connect({ address });
// Runs stand at their gates for as long as it is measured.
const policy = quickPolicy({ timing: { ...quickPolicy().timing, gateDeadlineMs: 3_600_000 } });
const { activities, world } = fakeActivities({ policy, plan: plan(['pre-checks']) });
// The fake keeps what was asked of it, which nobody reads here: memory is to be the worker's own.
setInterval(() => {
  for (const kept of [world.calls, world.published, world.records, world.audit]) kept.length = 0;
}, 1_000).unref();
// As many runs in memory as Belay's own worker keeps.
const worker = await startWorker({ nativeConnection, namespace: 'default' }, activities, taskQueue, { maxCachedWorkflows: 200 });
const running = worker.run();
process.stdout.write('polling\n');
await running;
