/** Whoever reaches Temporal can complete an activity under way by its id, with whatever was recorded: none of it is taken for its result. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Context } from '@temporalio/activity';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, type Payload } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { messageOf } from '../../../../domain/core/unknown.ts';
import { createDataConverter } from '../../../../worker/crypto/codec/data-converter.ts';
import { type UpgradeInput, upgradeStatus, WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { clientOf } from '../../../support/encrypted.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { fakeActivities, untilCancelled, withChange } from '../../../support/fake-activities.ts';
import { startTemporal, startWorker, workflowBundle } from '../../../support/temporal.ts';
import { ALEX, follow } from '../../../support/upgrade.ts';

const KEYS = { BELAY_CODEC_KEYS: `a:${randomBytes(32).toString('base64')}` };
const INPUT: UpgradeInput = { cluster: CLUSTER, target: '1.32', requestedBy: ALEX };

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal(new DefaultLogger('ERROR', () => undefined));
});
afterAll(() => env.teardown());

interface Stage {
  workflowId: string;
  /** With the keys. */
  client: Client;
  /** A run that stands at its first gate. */
  first: WorkflowHandle;
  start(): Promise<WorkflowHandle>;
}

async function afterFirstGate(activities: BelayActivities, act: (stage: Stage) => Promise<void>): Promise<void> {
  const workflowId = `eks-upgrade/111122223333/eu-central-1/prod-${randomUUID().slice(0, 8)}`;
  const dataConverter = createDataConverter(KEYS, 'worker');
  const taskQueue = `belay-${randomUUID()}`;
  const bundle = workflowBundle({ failureConverterPath: dataConverter.failureConverterPath });
  const worker = await startWorker(env, activities, taskQueue, { dataConverter, bundle });
  const client = clientOf(env, KEYS);
  const start = async (): Promise<WorkflowHandle> => {
    const { firstExecutionRunId } = await client.workflow.start(WORKFLOWS.upgrade, { workflowId, taskQueue, args: [INPUT] });
    return client.workflow.getHandle(workflowId, firstExecutionRunId);
  };
  await worker.runUntil(async () => {
    const first = await start();
    await follow({ client }, workflowId).until(({ gates }) => gates.length > 0);
    await act({ workflowId, client, first, start });
  });
}

/** To right after one of its tasks; `at` as in an array. */
async function reset({ client, workflowId }: Stage, at: number): Promise<WorkflowHandle> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes != null);
  const { runId } = await client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: tasks.at(at)?.eventId,
    requestId: randomUUID(),
    reason: 'by somebody',
  });
  return client.workflow.getHandle(workflowId, runId);
}

/** An activity that a worker is at, and has told of by a heartbeat. */
async function underWay(run: WorkflowHandle) {
  for (;;) {
    const [activity] = (await run.describe()).raw.pendingActivities ?? [];
    if (activity?.heartbeatDetails != null) return activity;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const eventsOf = async (run: WorkflowHandle) => (await run.fetchHistory()).events ?? [];
const firstResult = async (run: WorkflowHandle): Promise<Payload[]> =>
  (await eventsOf(run)).flatMap((event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? []).slice(0, 1);
const firstInput = async (run: WorkflowHandle): Promise<Payload[]> =>
  (await eventsOf(run)).flatMap((event) => event.activityTaskScheduledEventAttributes?.input?.payloads ?? []).slice(0, 1);

/** `next`: another execution, in which the activity is under way. `recorded`: what it is completed with. */
type Attack = [
  what: string,
  next: (stage: Stage) => Promise<WorkflowHandle>,
  recorded: (stage: Stage, next: WorkflowHandle) => Promise<Payload[]>,
  why: string,
];

const again = async ({ first, start }: Stage): Promise<WorkflowHandle> => {
  await first.terminate();
  return await start();
};

const ATTACKS: Attack[] = [
  ['what it gave back in an earlier run', again, ({ first }) => firstResult(first), 'it was given for another activity'],
  [
    'what it gave back before the run was reset',
    (stage) => reset(stage, 0),
    ({ first }) => firstResult(first),
    'it was given for another activity',
  ],
  ['its own input', again, (_stage, next) => firstInput(next), 'it was not made as a result'],
  [
    'what it has told by a heartbeat',
    again,
    async (_stage, next) => (await underWay(next)).heartbeatDetails?.payloads ?? [],
    'it was not made as a result',
  ],
];

test.each(ATTACKS)(
  'RS1: completed by its id with %s: refused',
  async (_what, begin, recorded, why) => {
    const fake = fakeActivities();
    let isFirst = true;
    const activities = withChange(fake, {
      loadPolicy: async (input) => {
        if (isFirst) return await fake.activities.loadPolicy(input);
        Context.current().heartbeat({ told: 'by a heartbeat' });
        return await untilCancelled();
      },
    });
    await afterFirstGate(activities, async (stage) => {
      isFirst = false;
      const next = await begin(stage);
      const { activityId } = await underWay(next);
      const payloads = await recorded(stage, next);
      expect(payloads).toHaveLength(1);
      await stage.client.workflowService.respondActivityTaskCompletedById({
        namespace: 'default',
        workflowId: stage.workflowId,
        activityId,
        result: { payloads },
      });
      const end = await next.result().then(
        () => 'completed',
        (error: Error) => messageOf(error.cause),
      );
      expect(end).toContain(`result of loadPolicy was refused: ${why}`);
    });
  },
  180_000,
);

test('RS1: failed by its id, with a type that steps decide by: refused; what its worker fails with is believed, word for word', async () => {
  const fake = fakeActivities();
  let attempt: 'first' | 'attacked' | 'ours' = 'first';
  const activities = withChange(fake, {
    loadPolicy: async (input) => {
      if (attempt === 'first') return await fake.activities.loadPolicy(input);
      if (attempt === 'ours') throw ApplicationFailure.create({ message: 'belay.yaml is gone', type: 'ConfigInvalid', nonRetryable: true });
      Context.current().heartbeat({ told: 'by a heartbeat' });
      return await untilCancelled();
    },
  });
  await afterFirstGate(activities, async (stage) => {
    const ended = async (run: WorkflowHandle): Promise<string> =>
      await run.result().then(
        () => 'completed',
        (error: Error) => messageOf(error.cause),
      );
    attempt = 'attacked';
    const next = await again(stage);
    const { activityId } = await underWay(next);
    await stage.client.workflowService.respondActivityTaskFailedById({
      namespace: 'default',
      workflowId: stage.workflowId,
      activityId,
      failure: { message: 'go ahead', applicationFailureInfo: { type: 'ClusterReplaced', nonRetryable: true } },
    });
    expect(await ended(next)).toContain('failure of loadPolicy was refused: no worker of this version has failed with it');
    attempt = 'ours';
    expect(await ended(await stage.start())).toContain('belay.yaml is gone');
  });
}, 180_000);

test('RS1: a run that was reset to a later moment takes the results that it had before', async () => {
  await afterFirstGate(fakeActivities().activities, async (stage) => {
    const next = await reset(stage, -1);
    const { gates, state } = await next.query(upgradeStatus);
    expect([gates.map(({ id }) => id), state]).toEqual([['before:pre-checks@1.32#1'], 'waiting']);
    await next.terminate();
  });
}, 180_000);
