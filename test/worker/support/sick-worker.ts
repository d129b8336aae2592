/**
 * A worker whose process falls ill in its first pre-checks, as the `illness` of its arguments says: `stalls` blocks the event loop for ever,
 * `exhausts` uses up the heap. Arguments: address, task queue, path of the workflow bundle, illness. Says `ready` and `ill` on stdout.
 */
import { NativeConnection, Worker } from '@temporalio/worker';
import { keepAliveInterceptor } from '../../../activities/runtime/keep-alive.ts';
import { endWhenStalled } from '../../../worker/temporal/stall/end-when-stalled.ts';
import { withChange } from '../../support/fake-activities.ts';
import { sickbed } from './sickbed.ts';

const [address, taskQueue = '', codePath = '', illness] = process.argv.slice(2);

function fallIll(): never {
  process.stdout.write('ill\n');
  const hoard: unknown[] = [];
  for (;;) if (illness === 'exhausts') hoard.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
}

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: { codePath },
  activities: withChange(sickbed(), { runPreChecks: async () => fallIll() }),
  interceptors: { activity: [keepAliveInterceptor] },
  stickyQueueScheduleToStartTimeout: '1s',
});
endWhenStalled(3_000);
process.stdout.write('ready\n');
await worker.run();
