/** `belay upgrade-self check` on a real server: open runs of another release are replayed on this one before anybody deploys it. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDataConverter } from '../../../worker/crypto/codec/data-converter.ts';
import { codecKeys } from '../../../worker/crypto/codec/keys.ts';
import { buildIdOf, thisRelease } from '../../../worker/releases/build-id.ts';
import { replayOpenRuns } from '../../../worker/releases/replay-runs.ts';
import { TASK_QUEUE } from '../../../workflows/contract/ids.ts';
import { type Ran, runBelay } from '../../cli/run-belay.ts';
import { changedWorkflows, withAnotherStart } from '../../support/changed-workflows.ts';
import { clientOf } from '../../support/encrypted.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { startUpgrade } from '../../support/upgrade.ts';
import { eventually } from '../../support/eventually.ts';

const RELEASE = thisRelease();
/** Nothing happens at a gate while a test looks. */
const HOUR_MS = 3_600_000;
const { activities } = fakeActivities({ policy: quickPolicy({ timing: { ...quickPolicy().timing, gateDeadlineMs: HOUR_MS } }) });

let env: TestWorkflowEnvironment;
let directory: string;
beforeAll(async () => {
  env = await startTemporal();
  directory = mkdtempSync(join(tmpdir(), 'belay-upgrade-self-'));
  writeFileSync(join(directory, 'belay.yaml'), 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await env.teardown();
});

/** A run at its first gate, left there by a worker that is gone. */
async function leftAtGate(
  taskQueue: string,
  options: Parameters<typeof startWorker>[3] = {},
  client: TestWorkflowEnvironment['client'] = env.client,
): Promise<string> {
  const worker = await startWorker(env, activities, taskQueue, options);
  return await worker.runUntil(async () => {
    const run = await startUpgrade({ client }, taskQueue);
    await run.until(({ gates }) => gates.length > 0);
    return run.workflowId;
  });
}

const check = (args: string[] = [], more: Record<string, string> = {}): Promise<Ran> =>
  runBelay(['upgrade-self', 'check', ...args], { cwd: directory, env: { TEMPORAL_ADDRESS: env.address, ...more }, limitMs: 120_000 });

const some = <T>(seen: T[]): T[] | undefined => (seen.length > 0 ? seen : undefined);

/** Visibility is behind a little. */
async function listed(count: number): Promise<void> {
  const query = `ExecutionStatus = 'Running' AND TaskQueue = '${TASK_QUEUE}'`;
  for (let tries = 0; (await env.client.workflow.count(query)).count !== count; tries += 1) {
    if (tries > 300) throw new Error(`there are not ${count} open runs`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('O40: a run that would break is named with the reason and exit code 1; once it has ended the others replay, with 0', async () => {
  expect(await check()).toMatchObject({ code: 0, stdout: `No run is open in namespace "default": ${RELEASE} can be deployed.\n` });

  const other = withAnotherStart();
  const breaking = await leftAtGate(TASK_QUEUE, {
    bundle: workflowBundle({ beside: other.beside }),
    buildId: buildIdOf('0.0.9', 'aaaaaaaaaaaa'),
  });
  other.remove();
  const replaying = await leftAtGate(TASK_QUEUE);
  await listed(2);

  const broken = await check();
  expect(broken.code).toBe(1);
  expect(broken.stderr).toBe(`1 of 2 open runs would break on ${RELEASE}: ${breaking}. Do not deploy it before it has ended.\n`);
  const [first, why, second] = broken.stdout.split('\n');
  expect(first).toBe(`✗ ${breaking}  started by 0.0.9 (bundle aaaaaaaaaaaa)`);
  expect(why).toMatch(/^ {4}\[TMPRL1100\] /);
  expect(second).toMatch(new RegExp(`^✓ ${replaying} {2}started by @temporalio/worker@`));

  const json = await check(['--json']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    release: RELEASE,
    runs: [
      { workflowId: breaking, type: 'upgradeCluster', verdict: 'breaks', startedBy: 'eks-belay@0.0.9+aaaaaaaaaaaa' },
      { workflowId: replaying, type: 'upgradeCluster', verdict: 'replays' },
    ],
  });

  await env.client.workflow.getHandle(breaking).terminate();
  await listed(1);
  const fine = await check();
  expect(fine).toMatchObject({ code: 0, stderr: '' });
  expect(fine.stdout.split('\n').slice(1)).toEqual([`The open run replays on ${RELEASE}: it can be deployed.`, '']);
  await env.client.workflow.getHandle(replaying).terminate();
  await listed(0);
}, 900_000);

test('a run whose history cannot be decrypted is unknown, with exit code 3; with its key it replays', async () => {
  const BELAY_CODEC_KEYS = `a:${randomBytes(32).toString('base64')}`;
  const keyed = { BELAY_CODEC_KEYS };
  const dataConverter = createDataConverter(keyed, 'worker');
  const { failureConverterPath } = dataConverter;
  const bundle = workflowBundle({ failureConverterPath });
  const workflowId = await leftAtGate(TASK_QUEUE, { bundle, dataConverter }, clientOf(env, keyed));
  await listed(1);

  const without = await check();
  expect(without.code).toBe(3);
  expect(without.stdout).toContain(`? ${workflowId}`);
  expect(without.stdout).toContain('a payload is encrypted with key "a", and BELAY_CODEC_KEYS has none');
  expect(without.stderr).toContain(`1 of 1 open run could not be replayed on ${RELEASE}: ${workflowId}.`);

  // Another key of that name: workers would mark every payload, and the replay would look like another history.
  const wrong = await check([], { BELAY_CODEC_KEYS: `a:${randomBytes(32).toString('base64')}` });
  expect(wrong.code).toBe(3);
  expect(wrong.stdout).toContain('a payload cannot be decrypted with key "a"');

  expect(await check([], keyed)).toMatchObject({ code: 0, stderr: '' });
  await env.client.workflow.getHandle(workflowId).terminate();
  await listed(0);
}, 900_000);

test('a run of a workflow type that the release has no more would break', async () => {
  const taskQueue = 'belay-type-gone';
  const workflowId = await leftAtGate(taskQueue);
  const without = changedWorkflows('index.ts', (code) => code.replace(/^export \{ upgradeCluster .*$/m, ''));
  const bundle = await workflowBundle({ beside: without.beside });
  without.remove();
  const options = { client: env.client, workflowBundle: bundle, dataConverter: createDataConverter({}, 'worker'), keys: [], taskQueue };
  const runs = await eventually('a run is listed', async () => some(await replayOpenRuns(options)));
  expect(runs).toMatchObject([{ workflowId, verdict: 'breaks', why: expect.stringContaining("workflow of type 'upgradeCluster'") }]);
  await env.client.workflow.getHandle(workflowId).terminate();
});

test('a history that is gone between list and read is unknown', async () => {
  const taskQueue = 'belay-gone';
  const workflowId = await leftAtGate(taskQueue);
  const client = Object.create(env.client) as typeof env.client;
  const workflow = Object.create(env.client.workflow) as typeof env.client.workflow;
  Object.defineProperty(client, 'workflow', { value: workflow });
  workflow.getHandle = ((id: string, runId?: string) => ({
    ...env.client.workflow.getHandle(id, runId),
    fetchHistory: () => Promise.reject(new Error('workflow not found')),
  })) as typeof workflow.getHandle;
  const options = {
    client,
    workflowBundle: await workflowBundle(),
    dataConverter: createDataConverter({}, 'worker'),
    keys: codecKeys({}),
    taskQueue,
  };
  const runs = await eventually('a run is listed', async () => some(await replayOpenRuns(options)));
  expect(runs).toMatchObject([{ workflowId, verdict: 'unknown', why: 'its history cannot be read: workflow not found' }]);
  await env.client.workflow.getHandle(workflowId).terminate();
});
