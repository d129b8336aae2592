/** What takes minutes to days in production: baking, a kept freeze, somebody else's merge, Slack away for a day. */
import { describe, expect, test } from 'vitest';
import { Context } from '@temporalio/activity';
import { DEFAULT_TIMING } from '../../domain/policy/config/defaults.ts';
import { abortUpgrade } from '../../workflows/contract/messages.ts';
import { count } from '../support/fake-activities.ts';
import { ALEX, approveAll } from '../support/upgrade.ts';
import { DAY, HOUR, later, MINUTE, patientCluster, reminders, SECOND, soon, toldOf, withPatience } from './support.ts';

test('the bake lasts its time: verified before it and after it, and nothing moves meanwhile', async () => {
  const fake = patientCluster(['control-plane', 'bake', 'node-groups']);
  await withPatience(fake, async ({ run, pass }) => {
    await run.until((s) => s.steps[1]?.state === 'running', approveAll);
    await soon(() => count(fake.world, 'verifyControlPlane') === 1, 'the first verification');
    await pass(DEFAULT_TIMING.bakeMs - 10 * SECOND);
    expect((await run.status()).steps.map(({ state }) => state)).toEqual(['completed', 'running', 'planned']);
    expect(count(fake.world, 'verifyControlPlane')).toBe(1);
    await pass(20 * SECOND);
    await run.until((s) => s.gates.some(({ id }) => id === 'before:node-groups@1.32#1'));
    expect(count(fake.world, 'verifyControlPlane')).toBe(2);
    expect(count(fake.world, 'startNodeGroupUpdate')).toBe(0);
  });
});

describe('a kept freeze', () => {
  const kept = (day: number): string => `kept:freeze-drift@1.32#${day}`;

  test('is said again every day, once a day, until people choose Lift and roll; a day costs a handful of events', async () => {
    const fake = patientCluster(['freeze-drift', 'control-plane', 'node-groups']);
    await withPatience(fake, async ({ run, ended, pass, events }) => {
      await run.until(
        (s) => s.gates.some(({ id }) => id === 'before:node-groups@1.32#1'),
        (gate) => (gate.id.includes('node-groups') ? undefined : approveAll(gate, 0)),
      );
      await run.decide('before:node-groups@1.32#1', 'reject');
      expect((await run.finish(() => undefined)).leftBehind).toMatchObject([{ what: 'Karpenter drift freeze', kept: true }]);
      await soon(() => toldOf(fake.world, kept(1)).length === 1, 'the first question');
      await pass(HOUR);
      const before = await events('freeze-drift@1.32');
      for (const day of [1, 2, 3]) {
        await pass(DAY);
        await soon(() => toldOf(fake.world, kept(day + 1)).length === 1, `the question of day ${day + 1}`);
        expect(toldOf(fake.world, kept(day)).map(({ state }) => state.kind)).toEqual(['open', 'expired']);
        expect(reminders(fake.world, kept(day))).toBe(0);
        expect(fake.world.budgets?.nodes).toBe('0');
      }
      expect((await events('freeze-drift@1.32')) - before).toBeLessThanOrEqual(3 * 20);
      await run.decide(kept(4), 'lift-and-roll');
      await ended(`${run.workflowId}/freeze-drift@1.32`);
      expect(fake.world.budgets).toBeUndefined();
      expect(count(fake.world, 'restoreBudgets')).toBe(1);
    });
  });

  test('Keep frozen is an answer for a day', async () => {
    const fake = patientCluster(['freeze-drift', 'control-plane', 'bake']);
    await withPatience(fake, async ({ run, pass }) => {
      await run.until((s) => s.steps[2]?.state === 'running', approveAll);
      await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: ALEX }] });
      await run.finish(() => undefined);
      await soon(() => toldOf(fake.world, kept(1)).length > 0, 'the first question');
      await run.decide(kept(1), 'keep-frozen');
      await pass(DAY - HOUR);
      expect(toldOf(fake.world, kept(2))).toEqual([]);
      await pass(2 * HOUR);
      await soon(() => toldOf(fake.world, kept(2)).length === 1, 'the question of the second day');
      expect(fake.world.budgets?.nodes).toBe('0');
    });
  });
});

test('a merge by somebody else is waited for over the whole week of the limit, then people are asked; a Retry waits anew', async () => {
  let looked = false;
  let merged = false;
  const fake = patientCluster(['karpenter-controller'], () => ({
    awaitKarpenterVersion: async () => {
      looked = true;
      if (merged) return { version: '1.2.3', timedOut: false };
      const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = Context.current().info;
      if (currentAttemptScheduledTimestampMs - scheduledTimestampMs < DEFAULT_TIMING.askTimeoutMs)
        return later('Karpenter 1.1.0 still runs', 6 * HOUR);
      return { version: '1.1.0', timedOut: true };
    },
  }));
  await withPatience(fake, async ({ run, pass, events }) => {
    await soon(() => looked, 'the watch begins');
    const before = await events('karpenter-controller@1.32');
    await pass(DEFAULT_TIMING.askTimeoutMs - HOUR);
    expect((await run.status()).gates).toEqual([]);
    expect((await events('karpenter-controller@1.32')) - before).toBeLessThanOrEqual(12);
    await pass(7 * HOUR);
    const status = await run.until((s) => s.gates.some(({ id }) => id === 'failed:karpenter-controller@1.32#1'));
    expect(status.steps[0]?.note).toBe('Waiting for Karpenter 1.2.3: it still runs 1.1.0');
    merged = true;
    await run.decide('failed:karpenter-controller@1.32#1', 'retry');
    expect((await run.finish()).outcome).toBe('completed');
  });
});

describe('Slack is away for a day', () => {
  test('S1: when a gate opens: it is told the day after, still open, and can be decided', async () => {
    const outage = slackOutage();
    const fake = patientCluster(['pre-checks', 'validation'], outage.activities);
    const policy = DEFAULT_TIMING.gateDeadlineMs;
    await withPatience(fake, async ({ run, pass }) => {
      await run.until((s) => s.gates.length > 0);
      expect(fake.world.published).toEqual([]);
      await pass(policy - 2 * HOUR);
      outage.end();
      await pass(HOUR);
      await soon(() => toldOf(fake.world, 'before:pre-checks@1.32#1').some(({ state }) => state.kind === 'open'), 'the gate is told');
      await run.decide('before:pre-checks@1.32#1', 'approve');
      expect((await run.finish()).outcome).toBe('completed');
    });
  });

  test('at the end of the run: the run ends in minutes and lets go of the cluster; the report comes when Slack is back', async () => {
    const outage = slackOutage();
    outage.end();
    const fake = patientCluster(['pre-checks', 'validation'], outage.activities);
    await withPatience(fake, async ({ run, pass, nowMs }) => {
      await run.until((s) => s.gates.length > 0);
      outage.begin();
      const startedAtMs = await nowMs();
      await run.decide('before:pre-checks@1.32#1', 'approve');
      await run.until((status) => status.endedAt !== undefined);
      await pass(2 * MINUTE);
      expect((await run.finish()).outcome).toBe('completed');
      expect((await nowMs()) - startedAtMs).toBeLessThanOrEqual(3 * MINUTE);
      expect(fake.world.records).toHaveLength(1);
      await pass(DAY);
      expect(fake.world.published.some(({ key }) => key === 'report')).toBe(false);
      // The last stretch passes by itself: this server's clock cannot be skipped past the end of an abandoned child.
      await outage.wane(() => pass(10 * MINUTE));
      outage.end();
      await soon(() => fake.world.published.some(({ key }) => key === 'report'), 'the report is told');
      expect(fake.world.published.map(({ key }) => key)).toEqual(
        expect.arrayContaining(['board', 'gate/before:pre-checks@1.32#1', 'report']),
      );
    });
  });
});

interface Outage {
  begin(): void;
  /** Slack now asks to come again in two seconds; `pass` lets time pass until it has been asked. */
  wane(pass: () => Promise<void>): Promise<void>;
  end(): void;
  activities: Parameters<typeof patientCluster>[1];
}

/** Slack asks to come again in an hour. */
function slackOutage(): Outage {
  let down = true;
  let againMs = HOUR;
  let hasWaned = false;
  return {
    begin: () => void (down = true),
    end: () => void (down = false),
    wane: async (pass) => {
      againMs = 2 * SECOND;
      for (let step = 0; step < 12 && !hasWaned; step += 1) await pass();
    },
    activities: (world) => ({
      publish: async ({ upgrade, channel, messages }) => {
        hasWaned = againMs < HOUR;
        if (down) return later('Slack cannot be reached', againMs);
        for (const message of messages) world.published.push({ upgrade, channel, ...message });
        return messages.map(({ key }) => ({ key, ref: { channel, ts: '1.0' } }));
      },
    }),
  };
}
