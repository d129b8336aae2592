/**
 * A worker on a machine whose clock is wrong (shifted-clock.mjs is preloaded). Arguments: address, task queue, path of the workflow bundle,
 * milliseconds until gates expire. Says its own time on stdout, then `ready`.
 */
import { NativeConnection, Worker } from '@temporalio/worker';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';

const [address, taskQueue = '', codePath = '', deadlineMs] = process.argv.slice(2);
const base = quickPolicy();
const policy = quickPolicy({ timing: { ...base.timing, gateDeadlineMs: Number(deadlineMs) } });

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: { codePath },
  activities: fakeActivities({ policy, plan: plan(['control-plane']) }).activities,
});
process.stdout.write(`${new Date().toISOString()}\nready\n`);
await worker.run();
