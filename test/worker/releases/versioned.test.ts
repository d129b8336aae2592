/** Worker versioning on a real server: what the worker controller sets is passed on, a missing Current version is told, and steps stay where runs move on. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import proto from '@temporalio/proto';
import { createUpgrades } from '../../../client/upgrades-client.ts';
import { examineReleases } from '../../../worker/doctor/releases.ts';
import { versioningOptions } from '../../../worker/releases/deployment.ts';
import { peersOn } from '../../../worker/releases/peers.ts';
import { CLUSTER } from '../../support/facts.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { temporalCli } from '../../support/temporal-cli.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { SAM, startUpgrade } from '../../support/upgrade.ts';
import { startBelayWorker } from '../support/belay-worker.ts';
import { makeCurrent } from './make-current.ts';
import { eventually } from '../../support/eventually.ts';

const { VersioningBehavior } = proto.temporal.api.enums.v1;
const NAMESPACE = 'default';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('O14 O42: a worker with both variables passes them on, and says with the doctor that no version is Current, and the command that makes it so', async () => {
  const version = { deploymentName: 'belay/prod', buildId: 'v0-2-0-3f2a' };
  const worker = startBelayWorker(env.address, (directory) => ({
    TEMPORAL_DEPLOYMENT_NAME: version.deploymentName,
    TEMPORAL_WORKER_BUILD_ID: version.buildId,
    BELAY_READY_FILE: join(directory, 'ready'),
  }));
  try {
    const line = await eventually('told', () => worker.lines('has no Current version')[0]);
    const peers = await eventually('polling', async () => {
      const found = await peersOn(env.connection, NAMESPACE);
      return found.length > 0 ? found : undefined;
    });
    expect(peers).toMatchObject([version]);
    // Ready to work, which is another thing than being given work.
    await eventually('ready', () => existsSync(join(worker.directory, 'ready')) || undefined);

    const command = `temporal worker deployment set-current-version --deployment-name belay/prod --build-id v0-2-0-3f2a --namespace default`;
    expect(line).toContain(command);
    const diagnoses = await examineReleases(env.connection, NAMESPACE, {});
    expect(diagnoses.at(-1)).toEqual({
      area: 'Temporal',
      status: 'failed',
      message: 'deployment belay/prod has no Current version, so no run starts or continues',
      fix: command,
    });

    const upgrades = createUpgrades({ client: env.client, resolveCluster: (name) => ({ ...CLUSTER, name }), planWithinMs: 1_000 });
    await expect(upgrades.start({ cluster: 'prod', target: '1.32', requestedBy: SAM })).rejects.toMatchObject({
      code: 'no-worker',
      message: `Workers get no runs, because deployment belay/prod has no Current version. Set it: ${command}`,
    });
    expect(await upgrades.standstill()).toContain(command);

    execFileSync(temporalCli(), [...command.split(' ').slice(1), '--address', env.address, '--yes']);
    await eventually('told', () => worker.lines('this version is the Current one')[0]);
    expect((await examineReleases(env.connection, NAMESPACE, {})).at(-1)).toMatchObject({ status: 'ok' });
    expect(worker.lines('has no Current version')).toHaveLength(1);
    expect(await upgrades.standstill()).toBeUndefined();
  } finally {
    await worker.end();
  }
}, 540_000);

test('O42: one of both variables alone ends the worker, which names the other', async () => {
  const worker = startBelayWorker(env.address, () => ({ TEMPORAL_WORKER_BUILD_ID: 'v2' }));
  try {
    expect(await eventually('ended', () => worker.child.exitCode ?? undefined)).toBe(1);
    expect(worker.lines('TEMPORAL_WORKER_BUILD_ID is set and TEMPORAL_DEPLOYMENT_NAME is not')).toHaveLength(1);
  } finally {
    await worker.end();
  }
});

test('a run moves on to the version that becomes Current at a gate, and a step stays on the one that began it', async () => {
  const deploymentName = `belay-${randomUUID().slice(0, 8)}`;
  const [one, two] = [
    { deploymentName, buildId: 'v1' },
    { deploymentName, buildId: 'v2' },
  ];
  const { activities } = fakeActivities({
    policy: quickPolicy(),
    plan: plan(['pre-checks', 'freeze-drift', 'control-plane', 'karpenter-drift', 'validation']),
  });
  const taskQueue = `belay-${randomUUID()}`;
  const bundle = workflowBundle({ versioned: true });
  const workers = await Promise.all(
    [one, two].map((version) => startWorker(env, activities, taskQueue, { bundle, workerDeploymentOptions: versioningOptions(version) })),
  );
  const running = workers.map((worker) => worker.run());
  try {
    await makeCurrent(env, one);
    const run = await startUpgrade(env, taskQueue);
    await run.until(
      ({ gates }) => gates.some(({ id }) => id === 'before:control-plane@1.32#1'),
      (gate) => (gate.id === 'before:control-plane@1.32#1' ? undefined : 'approve'),
    );
    await makeCurrent(env, two);
    expect((await run.finish()).outcome).toBe('completed');

    const tasks = async (workflowId: string): Promise<{ behaviour: string; builds: string[] }> => {
      const { events } = await env.client.workflow.getHandle(workflowId).fetchHistory();
      const done = (events ?? []).flatMap((event) => event.workflowTaskCompletedEventAttributes ?? []);
      const behaviours = [...new Set(done.map(({ versioningBehavior }) => VersioningBehavior[versioningBehavior ?? 0] ?? ''))];
      return {
        behaviour: behaviours.map((name) => name.replace('VERSIONING_BEHAVIOR_', '')).join(),
        builds: [...new Set(done.map(({ workerVersion }) => workerVersion?.buildId ?? '?'))],
      };
    };
    expect(await tasks(run.workflowId)).toEqual({ behaviour: 'AUTO_UPGRADE', builds: ['v1', 'v2'] });
    expect(await tasks(`${run.workflowId}/pre-checks@1.32`)).toEqual({ behaviour: 'PINNED', builds: ['v1'] });
    // The guard outlives its step, and goes along.
    expect(await tasks(`${run.workflowId}/freeze-drift@1.32`)).toEqual({ behaviour: 'AUTO_UPGRADE', builds: ['v1', 'v2'] });
    // A step that begins behind the gate begins on the version that its run has moved to.
    expect(await tasks(`${run.workflowId}/control-plane@1.32`)).toEqual({ behaviour: 'PINNED', builds: ['v2'] });
  } finally {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  }
}, 540_000);
