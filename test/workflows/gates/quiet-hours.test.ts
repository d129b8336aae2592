/** Mentions that quiet hours hold back go out when these end, as long as somebody still has to decide. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DEFAULT_WINDOWS } from '../../../domain/policy/config/defaults.ts';
import type { Notification } from '../../../domain/run/notifications.ts';
import { WEEKDAYS } from '../../../domain/policy/windows.ts';
import { fakeActivities, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = 'before:pre-checks@1.32#1';
const quietHours = [{ days: [...WEEKDAYS], start: '22:00', end: '07:00', timeZone: 'UTC' }];

/** Slack delivers; what asks people at night says that it was held back for so long. */
function atNight(heldForMs: number) {
  const policy = quickPolicy({ windows: { ...DEFAULT_WINDOWS, quietHours } });
  const fake = fakeActivities({ plan: plan(['pre-checks']), policy });
  let night = true;
  const activities = withChange(fake, {
    publish: async (input) => {
      const deliveries = await fake.activities.publish(input);
      return deliveries.map((delivery, index) => {
        const told = input.messages[index]?.notification;
        const asks = told?.kind === 'gate' && told.state.kind === 'open';
        return night && asks ? { ...delivery, heldForMs } : delivery;
      });
    },
  });
  const reminders = () =>
    fake.world.published.flatMap(({ notification }) => (isLate(notification) && notification.kind === 'gate' ? [notification] : []));
  return { ...fake, activities, reminders, endNight: () => void (night = false) };
}

const isLate = (notification: Notification): boolean => notification.kind === 'gate' && notification.afterQuiet !== undefined;

describe('quiet hours', () => {
  test('who was to be asked at a gate is mentioned once they end, and once only', async () => {
    const { activities, reminders, endNight, world } = atNight(200);
    await withUpgrade(env, activities, async (run) => {
      await run.until(() => world.published.some(({ key }) => key === `gate/${GATE}`));
      endNight();
      await run.until(
        () => reminders().length > 0,
        () => undefined,
      );
      const report = await run.finish();
      expect(report.outcome).toBe('completed');
    });
    expect(reminders()).toHaveLength(1);
    expect(reminders()[0]).toMatchObject({ reminder: true, mention: { users: ['U0SAM', 'U0RIN'] }, state: { gate: { id: GATE } } });
    // U2: for direct messages, without whoever asked for the run.
    expect(reminders()[0]?.voters).toEqual({ users: ['U0SAM', 'U0RIN'], groups: [], except: ['U0ALEX'] });
  });

  test('a gate that was decided meanwhile asks nobody any more', async () => {
    const night = atNight(300);
    const { reminders, world } = night;
    // The run continues for longer than the night.
    const slow = withChange(night, {
      runPreChecks: async (input) => {
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        return await night.activities.runPreChecks(input);
      },
    });
    await withUpgrade(env, slow, async (run) => {
      await run.until(({ gates }) => gates.some(({ id }) => id === GATE));
      expect((await run.finish(approveAll)).outcome).toBe('completed');
    });
    expect(world.published.some(({ notification }) => notification.kind === 'report')).toBe(true);
    expect(reminders()).toEqual([]);
  });

  test('still quiet when they were to end, such as after belay.yaml was changed: asked again later', async () => {
    const { activities, reminders, endNight } = atNight(200);
    await withUpgrade(env, activities, async (run) => {
      await run.until(
        () => reminders().length === 1,
        () => undefined,
      );
      endNight();
      await run.until(
        () => reminders().length === 2,
        () => undefined,
      );
      await run.finish();
    });
    expect(reminders()).toHaveLength(2);
  });
});
