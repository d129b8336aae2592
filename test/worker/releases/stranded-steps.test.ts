/** A version of workers that goes while a step is pinned to it, on a real server: the doctor names the step, and its command moves it on. */
import { execSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { examineStranded } from '../../../worker/doctor/stranded-steps.ts';
import { versioningOptions } from '../../../worker/releases/deployment.ts';
import { TASK_QUEUE } from '../../../workflows/contract/ids.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { temporalCli } from '../../support/temporal-cli.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { choosing, startUpgrade } from '../../support/upgrade.ts';
import { makeCurrent } from './make-current.ts';
import { eventually } from '../../support/eventually.ts';

const STEP = 'bake@1.32';
const one = { deploymentName: 'belay', buildId: 'v1' };
const two = { deploymentName: 'belay', buildId: 'v2' };

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('O15: a step whose version has no worker any more is named, and moved by one command; its run has moved by itself', async () => {
  const steps = plan(['control-plane', 'bake', 'validation'], (step) =>
    step.params.phase === 'bake' ? { ...step, params: { ...step.params, bakeMs: 600_000, gate: true } } : step,
  );
  const { activities } = fakeActivities({ policy: quickPolicy(), plan: steps });
  const bundle = workflowBundle({ versioned: true });
  const start = (version: typeof one) =>
    startWorker(env, activities, TASK_QUEUE, { bundle, workerDeploymentOptions: versioningOptions(version) });
  const stranded = () => examineStranded(env.connection, 'default', [two]);

  const first = await start(one);
  const firstEnds = first.run();
  await makeCurrent(env, one);
  const run = await startUpgrade(env, TASK_QUEUE);
  const gate = (
    await run.until(
      ({ gates }) => gates.some(({ id }) => id.startsWith('bake:')),
      (at) => (at.id.startsWith('bake:') ? undefined : 'approve'),
    )
  ).gates[0];
  const second = await start(two);
  const secondEnds = second.run();
  try {
    await makeCurrent(env, two);
    first.shutdown();
    await firstEnds;

    const [found] = await eventually('listed', async () => {
      const all = await stranded();
      return all.length > 0 ? all : undefined;
    });
    expect(found).toMatchObject({
      status: 'failed',
      message: `1 open step pinned to belay:v1, of which no worker polls: ${run.workflowId}/${STEP}`,
    });

    const command = /temporal (workflow update-options .+)$/.exec(found?.fix ?? '')?.[1] ?? '';
    execSync(`${temporalCli()} ${command} --address ${env.address} --reason test --yes`, { stdio: 'pipe' });
    await eventually('moved', async () => ((await stranded()).length === 0 ? true : undefined));
    expect((await run.finish(choosing({ [gate?.id ?? '']: 'end-bake' }))).outcome).toBe('completed');
  } finally {
    second.shutdown();
    await secondEnds;
  }
}, 720_000);
