/** A run captures what it would come back to, after its checks and before its first change. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DEFAULT_WINDOWS } from '../../../domain/policy/config/defaults.ts';
import { count, fakeActivities, inputs, quickPolicy, sleepBeating, withChange } from '../../support/fake-activities.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, choosing, type Decider, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const policy = quickPolicy();

test('once, between the checks and the first change; the report says where it is', async () => {
  const fake = fakeActivities({ policy });
  await withUpgrade(env, fake.activities, async (run) => {
    const report = await run.finish();
    expect(report).toMatchObject({ outcome: 'completed', rollbackPoint: { location: '/records/rollback-point.json' } });
    const { status } = report;
    expect(inputs(fake.world, 'captureRollbackPoint')).toMatchObject([{ run: { runId: status.runId, startedAt: status.startedAt } }]);
    const order = fake.world.calls.map(({ name }) => name);
    expect(order.indexOf('captureRollbackPoint')).toBeGreaterThan(order.indexOf('runPreChecks'));
    expect(order.indexOf('captureRollbackPoint')).toBeLessThan(order.indexOf('freezeDrift'));
  });
});

test('a run that was held before its first change captures what is there once it begins, and keeps the older one if it cannot', async () => {
  const fake = fakeActivities({ policy: quickPolicy({ channel: 'C0UPGRADES', windows: DEFAULT_WINDOWS }) });
  let isOpen = false;
  let captures = 0;
  const activities = withChange(fake, {
    judgeWindow: async ({ phases }) =>
      isOpen || !phases.includes('freeze-drift') ? { kind: 'open' } : { kind: 'closed', why: 'it is Thu', now: '2026-01-15T13:00:00.000Z' },
    awaitWindow: async () => {
      while (!isOpen) await sleepBeating(30);
      return { opened: true };
    },
    captureRollbackPoint: async () => {
      captures += 1;
      if (captures > 1) throw ApplicationFailure.nonRetryable('writing the record: the disk is full', 'Unavailable');
      return { location: '/records/rollback-point.json', leftOut: [], leftOutCount: 0 };
    },
  });
  await withUpgrade(env, activities, async (run) => {
    const ignoringWindows: Decider = (gate, seen) => (gate.id.startsWith('window') ? undefined : approveAll(gate, seen));
    await run.until(({ gates }) => gates.some(({ id }) => id.startsWith('window')), ignoringWindows);
    expect(inputs(fake.world, 'captureRollbackPoint')).toHaveLength(1);
    isOpen = true;
    const report = await run.finish(ignoringWindows);
    expect(report).toMatchObject({ outcome: 'completed', rollbackPoint: { location: '/records/rollback-point.json' } });
  });
  expect(inputs(fake.world, 'captureRollbackPoint')).toMatchObject([{}, { again: true }]);
  const order = fake.world.calls.map(({ name }) => name);
  expect(order.lastIndexOf('captureRollbackPoint')).toBeGreaterThan(order.indexOf('awaitWindow'));
  expect(order.lastIndexOf('captureRollbackPoint')).toBeLessThan(order.indexOf('freezeDrift'));
  expect(JSON.stringify(fake.world.published)).not.toContain('Could not save the state');
});

test('nothing is changed: nothing is captured', async () => {
  const fake = fakeActivities({ policy });
  await withUpgrade(env, fake.activities, async (run) => {
    const report = await run.finish(choosing({ 'before:pre-checks@1.32#1': 'reject' }));
    expect(report.rollbackPoint).toBeUndefined();
    expect(count(fake.world, 'captureRollbackPoint')).toBe(0);
  });
});

test('it cannot be written: people are told, and the run continues', async () => {
  const fake = fakeActivities({ policy: { ...policy, channel: 'C0UPGRADES' } });
  const activities = withChange(fake, {
    captureRollbackPoint: async () => {
      throw ApplicationFailure.nonRetryable('writing the record: the disk is full', 'Unavailable');
    },
  });
  await withUpgrade(env, activities, async (run) => {
    const report = await run.finish();
    expect(report.outcome).toBe('completed');
    expect(report.rollbackPoint).toBeUndefined();
    expect(JSON.stringify(fake.world.published)).toContain(
      'Could not save the state of the cluster before the first change: writing the record: the disk is full',
    );
  });
});
