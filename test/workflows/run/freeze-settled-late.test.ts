/** The worker is away while an aborted run has its freeze settled: what the guard could not do meanwhile is not reported as left behind. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { UpgradeReport } from '../../../domain/run/record/status.ts';
import { abortUpgrade } from '../../../workflows/contract/messages.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeActivities } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { ALEX, startUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

/** Longer than a run waits for its guard. */
const AWAY_MS = 63_000;

test('a worker that is away for longer than a run waits for its guard: the freeze is lifted, and reported as lifted', async () => {
  const fake = fakeActivities({ plan: plan(['freeze-drift', 'control-plane']) });
  let looks = 0;
  const activities: BelayActivities = {
    ...fake.activities,
    readSkew: async (input) => {
      looks += 1;
      if (looks === 2) throw ApplicationFailure.create({ message: 'away', type: 'Unavailable', nextRetryDelay: 4000 });
      return await fake.activities.readSkew(input);
    },
  };
  const taskQueue = `belay-${randomUUID()}`;
  const working = async (): Promise<() => Promise<void>> => {
    const worker = await startWorker(env, activities, taskQueue);
    const running = worker.run();
    return async () => {
      worker.shutdown();
      await running;
    };
  };
  let rest = await working();
  try {
    const run = await startUpgrade(env, taskQueue);
    await run.until(({ gates }) => gates.length > 0);
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX, reason: 'enough' }] });
    await eventually('the freeze is being settled', () => looks === 2);
    await rest();
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
    rest = await working();
    const report: UpgradeReport = await run.handle.result();
    expect(report).toMatchObject({ outcome: 'aborted', leftBehind: [], status: { freeze: { state: 'lifted' } } });
  } finally {
    await rest();
  }
}, 240_000);
