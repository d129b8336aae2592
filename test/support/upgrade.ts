/** Drives one upgrade in a workflow test: starts it, presses buttons as a person would (by messages), waits for its end. */
import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowHandle } from '@temporalio/client';
import { queryStatus } from '../../client/reading/query-status.ts';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { type DecisionReply, WITHDRAW_VOTE } from '../../domain/gates/gate.ts';
import type { UpgradeReport, UpgradeStatus } from '../../domain/run/record/status.ts';
import { decisionId, gateOwner } from '../../workflows/contract/ids.ts';
import { decideGate, type UpgradeInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { CLUSTER } from './facts.ts';
import { sharedWorker } from './shared-worker.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { PATIENCE } from './eventually.ts';

export const SAM: Actor = { kind: 'slack', id: 'U0SAM', name: 'Sam' };
export const ALEX: Actor = { kind: 'slack', id: 'U0ALEX', name: 'Alex' };

/** A look at the status costs the worker as much as a step does. */
const FIRST_WAIT_MS = 40;
const LONGEST_WAIT_MS = 250;
const LIMIT_MS = 60_000;

/** A choice for a gate; undefined leaves it alone for now. */
export type Decider = (gate: { id: string; choices: string[] }, seen: number) => string | undefined;

/** Approves and, where things failed, retries. */
export const approveAll: Decider = (gate) =>
  ['approve', 'scale', 'retry', 'look-again', 'keep-frozen'].find((choice) => gate.choices.includes(choice));

/** As `choices` say by gate; otherwise goes on, and gives up where something failed. */
export const choosing =
  (choices: Record<string, string>): Decider =>
  (gate, seen) =>
    choices[gate.id] ?? (gate.id.startsWith('failed') ? 'abort' : approveAll(gate, seen));

/** The status at the first failure of this step, at whose gate nobody has decided. */
export const untilFailed = (run: Pick<RunningUpgrade, 'until'>, step: string): Promise<UpgradeStatus> =>
  run.until(({ gates }) => gates.some(({ id }) => id.startsWith('failed:')), choosing({ [`failed:${step}#1`]: 'none' }));

export interface RunningUpgrade {
  handle: WorkflowHandle;
  workflowId: string;
  status(): Promise<UpgradeStatus>;
  decide(gateId: string, choice: string, change?: { actor?: Actor; reason?: string; revision?: number }): Promise<DecisionReply>;
  /** Waits until `seen` is true of the status, answering gates by `decider` meanwhile. */
  until(seen: (status: UpgradeStatus) => boolean, decider?: Decider): Promise<UpgradeStatus>;
  /** Answers gates until the run has ended. */
  finish(decider?: Decider): Promise<UpgradeReport>;
}

export async function withUpgrade<T>(
  env: TestWorkflowEnvironment,
  activities: BelayActivities,
  main: (run: RunningUpgrade) => Promise<T>,
  input: Partial<UpgradeInput> = {},
): Promise<T> {
  const worker = await sharedWorker(env);
  const workflowId = newWorkflowId();
  worker.perform(workflowId.replace('eks-upgrade/', ''), activities);
  const run = await startUpgrade(env, worker.taskQueue, input, workflowId);
  try {
    return await main(run);
  } finally {
    // A test that leaves a run behind would keep the worker busy.
    await run.handle.terminate('end of test').catch(() => undefined);
  }
}

const newWorkflowId = (): string => `eks-upgrade/111122223333/eu-central-1/prod-${randomUUID().slice(0, 8)}`;

export async function startUpgrade(
  env: Pick<TestWorkflowEnvironment, 'client'>,
  taskQueue: string,
  input: Partial<UpgradeInput> = {},
  workflowId = newWorkflowId(),
): Promise<RunningUpgrade> {
  await env.client.workflow.start(WORKFLOWS.upgrade, {
    workflowId,
    taskQueue,
    args: [{ cluster: CLUSTER, target: '1.32', requestedBy: ALEX, ...input } satisfies UpgradeInput],
  });
  return follow(env, workflowId);
}

/** A run that was started before, by whatever client. */
export function follow(env: Pick<TestWorkflowEnvironment, 'client'>, workflowId: string): RunningUpgrade {
  const handle = env.client.workflow.getHandle(workflowId);
  const status = (): Promise<UpgradeStatus> => queryStatus(handle);
  const answered = new Map<string, number>();
  const decide: RunningUpgrade['decide'] = async (gateId, choice, change = {}) => {
    const actor = change.actor ?? SAM;
    const id = decisionId(gateId, actor.id, choice, change.revision ?? 1);
    const reply = await env.client.workflow.getHandle(gateOwner(workflowId, gateId)).executeUpdate(decideGate, {
      args: [{ gateId, decisionId: id, actor, choice, reason: change.reason ?? 'because of the test' }],
      updateId: id,
    });
    // Whoever presses for `until` and `finish` does not press again where the test has: a status may still show the gate.
    if (reply.accepted && actor.id === SAM.id && choice !== WITHDRAW_VOTE) answered.set(gateId, 1);
    return reply;
  };
  /** Whether a button was pressed. */
  const answer = async (now: UpgradeStatus, decider: Decider): Promise<boolean> => {
    let pressed = false;
    for (const gate of now.gates) {
      const seen = answered.get(gate.id) ?? 0;
      if (seen > 0) continue;
      const choice = decider(gate, seen);
      if (choice === undefined) continue;
      answered.set(gate.id, seen + 1);
      pressed = true;
      await decide(gate.id, choice).catch((error: unknown) => {
        // It was withdrawn between the look and the press, as happens to people.
        if (!/was withdrawn/.test(String((error as Error).cause))) throw error;
      });
    }
    return pressed;
  };
  const until: RunningUpgrade['until'] = async (seen, decider = () => undefined) => {
    const limitMs = performance.now() + LIMIT_MS * PATIENCE;
    for (let waitMs = FIRST_WAIT_MS; performance.now() < limitMs; waitMs = Math.min(waitMs * 1.4, LONGEST_WAIT_MS)) {
      const now = await status();
      if (seen(now)) return now;
      // After a button something happens soon.
      if (await answer(now, decider)) waitMs = FIRST_WAIT_MS;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    throw new Error(`The run never got there: ${JSON.stringify(await status(), null, 1)}`);
  };
  return {
    handle,
    workflowId,
    status,
    decide,
    until,
    finish: async (decider = approveAll) => {
      let ended = false;
      const result = handle.result().finally(() => (ended = true)) as Promise<UpgradeReport>;
      result.catch(() => undefined);
      await until((now) => ended || now.endedAt !== undefined, decider);
      return result;
    },
  };
}
