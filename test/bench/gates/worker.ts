/** A worker of its own process, so that it can be killed: `worker.ts ADDRESS TASK_QUEUE`. Activities answer at once; all else is real. */
import { NativeConnection } from '@temporalio/worker';
import { fakeActivities } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { quietRuntime, startWorker } from '../../support/temporal.ts';

const [, , address = '', taskQueue = ''] = process.argv;
quietRuntime();
const nativeConnection = await NativeConnection.connect({ address });
const { activities } = fakeActivities({ plan: plan(['pre-checks']) });
const worker = await startWorker({ nativeConnection, namespace: 'default' }, activities, taskQueue);
const running = worker.run();
process.stdout.write('polling\n');
await running;
