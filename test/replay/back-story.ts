/** A control plane that goes up and is watched, one that goes back, and the clock between them. For the recording. */
import { ROLLBACK_WINDOW_MS, type WayBack } from '../../domain/facts/rollback-window.ts';
import { controlPlaneMoved } from '../../workflows/contract/messages.ts';
import { fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { karpenterGoingBack } from '../support/karpenter-back.ts';
import { plan, step } from '../support/plan.ts';
import { approveAll, withUpgrade } from '../support/upgrade.ts';
import { clockTold, type Story } from './story.ts';
import { stampedNow } from '../support/stamped.ts';

const MOVED_AT = '2025-04-29T09:00:00.000Z';
const HOUR_MS = 3_600_000;
const policy = quickPolicy({ channel: 'C0UPGRADES', timing: { ...quickPolicy().timing, rollbackWindowMs: 10_000 } });

/** What EKS says so long after the update began. */
function after(hours: number, at = '1.32', backTo = '1.31'): { now: string; back: WayBack } {
  const ms = (milliseconds: number): string => new Date(Date.parse(MOVED_AT) + milliseconds).toISOString();
  const window = { at, backTo, movedAt: MOVED_AT, closesAt: ms(ROLLBACK_WINDOW_MS) };
  return { now: ms(hours * HOUR_MS), back: { kind: hours >= 168 ? 'closed' : 'open', window } };
}

/** Both hops of a run start the clock, or tell it. */
export const watchedUp: Story = (env) => {
  const fake = fakeActivities({ policy, plan: plan(['control-plane', 'bake']) });
  return withUpgrade(
    env,
    withChange(fake, {
      readRollbackWindow: async () => after(1),
      awaitUpdate: async () => ({ status: 'Successful', errors: [], createdAt: MOVED_AT }),
    }),
    async (run) => {
      await run.finish();
      return run.workflowId;
    },
  );
};

/** It is told of a further hop, reminds twice, and closes. */
export const clockToTheEnd: Story = async (env) => {
  const answers = [after(0), after(140, '1.33', '1.32'), after(144, '1.33', '1.32'), after(167, '1.33', '1.32')];
  const fake = fakeActivities({ policy });
  const activities = withChange(fake, { readRollbackWindow: async () => answers.shift() ?? after(168, '1.33', '1.32') });
  return clockTold(env, { activities, policy }, async (clock, input) => {
    while (answers.length > 3) await new Promise((resolve) => setTimeout(resolve, 50));
    await clock.signal(controlPlaneMoved, stampedNow(controlPlaneMoved, { up: { ...input, at: '1.33' } }));
  });
};

/** Karpenter's nodes first: pinned, rolled, let go behind the control plane. */
export const karpenterGoneBack: Story = (env) =>
  withUpgrade(
    env,
    karpenterGoingBack().activities,
    async (run) => {
      await run.finish();
      return run.workflowId;
    },
    { back: true },
  );

/** What runs on Fargate stands still, and a group of one's own is refreshed, before the control plane goes back. */
export const othersGoneBack: Story = (env) => {
  const selfManaged = { nodeCount: 2, groups: [{ name: 'batch', size: 2 }], refresh: { minHealthyPercent: 100 } };
  const phases = plan(['rollback-checks', 'other-nodes', 'control-plane-back', 'validation'], (of) => {
    if (of.phase === 'other-nodes') return step(of.phase, { params: { phase: of.phase, to: '1.32', back: true, selfManaged } });
    if (of.phase !== 'control-plane-back') return of;
    const fargate = { podCount: 2, workloadCount: 1 };
    return step(of.phase, { params: { phase: of.phase, from: '1.33', to: '1.32', managedBy: 'eks', fargate } });
  });
  const fake = fakeActivities({ policy, plan: { ...phases, kind: 'back' } });
  return withUpgrade(
    env,
    fake.activities,
    async (run) => {
      await run.finish();
      return run.workflowId;
    },
    { back: true },
  );
};

/** Every phase of a way back, the control plane at the second try. */
export function goneBack(): Story {
  let checks = 0;
  const fake = fakeActivities({
    policy,
    plan: { ...plan(['rollback-checks', 'node-groups', 'add-ons-back', 'control-plane-back', 'validation']), kind: 'back' },
  });
  return (env) =>
    withUpgrade(
      env,
      withChange(fake, {
        checkWayBack: async (input) => {
          checks += 1;
          if (checks !== 2) return fake.activities.checkWayBack(input);
          const newer = {
            code: 'RBK005',
            title: 'No node is newer than 1.32',
            message: '1 karpenter node runs a kubelet newer than 1.32.',
          };
          return { findings: [{ ...newer, severity: 'required', status: 'fail', resources: [], resourceCount: 0 }], passedCount: 7 };
        },
      }),
      async (run) => {
        await run.finish((gate, seen) => (gate.id.startsWith('failed') ? 'retry' : approveAll(gate, seen)));
        return run.workflowId;
      },
      { back: true },
    );
}
