/** A parked run outlives days until its window, and no longer than people may be waited for. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_TIMING, DEFAULT_WINDOWS } from '../../domain/policy/config/defaults.ts';
import type { WindowVerdict } from '../../domain/policy/windows.ts';
import { count, fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { approveAll, type Decider } from '../support/upgrade.ts';
import { DAY, HOUR, later, MINUTE, reminders, withPatience } from './support.ts';

const GATE = 'window:control-plane@1.32#1';
const ignoring: Decider = (gate, seen) => (gate.id === GATE ? undefined : approveAll(gate, seen));
const isOpen = (status: { gates: { id: string }[] }): boolean => status.gates.some(({ id }) => id === GATE);

function parkedCluster(opensInDays: number | undefined) {
  const policy = quickPolicy({ windows: DEFAULT_WINDOWS });
  const fake = fakeActivities({ plan: plan(['control-plane']), policy: { ...policy, timing: DEFAULT_TIMING } });
  let open = false;
  const now = '2026-01-15T13:00:00.000Z';
  const opensAt = opensInDays === undefined ? {} : { opensAt: new Date(Date.parse(now) + opensInDays * DAY).toISOString() };
  const closed: WindowVerdict = { kind: 'closed', why: 'no window is open', now, ...opensAt };
  const activities = withChange(fake, {
    judgeWindow: async () => (open ? { kind: 'open' } : closed),
    awaitWindow: async () => (open ? { opened: true } : later('no window is open', HOUR)),
  });
  return { fake: { ...fake, activities }, open: () => void (open = true) };
}

describe('a parked run', () => {
  test('P2: waits four days for its window, long past the time for a decision, reminds nobody, and continues by itself', async () => {
    const { fake, open } = parkedCluster(4);
    await withPatience(fake, async ({ run, pass, events }) => {
      await run.until(isOpen, ignoring);
      const before = await events();
      await pass(4 * DAY);
      expect(isOpen(await run.status())).toBe(true);
      expect(reminders(fake.world, GATE)).toBe(0);
      expect((await events()) - before).toBeLessThanOrEqual(10);
      open();
      await pass(HOUR + MINUTE);
      const report = await run.finish(ignoring);
      expect(report.outcome).toBe('completed');
      expect(count(fake.world, 'startControlPlaneUpdate')).toBe(1);
    });
  });

  test('where no window is in sight it stops after the time for a decision', async () => {
    const { fake } = parkedCluster(undefined);
    await withPatience(fake, async ({ run, pass }) => {
      await run.until(isOpen, ignoring);
      await pass(DAY - MINUTE);
      expect(isOpen(await run.status())).toBe(true);
      await pass(2 * MINUTE);
      const report = await run.finish(() => undefined);
      expect(report.outcome).toBe('stopped');
      expect(report.status.headline).toBe(`Nobody decided at ${GATE} in time (Step control-plane: no window is open)`);
      expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
    });
  });
});
