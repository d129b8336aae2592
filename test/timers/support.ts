/** An upgrade on Temporal's time-skipping server with production's durations: days pass in milliseconds. */
import { randomUUID } from 'node:crypto';
import { Connection, isGrpcDeadlineError, type WorkflowClientInterceptor } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import proto from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { NativeConnection } from '@temporalio/worker';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { DEFAULT_TIMING } from '../../domain/policy/config/defaults.ts';
import type { PhaseId } from '../../domain/core/phases.ts';
import type { Notification } from '../../domain/run/notifications.ts';
import { SEARCH_ATTRIBUTES, type UpgradeInput } from '../../workflows/contract/messages.ts';
import { type FakeWorld, fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { startWorker } from '../support/temporal.ts';
import { type RunningUpgrade, startUpgrade } from '../support/upgrade.ts';
import { startLine } from './line.ts';
import { serverExecutable } from './server.ts';
import { eventually, PATIENCE } from '../support/eventually.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Within the limit of a test: a question that is never answered fails it, and what it has started is ended. */
const ANSWERED_MS = 4 * MINUTE;

const KEYWORD = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

/** The SDK gives it five seconds to start, which on a busy machine are not enough for every Java. */
async function startJava(tries: number): Promise<TestWorkflowEnvironment> {
  try {
    return await TestWorkflowEnvironment.createTimeSkipping({ server: { executable: serverExecutable() } });
  } catch (error) {
    if (tries === 1 || !/did not start within/.test(String(error))) throw error;
    return startJava(tries - 1);
  }
}

/** This server knows how to add search attributes, not how to list them: so it is not asked which are missing, as the worker does. */
async function startSkipping(): Promise<TestWorkflowEnvironment> {
  const env = await startJava(8);
  await env.connection.operatorService.addSearchAttributes({
    namespace: env.namespace ?? 'default',
    searchAttributes: Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, KEYWORD])),
  });
  return env;
}

export interface Fake {
  world: FakeWorld;
  activities: BelayActivities;
}

/**
 * A healthy cluster and production's timing. The server's clock stands still while an activity runs, so what production watches in a loop is
 * here a look that fails and is tried again much later.
 */
export function patientCluster(phases: PhaseId[], change: (world: FakeWorld) => Partial<BelayActivities> = () => ({})): Fake {
  const fake = fakeActivities({ plan: plan(phases, withBake), policy: quickPolicy({ timing: DEFAULT_TIMING }) });
  return {
    world: fake.world,
    activities: withChange(fake, { watchFreeze: async () => later('the freeze stands', DAY), ...change(fake.world) }),
  };
}

const withBake: Parameters<typeof plan>[1] = (step) =>
  step.params.phase === 'bake' ? { ...step, params: { ...step.params, bakeMs: DEFAULT_TIMING.bakeMs } } : step;

/** Ends this attempt; Temporal makes the next one after the time. */
export function later(message: string, retryAfterMs: number): never {
  throw ApplicationFailure.create({ message, type: 'Unavailable', nextRetryDelay: retryAfterMs });
}

export interface Patience {
  run: RunningUpgrade;
  /** Waits for the end of a workflow. */
  ended(workflowId: string): Promise<void>;
  /**
   * Lets the time pass: not to the very instant of a timer that is then canceled. This server takes no command for a timer that fires while a worker
   * answers, and no answer after that.
   */
  pass(durationMs: number): Promise<void>;
  nowMs(): Promise<number>;
  /** Number of events in the history of the run, or of one of its steps. */
  events(step?: string): Promise<number>;
  /** No worker is there meanwhile; then it is back. Only what waits for a timer or for another attempt lets the time pass. */
  withoutWorker(during: () => Promise<void>): Promise<void>;
  /** Neither people nor the worker reach Temporal meanwhile. */
  withoutTemporal(during: () => Promise<void>): Promise<void>;
}

/** Asks once more where no answer comes: this server may give a query to a worker that has gone. */
async function connectPeople(address: string): Promise<TestWorkflowEnvironment> {
  const query: WorkflowClientInterceptor['query'] = async (input, next) => {
    for (let left = 10; ; left -= 1) {
      try {
        return await people.connection.withDeadline(Date.now() + 5 * SECOND, () => next(input));
      } catch (error) {
        if (left === 0 || !isGrpcDeadlineError((error as Error).cause)) throw error;
      }
    }
  };
  const people = await TestWorkflowEnvironment.createFromExistingServer({ address, client: { interceptors: { workflow: [{ query }] } } });
  return people;
}

async function expectNoAnswer(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '1s' }).catch(() => undefined);
  await connection?.close();
  if (connection !== undefined) throw new Error(`${address} answers although its line is cut`);
}

/**
 * A server for each test: it has one clock for all workflows, and what a test leaves behind could hold it. People and workers come by a connection of
 * their own: with the skipping one, waiting for a result makes the clock run ahead to whatever comes next.
 */
export async function withPatience(
  fake: Fake,
  main: (patience: Patience) => Promise<void>,
  input: Partial<UpgradeInput> = {},
): Promise<void> {
  const clock = await startSkipping();
  // One for people, one for the worker.
  const lines = [await startLine(clock.address), await startLine(clock.address)] as const;
  const [line, workerLine] = lines;
  try {
    const people = await connectPeople(line.address);
    const nativeConnection = await NativeConnection.connect({ address: workerLine.address });
    try {
      const taskQueue = `belay-${randomUUID()}`;
      const worker = await startWorker({ nativeConnection, namespace: people.namespace }, fake.activities, taskQueue);
      const running = worker.run();
      running.catch(() => undefined);
      try {
        const run = await startUpgrade(people, taskQueue, input);
        const patience: Patience = {
          run,
          ended: (workflowId) => people.client.workflow.getHandle(workflowId).result(),
          pass: (durationMs) => clock.sleep(durationMs),
          nowMs: () => clock.currentTimeMs(),
          events: async (step) => {
            const id = step === undefined ? run.workflowId : `${run.workflowId}/${step}`;
            return (await people.client.workflow.getHandle(id).fetchHistory()).events?.length ?? 0;
          },
          withoutWorker: async (during) => {
            workerLine.cut();
            await during();
            await workerLine.mend();
          },
          withoutTemporal: async (during) => {
            for (const each of lines) each.cut();
            await expectNoAnswer(line.address);
            await during();
            void line.mend();
            await workerLine.mend();
          },
        };
        await people.connection.withDeadline(Date.now() + ANSWERED_MS * PATIENCE, () => main(patience));
      } finally {
        for (const each of lines) void each.mend();
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
      }
    } finally {
      await nativeConnection.close();
      await people.teardown();
    }
  } finally {
    for (const each of lines) await each.close();
    await clock.teardown();
  }
}

/** Whatever was told of one gate. */
export function toldOf(world: FakeWorld, gate: string): Extract<Notification, { kind: 'gate' }>[] {
  return world.published.flatMap(({ notification }) =>
    notification.kind === 'gate' && notification.state.gate.id === gate ? [notification] : [],
  );
}

export const reminders = (world: FakeWorld, gate: string): number => toldOf(world, gate).filter((told) => told.reminder === true).length;

/** Waits, in real time, for what the passing of time has set off. */
export async function soon(seen: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await eventually(what, seen, 60_000);
}
