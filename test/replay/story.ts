/** What a story for the recording is, and how most are told. */
import { randomUUID } from 'node:crypto';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { type RollbackWindowInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { CLUSTER } from '../support/facts.ts';
import { type FakeWorld, type fakeActivities, withChange } from '../support/fake-activities.ts';
import { startWorker } from '../support/temporal.ts';
import { approveAll, type Decider, type RunningUpgrade, withUpgrade } from '../support/upgrade.ts';

/** Runs to its end; everything whose workflow id begins with the result is recorded. */
export type Story = (env: TestWorkflowEnvironment) => Promise<string>;

/** An upgrade with people who do `main`. */
export function told(
  fake: ReturnType<typeof fakeActivities>,
  activities: Partial<BelayActivities>,
  main: (run: RunningUpgrade, world: FakeWorld) => Promise<unknown>,
): Story {
  return (env) =>
    withUpgrade(env, withChange(fake, activities), async (run) => {
      await main(run, fake.world);
      return run.workflowId;
    });
}

/** The clock of a rollback window from 1.32, to its end. */
export async function clockTold(
  env: TestWorkflowEnvironment,
  { activities, policy }: { activities: BelayActivities; policy: RollbackWindowInput['policy'] },
  main: (clock: WorkflowHandleWithFirstExecutionRunId, input: RollbackWindowInput) => Promise<unknown> = async () => undefined,
): Promise<string> {
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, activities, taskQueue);
  return worker.runUntil(async () => {
    const workflowId = `eks-rollback-window/111122223333/eu-central-1/prod-${randomUUID().slice(0, 8)}`;
    const upgrade = { workflowId: workflowId.replace('rollback-window', 'upgrade'), runId: randomUUID() };
    const input: RollbackWindowInput = { cluster: CLUSTER, upgrade, policy, at: '1.32' };
    const handle = await env.client.workflow.start(WORKFLOWS.rollbackWindow, { workflowId, taskQueue, args: [input] });
    await main(handle, input);
    await handle.result();
    return workflowId;
  });
}

/** By gate; the others are approved. */
export function choosing(choices: Record<string, string>): Decider {
  return (gate) => choices[gate.id] ?? approveAll(gate, 0);
}
