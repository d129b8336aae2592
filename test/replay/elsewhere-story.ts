/** What outlives its run and is told beside Slack: the guard of a freeze that is kept, and the clock of the rollback window. For the recording. */
import { ALL_EVENTS, MAIL_EVENTS_WITHOUT_SLACK } from '../../domain/policy/deliveries.ts';
import { ROLLBACK_WINDOW_MS, wayBack } from '../../domain/facts/rollback-window.ts';
import { NO_SLACK } from '../../domain/policy/policy.ts';
import { abortUpgrade } from '../../workflows/contract/messages.ts';
import { fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { ALEX, approveAll, type Decider, withUpgrade } from '../support/upgrade.ts';
import { eventually } from '../support/eventually.ts';
import { clockTold, type Story } from './story.ts';

const base = quickPolicy({
  channel: NO_SLACK,
  deliveries: [
    { name: 'ops', kind: 'webhook', events: ALL_EVENTS },
    { name: 'team', kind: 'email', events: [...MAIL_EVENTS_WITHOUT_SLACK] },
  ],
});

/** Asked twice after the run's end, and lifted then. */
export const keptToldElsewhere: Story = (env) => {
  const fake = fakeActivities({
    plan: plan(['freeze-drift', 'control-plane', 'karpenter-drift']),
    policy: { ...base, timing: { ...base.timing, freezeReminderMs: 2_000 } },
  });
  fake.world.nodes = { '1.31': 5 };
  const keys: string[] = [];
  const activities = withChange(fake, {
    deliverEvents: async ({ events }) => {
      keys.push(...events.map(({ key }) => key));
      return events.map(({ key }) => ({ key, outcome: 'sent' }));
    },
  });
  const beforeTheRoll: Decider = (gate, seen) => (gate.id.startsWith('before:karpenter-drift') ? undefined : approveAll(gate, seen));
  return withUpgrade(env, activities, async (run) => {
    await run.until(({ gates }) => gates.some(({ id }) => id.startsWith('before:karpenter-drift')), beforeTheRoll);
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX, reason: 'another day' }] });
    await run.finish(beforeTheRoll);
    await eventually('the second question', () => keys.includes('gate/kept:freeze-drift@1.32#2/opened'));
    await run.decide('kept:freeze-drift@1.32#2', 'lift-and-roll');
    await env.client.workflow.getHandle(`${run.workflowId}/freeze-drift@1.32`).result();
    return run.workflowId;
  });
};

const MOVED_AT = '2025-04-29T09:00:00.000Z';
/** Seven days of EKS in this time. */
const WINDOW_MS = 14_000;

/** From a day and a half before the window closes to its end. */
export const clockToldElsewhere: Story = async (env) => {
  const policy = { ...base, timing: { ...base.timing, rollbackWindowMs: WINDOW_MS } };
  const fake = fakeActivities({ policy });
  const startMs = Date.now() - (5.5 * WINDOW_MS) / 7;
  const activities = withChange(fake, {
    readRollbackWindow: async () => {
      const now = new Date(Date.parse(MOVED_AT) + ((Date.now() - startMs) * ROLLBACK_WINDOW_MS) / WINDOW_MS).toISOString();
      return { now, back: wayBack('1.32', [{ type: 'VersionUpdate', to: '1.32', createdAt: MOVED_AT }], now) };
    },
  });
  return clockTold(env, { activities, policy });
};
