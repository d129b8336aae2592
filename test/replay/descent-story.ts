/** A control plane that somebody takes back: under a run, and within the seven days after one. For the recording. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { UnrequestedRollback } from '../../domain/run/unrequested-rollback.ts';
import { wayBack } from '../../domain/facts/rollback-window.ts';
import { fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { choosing, withUpgrade } from '../support/upgrade.ts';
import { clockTold, type Story } from './story.ts';

const MOVED_AT = '2025-04-29T09:00:00.000Z';
const NOW = '2025-04-30T09:00:00.000Z';
const DESCENT: UnrequestedRollback = { updateId: 'u-stale', to: '1.31', beganAt: '2025-04-30T08:55:00.000Z', ended: false };
const policy = quickPolicy({ channel: 'C0UPGRADES', timing: { ...quickPolicy().timing, rollbackWindowMs: 60_000 } });

/** Seen at a gate and before its step, again behind a failed one, and up again in between. */
export const takenBack: Story = (env) => {
  let looks = 0;
  const fake = fakeActivities({ policy, plan: plan(['control-plane', 'bake', 'node-groups', 'validation']) });
  const activities = withChange(fake, {
    findUnrequestedRollback: async () => {
      looks += 1;
      return looks <= 2 || looks === 4 ? { descent: DESCENT } : {};
    },
    awaitUpdate: async ({ resource }) => ({
      status: resource.kind === 'cluster' ? 'Successful' : 'Failed',
      errors: [],
      createdAt: MOVED_AT,
    }),
  });
  return withUpgrade(env, activities, async (run) => {
    await run.finish(choosing({ 'failed:node-groups@1.32#1': 'retry', 'failed:node-groups@1.32#2': 'abort' }));
    return run.workflowId;
  });
};

/** It tells so once, and ends when the control plane is back. */
export const clockOfTakenBack: Story = async (env) => {
  let descent: UnrequestedRollback | undefined;
  const fake = fakeActivities({ policy });
  const activities = withChange(fake, {
    readRollbackWindow: async () => ({
      now: NOW,
      back:
        descent?.ended === true
          ? { kind: 'none', why: 'rolled-back' }
          : wayBack('1.32', [{ type: 'VersionUpdate', to: '1.32', createdAt: MOVED_AT }], NOW),
    }),
    awaitUnrequestedRollback: async ({ known }) => {
      if (descent !== undefined && (descent.ended || !known.includes('u-stale'))) return descent;
      throw ApplicationFailure.create({
        message: 'nobody takes it back',
        type: 'Unavailable',
        category: ApplicationFailureCategory.BENIGN,
      });
    },
  });
  return clockTold(env, { activities, policy }, async () => {
    descent = DESCENT;
    while (fake.world.published.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    descent = { ...DESCENT, ended: true };
  });
};
