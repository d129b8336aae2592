/** What both the sick worker and the healthy one find: a plan of one step, and a policy that notices silence soon. */
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';

export function sickbed(): ReturnType<typeof fakeActivities> {
  const policy = quickPolicy();
  return fakeActivities({
    plan: plan(['pre-checks'], ({ gate: _gate, ...step }) => step),
    policy: { ...policy, timing: { ...policy.timing, heartbeatTimeoutMs: 2_000 } },
  });
}
