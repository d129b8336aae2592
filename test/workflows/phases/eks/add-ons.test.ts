/** Add-ons: what is asked of EKS or of others, up and back. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { ManagedBy } from '../../../../domain/facts/facts.ts';
import { fakeActivities, inputs } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

async function ran({ managed = true, managedBy = 'eks' }: { managed?: boolean; managedBy?: ManagedBy }) {
  const changes = [{ name: 'coredns', from: 'v1.11.3-eksbuild.1', to: 'v1.11.4-eksbuild.2', managed }];
  const target = step('add-ons-target', { params: { phase: 'add-ons-target', to: '1.32', changes, managedBy } });
  const fake = fakeActivities({ plan: plan(['add-ons-target'], () => target) });
  const report = await withUpgrade(env, fake.activities, (run) => run.finish());
  expect(report.outcome).toBe('completed');
  return fake.world;
}

test('what somebody has brought further stays there: Belay’s own updates', async () => {
  const world = await ran({});
  const [started] = inputs(world, 'startAddOnUpdate');
  expect(started).toMatchObject({ to: 'v1.11.4-eksbuild.2', newerOn: '1.32' });
  expect(started).not.toHaveProperty('back');
  expect(inputs(world, 'awaitAddOnHealthy')).toMatchObject([{ newerOn: '1.32' }]);
});

test('and those of others', async () => {
  const world = await ran({ managedBy: 'terraform' });
  expect(inputs(world, 'awaitForeignUpdate')).toMatchObject([{ to: 'v1.11.4-eksbuild.2', newerOn: '1.32' }]);
  expect(inputs(world, 'awaitAddOnHealthy')[0]).not.toHaveProperty('asked');
});

test('one that EKS does not manage is waited for as long as people are given for it', async () => {
  const world = await ran({ managed: false });
  expect(inputs(world, 'startAddOnUpdate')).toEqual([]);
  expect(inputs(world, 'awaitAddOnHealthy')).toMatchObject([{ asked: true, newerOn: '1.32' }]);
});
