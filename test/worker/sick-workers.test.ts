/** Workers that are there and do not work, and a release whose workflow code has a bug: runs go on elsewhere, or once it is mended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { CLUSTER } from '../support/facts.ts';
import { fakeActivities } from '../support/fake-activities.ts';
import { startTemporal, startWorker, workflowBundle } from '../support/temporal.ts';
import { approveAll, startUpgrade } from '../support/upgrade.ts';
import { BUGGED } from './support/a-bug.ts';
import { sickbed } from './support/sickbed.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`support/${name}`, import.meta.url));

let env: TestWorkflowEnvironment;
let directory: string;
let sick: ChildProcess | undefined;
beforeAll(async () => {
  env = await startTemporal();
  directory = mkdtempSync(join(tmpdir(), 'belay-sick-'));
});
afterEach(() => void sick?.kill('SIGKILL'));
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await env.teardown();
});

/** Resolves when the worker polls; `ill` when it has fallen ill, `ended` with the signal or the code that ended it. */
async function startSickWorker(illness: 'stalls' | 'exhausts', taskQueue: string) {
  const bundle = join(directory, 'workflows.js');
  writeFileSync(bundle, (await workflowBundle()).code);
  const args = ['--no-warnings', '--max-old-space-size=96', pathOf('sick-worker.ts'), env.address, taskQueue, bundle, illness];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  sick = child;
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (said += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (said += chunk));
  const ended = new Promise<string | number | null>((resolve) => void child.once('exit', (code, signal) => resolve(signal ?? code)));
  const hears = async (word: string): Promise<void> => {
    while (!said.includes(word)) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The worker ended before it was ${word}: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await hears('ready');
  return { ill: () => hears('ill\n'), ended, said: () => said };
}

/** The start of the last attempt of an activity: by whom, and what became of the one before. A dying worker may have taken several. */
async function lastStart(handle: WorkflowHandle) {
  const { events } = await handle.fetchHistory();
  const started = (events ?? []).findLast((event) => event.activityTaskStartedEventAttributes)?.activityTaskStartedEventAttributes;
  return { again: (started?.attempt ?? 0) > 1, identity: started?.identity, before: started?.lastFailure?.message };
}

const STALLED = 'belay: the event loop has been blocked for 3 s; this process exits, and other workers continue.';

test.each<{ title: string; illness: 'stalls' | 'exhausts'; ends: Record<string, string> }>([
  {
    title: 'T12: a worker whose event loop is blocked in an activity is ended',
    illness: 'stalls',
    ends: { SIGKILL: STALLED },
  },
  {
    title: 'T12: a worker runs out of memory in an activity',
    illness: 'exhausts',
    // On a busy machine the collector's last efforts stop the event loop for so long that it is ended for that.
    ends: { SIGABRT: 'JavaScript heap out of memory', SIGKILL: STALLED },
  },
])(
  '$title, its silence is noticed, and another one goes on',
  async ({ illness, ends }) => {
    const taskQueue = `belay-${randomUUID()}`;
    const { ill, ended, said } = await startSickWorker(illness, taskQueue);
    const run = await startUpgrade(env, taskQueue);
    await ill();
    const healthy = await startWorker(env, sickbed().activities, taskQueue);
    const report = await healthy.runUntil(run.handle.result());
    expect(report).toMatchObject({ outcome: 'completed', status: { headline: 'prod is at 1.32' } });
    expect(await lastStart(env.client.workflow.getHandle(`${run.workflowId}/pre-checks@1.32`))).toEqual({
      again: true,
      identity: healthy.options.identity,
      before: 'activity Heartbeat timeout',
    });
    const end = String(await ended);
    expect(Object.keys(ends)).toContain(end);
    expect(said()).toContain(ends[end]);
  },
  360_000,
);

test('T13: a bug that throws in workflow code holds up its own run only, and the run continues once it is mended', async () => {
  const taskQueue = `belay-${randomUUID()}`;
  const { activities } = fakeActivities();
  const bugged = await startUpgrade(env, taskQueue, { cluster: { ...CLUSTER, name: BUGGED } });
  const phase = env.client.workflow.getHandle(`${bugged.workflowId}/control-plane@1.32`);

  const release = await startWorker(env, activities, taskQueue, {
    bundle: workflowBundle({ moreInterceptors: [pathOf('a-bug.ts')] }),
  });
  await release.runUntil(async () => {
    const other = await startUpgrade(env, taskQueue);
    const held = bugged.until(({ steps }) => steps.some(({ id, state }) => id === 'control-plane@1.32' && state === 'running'), approveAll);
    expect((await other.finish()).outcome).toBe('completed');
    // Its own parent still answers.
    expect((await held).state).toBe('running');
    const { events } = await phase.fetchHistory();
    const failures = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
    expect(failures).toEqual(['a bug in a release']);
    expect((await phase.describe()).status.name).toBe('RUNNING');
  });

  const mended = await startWorker(env, activities, taskQueue);
  expect((await mended.runUntil(bugged.finish())).outcome).toBe('completed');
}, 360_000);
