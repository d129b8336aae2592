/** `belay upgrade-self check` beside worker versioning, on a real server: a step that is pinned to another version does not forbid a release. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { renderOpenRuns } from '../../../cli/render/open-runs.ts';
import { createDataConverter } from '../../../worker/crypto/codec/data-converter.ts';
import { versioningOptions } from '../../../worker/releases/deployment.ts';
import { pinnedSteps } from '../../../worker/releases/pinned-steps.ts';
import { replayOpenRuns } from '../../../worker/releases/replay-runs.ts';
import { changedWorkflows } from '../../support/changed-workflows.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { startUpgrade } from '../../support/upgrade.ts';
import { makeCurrent } from './make-current.ts';

const one = { deploymentName: 'belay', buildId: 'v1' };
const two = { deploymentName: 'belay', buildId: 'v2' };

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('O40: a pinned step that would not replay stays with its workers and forbids nothing; the same build id would take it over', async () => {
  const taskQueue = `belay-${randomUUID()}`;
  const steps = plan(['bake'], (step) =>
    step.params.phase === 'bake' ? { ...step, params: { ...step.params, bakeMs: 600_000, gate: true } } : step,
  );
  const { activities } = fakeActivities({ policy: quickPolicy(), plan: steps });
  const worker = await startWorker(env, activities, taskQueue, {
    bundle: workflowBundle({ versioned: true }),
    workerDeploymentOptions: versioningOptions(one),
  });
  const ends = worker.run();
  await makeCurrent(env, one);
  const run = await startUpgrade(env, taskQueue);
  await run.until(
    ({ gates }) => gates.some(({ id }) => id.startsWith('bake:')),
    (at) => (at.id.startsWith('bake:') ? undefined : 'approve'),
  );
  const [step] = await eventually('pinned', async () => {
    const pinned = await pinnedSteps(env.connection, 'default', taskQueue);
    return pinned.length > 0 ? pinned : undefined;
  });
  worker.shutdown();
  await ends;
  expect(step).toMatchObject({ workflowId: `${run.workflowId}/bake@1.32`, version: 'belay:v1' });

  const changed = changedWorkflows('phases/checks/bake.ts', (code) =>
    code.replace('const before = await verify(', 'await sleep(1);\n    const before = await verify('),
  );
  const bundle = await workflowBundle({ beside: changed.beside, versioned: true });
  changed.remove();
  const options = { client: env.client, workflowBundle: bundle, dataConverter: createDataConverter({}, 'worker'), keys: [], taskQueue };

  const runs = await replayOpenRuns({ ...options, version: two });
  expect(runs).toMatchObject([
    {
      workflowId: step?.workflowId,
      verdict: 'stays',
      why: expect.stringMatching(/^pinned to belay:v1: keep its workers until this step ends\. On this release: \[TMPRL1100\] /),
    },
    { workflowId: run.workflowId, verdict: 'replays' },
  ]);
  expect(renderOpenRuns({ release: '0.2.0', buildId: 'v2', namespace: 'default', runs })).toContain(
    'No open run would break on 0.2.0: it can be deployed beside the workers to which 1 open step is pinned.',
  );

  expect(await replayOpenRuns({ ...options, version: one })).toMatchObject([
    { workflowId: step?.workflowId, verdict: 'breaks', why: expect.stringMatching(/^\[TMPRL1100\] /) },
    { workflowId: run.workflowId, verdict: 'replays' },
  ]);
  await env.client.workflow.getHandle(run.workflowId).terminate();
}, 720_000);
