/** A run that is terminated and started again, and people who are quicker than the worker. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomBytes, randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  abortRequested,
  handOverUpgrade,
  pauseRequested,
  resumeRequested,
  type UpgradeInput,
  WORKFLOWS,
} from '../../../workflows/contract/messages.ts';
import { createDataConverter } from '../../../worker/crypto/codec/data-converter.ts';
import { clientOf } from '../../support/encrypted.ts';
import { CLUSTER } from '../../support/facts.ts';
import { count, fakeActivities, inputs, quickPolicy, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker, workflowBundle } from '../../support/temporal.ts';
import { ALEX, approveAll, follow, SAM, startUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const RIN = { kind: 'slack' as const, id: 'U0RIN', name: 'Rin' };
const KEYS = { BELAY_CODEC_KEYS: `a:${randomBytes(32).toString('base64')}` };
const SEALED = { dataConverter: createDataConverter(KEYS, 'worker'), client: () => clientOf(env, KEYS) };

test.each([
  { keys: 'without keys', dataConverter: undefined, client: () => env.client },
  { keys: 'with keys', ...SEALED },
])(
  'RA7: terminated while EKS moves the control plane, and started again: the new run takes over and adopts the update, $keys',
  async ({ dataConverter, client }) => {
    const fake = fakeActivities({ plan: plan(['control-plane']) });
    let adopts = false;
    const activities = withChange(fake, {
      startControlPlaneUpdate: async () => ({ updateId: 'u-1', adopted: adopts, alreadyThere: false }),
      // The first watcher never sees the end.
      awaitUpdate: async (input) => (adopts ? await fake.activities.awaitUpdate(input) : await untilCancelled()),
    });
    const taskQueue = `belay-${randomUUID()}`;
    const bundle = workflowBundle({ failureConverterPath: dataConverter?.failureConverterPath });
    const worker = await startWorker(env, activities, taskQueue, { dataConverter, bundle });
    await worker.runUntil(async () => {
      const people = { client: client() };
      const first = await startUpgrade(people, taskQueue);
      await first.until(() => count(fake.world, 'awaitUpdate') === 1, approveAll);
      await first.handle.terminate('by hand');
      adopts = true;
      const { workflowId } = first;
      const input: UpgradeInput = { cluster: CLUSTER, target: '1.32', requestedBy: ALEX };
      await people.client.workflow.start(WORKFLOWS.upgrade, { workflowId, taskQueue, args: [input] });
      const second = follow(people, workflowId);
      const report = await second.finish();
      expect(report.outcome).toBe('completed');
    });
    const watched = inputs(fake.world, 'awaitUpdate');
    expect(watched.length).toBeGreaterThan(1);
    for (const input of watched) expect(input).toMatchObject({ updateId: 'u-1' });
    const said = JSON.stringify(fake.world.published);
    expect(said).toContain('of an earlier run has not ended yet');
    expect(said).not.toContain('already started');
  },
);

test('a run that is handed over while it waits for an earlier run’s step: the step asks who may decide by the new requester', async () => {
  const fake = fakeActivities({ plan: plan(['control-plane']) });
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, fake.activities, taskQueue);
  await worker.runUntil(async () => {
    const run = await startUpgrade(env, taskQueue);
    const step = `${run.workflowId}/control-plane@1.32`;
    const earlier = await env.client.workflow.start('controlPlane', { workflowId: step, taskQueue: 'nobody-works-here', args: [] });
    await run.until(() => JSON.stringify(fake.world.published).includes('of an earlier run has not ended yet'), approveAll);
    expect(await run.handle.executeUpdate(handOverUpgrade, { args: [{ actor: ALEX, to: RIN }] })).toMatchObject({ accepted: true });
    await earlier.terminate('by hand');
    expect(await run.finish()).toMatchObject({ outcome: 'completed' });
    const { events } = await env.client.workflow.getHandle(step).fetchHistory();
    const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    expect(payload == null ? undefined : defaultPayloadConverter.fromPayload(payload)).toMatchObject({
      requestedBy: RIN,
      formerly: [ALEX],
    });
  });
});

test('RA9: what is asked before the run has read its policy is kept, and decided on in its order', async () => {
  const fake = fakeActivities({ plan: plan(['control-plane']), policy: quickPolicy() });
  const taskQueue = `belay-${randomUUID()}`;
  // No worker is up.
  const run = await startUpgrade(env, taskQueue);
  const sent = { actor: SAM };
  await run.handle.signal(pauseRequested, sent);
  await run.handle.signal(resumeRequested, sent);
  await run.handle.signal(abortRequested, { ...sent, reason: 'not today' });
  const worker = await startWorker(env, fake.activities, taskQueue);
  await worker.runUntil(async () => {
    const report = await run.finish(() => undefined);
    expect(report.outcome).toBe('aborted');
    expect(report.status.headline).toContain('not today');
  });
  expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
  const commands = fake.world.audit.flatMap((event) => (event.kind === 'command' ? [event.what] : []));
  expect(commands.map((what) => /pause|resume|abort/.exec(what)?.[0])).toEqual(['pause', 'resume', 'abort']);
});
