/** What a story for the recording is, and how most are told. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { type FakeWorld, type fakeActivities, withChange } from '../support/fake-activities.ts';
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

/** By gate; the others are approved. */
export function choosing(choices: Record<string, string>): Decider {
  return (gate) => choices[gate.id] ?? approveAll(gate, 0);
}
