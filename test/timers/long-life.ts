/** What a long life must not cost: no history near Temporal's limit, a thread that people can still read, and nothing left behind. */
import { expect } from 'vitest';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { DEFAULT_TIMING } from '../../domain/policy/config/defaults.ts';
import type { PhaseId } from '../../domain/core/phases.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { type FakeWorld, fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { DAY, type Fake, HOUR, later, type Patience } from './support.ts';

/** Temporal ends a history at 51,200 events and warns at 10,240. */
const MOST_EVENTS = 10_000;
const MOST_MESSAGES = 60;

/**
 * Production's timing but for gates, which may wait for eight days. What production watches in a loop is here a look that fails and is tried again: this
 * server's clock stands still while an activity runs.
 */
export function longLived(
  steps: PhaseId[] | UpgradePlan,
  change: (world: FakeWorld, healthy: BelayActivities) => Partial<BelayActivities> = () => ({}),
): Fake {
  const fake = fakeActivities({
    plan: Array.isArray(steps) ? plan(steps) : steps,
    policy: quickPolicy({ watch: true, timing: { ...DEFAULT_TIMING, gateDeadlineMs: 8 * DAY } }),
  });
  const watched: Partial<BelayActivities> = {
    watchFreeze: async () => later('the freeze stands', HOUR),
    watchCluster: async () => later('nothing is wrong', HOUR),
    watchHealth: async () => later('nothing is wrong', HOUR),
    awaitUnrequestedRollback: async () => later('nobody takes the control plane back', HOUR),
  };
  return { world: fake.world, activities: withChange(fake, { ...watched, ...change(fake.world, fake.activities) }) };
}

/** Everything that stands in the thread: what is edited in place counts once. */
const messages = (world: FakeWorld): string[] => [...new Set(world.published.map(({ key }) => key))];

/** The run has completed with nothing left behind, and neither its histories nor its thread have outgrown anybody. */
export async function expectEndedWell({ events }: Patience, { world }: Fake, report: UpgradeReport): Promise<void> {
  expect(report).toMatchObject({ outcome: 'completed', leftBehind: [] });
  expect(world.budgets).toBeUndefined();
  expect(world.scaled).toEqual([]);
  const histories = [undefined, ...report.status.steps.map(({ id }) => id)];
  const counted = await Promise.all(histories.map(async (step) => ({ history: step ?? 'the run', events: await events(step) })));
  expect(counted.filter((history) => history.events === 0 || history.events >= MOST_EVENTS)).toEqual([]);
  expect(messages(world).length).toBeLessThan(MOST_MESSAGES);
}
