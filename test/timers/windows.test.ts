/** A parked run outlives days until its window, and no longer than people may be waited for. */
import { describe, expect, test } from 'vitest';
import { defined } from '../../domain/core/defined.ts';
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
  let inDays = opensInDays;
  const opensAt = (): string | undefined => (inDays === undefined ? undefined : new Date(Date.parse(now) + inDays * DAY).toISOString());
  const closed = (): WindowVerdict => ({ kind: 'closed', why: 'no window is open', now, ...defined({ opensAt: opensAt() }) });
  const activities = withChange(fake, {
    judgeWindow: async () => (open ? { kind: 'open' } : closed()),
    awaitWindow: async ({ toldOf }) =>
      open ? { opened: true } : toldOf === opensAt() ? later('no window is open', HOUR) : { opened: false },
  });
  return { fake: { ...fake, activities }, open: () => void (open = true), move: (days: number) => void (inDays = days) };
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

  test('a window that moves away meanwhile, as by a freeze that is declared, is waited for as well', async () => {
    const { fake, open, move } = parkedCluster(4);
    await withPatience(fake, async ({ run, pass }) => {
      await run.until(isOpen, ignoring);
      await pass(DAY);
      move(20);
      await pass(HOUR + MINUTE);
      const [gate] = (await run.status()).gates;
      expect(gate?.id).toBe('window:control-plane@1.32#2');
      await pass(15 * DAY);
      expect((await run.status()).state).toBe('waiting');
      open();
      await pass(HOUR + MINUTE);
      const report = await run.finish((gate, seen) => (gate.id.startsWith('window') ? undefined : approveAll(gate, seen)));
      expect(report.outcome).toBe('completed');
      expect(report.decisions.find(({ gate }) => gate.id === GATE)).toMatchObject({
        kind: 'withdrawn',
        why: 'the next maintenance window opens later than was said',
      });
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
