/** A gate's day: two reminders, a deadline that stops, a pause that may last. */
import { describe, expect, test } from 'vitest';
import { abortUpgrade, pauseUpgrade, resumeUpgrade } from '../../workflows/contract/messages.ts';
import { count, type FakeWorld } from '../support/fake-activities.ts';
import { ALEX, approveAll, SAM } from '../support/upgrade.ts';
import { DAY, HOUR, MINUTE, patientCluster, reminders, soon, withPatience } from './support.ts';

const GATE = 'before:pre-checks@1.32#1';
const isOpen =
  (gate: string) =>
  (status: { gates: { id: string }[] }): boolean =>
    status.gates.some(({ id }) => id === gate);

const ofThePause = ({ published }: FakeWorld): string[] =>
  published.flatMap(({ notification }) =>
    notification.kind === 'note' && notification.text.includes('paused') ? [notification.text] : [],
  );

describe('a gate that nobody answers', () => {
  test('S13: reminds at half of its 24 hours and at 90 %, and then it stops the run: waiting costs next to no history', async () => {
    const fake = patientCluster(['pre-checks']);
    await withPatience(fake, async ({ run, pass, events }) => {
      await run.until(isOpen(GATE));
      const before = await events();
      const seen: [number, number][] = [];
      for (const [untilMs, count] of [
        [12 * HOUR - MINUTE, 0],
        [12 * HOUR + MINUTE, 1],
        [21 * HOUR + 35 * MINUTE, 1],
        [21 * HOUR + 37 * MINUTE, 2],
        [24 * HOUR - MINUTE, 2],
      ] as const) {
        await pass(untilMs - (seen.at(-1)?.[0] ?? 0));
        await soon(() => reminders(fake.world, GATE) === count, `${count} reminders after ${untilMs / HOUR} h`);
        seen.push([untilMs, reminders(fake.world, GATE)]);
      }
      expect((await run.status()).gates.map(({ id }) => id)).toEqual([GATE]);
      expect((await events()) - before).toBeLessThanOrEqual(30);
      await pass(2 * MINUTE);
      const report = await run.finish(() => undefined);
      expect(report.outcome).toBe('stopped');
      expect(report.status.headline).toBe(`Nobody decided at ${GATE} in time, so Step pre-checks did not start`);
      expect(report.decisions).toMatchObject([{ kind: 'expired' }]);
      expect(count(fake.world, 'runPreChecks')).toBe(0);
    });
  });

  test('after a failure it stops too, and restores the budgets', async () => {
    const fake = patientCluster(['freeze-drift', 'pre-checks'], () => ({
      runPreChecks: async () => ({
        findings: [{ code: 'X', title: 'T', severity: 'required', status: 'fail', message: 'no', resources: [], resourceCount: 0 }],
        passedCount: 0,
      }),
    }));
    await withPatience(fake, async ({ run, pass }) => {
      await run.until(isOpen('failed:pre-checks@1.32#1'), (gate) => (gate.id.startsWith('failed') ? undefined : approveAll(gate, 0)));
      expect(fake.world.budgets?.nodes).toBe('0');
      await pass(24 * HOUR + MINUTE);
      const report = await run.finish(() => undefined);
      expect(report.outcome).toBe('stopped');
      expect(fake.world.budgets).toBeUndefined();
      expect(report.leftBehind).toEqual([]);
    });
  });

  test('a decision in the 24th hour still counts', async () => {
    const fake = patientCluster(['pre-checks']);
    await withPatience(fake, async ({ run, pass }) => {
      await run.until(isOpen(GATE));
      await pass(24 * HOUR - MINUTE);
      expect(await run.decide(GATE, 'approve')).toMatchObject({ accepted: true });
      expect((await run.finish()).outcome).toBe('completed');
    });
  });
});

describe('a pause', () => {
  test('T10: lasts a week, is said once a day and costs next to no history, and the run continues where it was', async () => {
    const fake = patientCluster(['pre-checks', 'validation']);
    await withPatience(fake, async ({ run, pass, events }) => {
      await run.until(isOpen(GATE));
      await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: ALEX }] });
      await run.decide(GATE, 'approve');
      await run.until((status) => status.state === 'paused');
      // The board's turn comes a moment later.
      await pass(MINUTE);
      const before = await events();
      await pass(7 * DAY - HOUR);
      expect(ofThePause(fake.world)).toEqual(
        ['1 day', '2 days', '3 days', '4 days', '5 days', '6 days'].map(
          (days) => `prod has been paused before "Step pre-checks" for ${days}. Nothing continues by itself: resume the run, or abort it.`,
        ),
      );
      expect((await events()) - before).toBeLessThanOrEqual(6 * 20);
      expect(count(fake.world, 'validateCluster')).toBe(0);
      await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
      expect((await run.finish()).outcome).toBe('completed');
    });
  });

  test('of a run of a campaign is not said by the run: the campaign says which of its runs make no progress', async () => {
    const fake = patientCluster(['pre-checks']);
    const campaign = { name: 'to-1-32', ring: 'canary' };
    await withPatience(
      fake,
      async ({ run, pass }) => {
        await run.until(isOpen(GATE));
        await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: ALEX }] });
        await run.decide(GATE, 'approve');
        await run.until((status) => status.state === 'paused');
        await pass(3 * DAY + HOUR);
        expect(ofThePause(fake.world)).toEqual([]);
        await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
        expect((await run.finish()).outcome).toBe('completed');
      },
      { campaign },
    );
  });

  test('can be ended by an abort, which restores everything', async () => {
    const fake = patientCluster(['pre-checks', 'freeze-drift', 'control-plane']);
    await withPatience(fake, async ({ run, pass }) => {
      await run.until(isOpen(GATE));
      await run.decide(GATE, 'approve');
      await run.until(isOpen('before:control-plane@1.32#1'));
      // Paused at an open gate: the gate's deadline still runs, the step behind it waits.
      await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: ALEX }] });
      await pass(3 * HOUR);
      await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'not this week' }] });
      const report = await run.finish(() => undefined);
      expect(report).toMatchObject({
        outcome: 'aborted',
        leftBehind: [],
        status: { headline: 'Aborted by Sam: not this week', pauseRequested: false },
      });
      expect(fake.world.budgets).toBeUndefined();
      expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
    });
  });

  test('between steps: days later an abort ends the run at once', async () => {
    const fake = patientCluster(['pre-checks', 'freeze-drift', 'validation']);
    await withPatience(fake, async ({ run, pass }) => {
      await run.until(isOpen(GATE));
      await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: ALEX }] });
      await run.decide(GATE, 'approve');
      await run.until((status) => status.state === 'paused');
      await pass(3 * DAY + HOUR);
      await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX }] });
      expect((await run.finish(() => undefined)).outcome).toBe('aborted');
      expect(count(fake.world, 'freezeDrift')).toBe(0);
    });
  });
});
