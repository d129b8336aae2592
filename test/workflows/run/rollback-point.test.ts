/** A run captures what it would come back to: once, after its checks and before its first change. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { count, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { startTemporal } from '../../support/temporal.ts';
import { choosing, withUpgrade } from '../../support/upgrade.ts';

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
