/** An istiod with one replica while nodes move: company before them, put back after them on every way out, asked for where GitOps keeps it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { count, fakeActivities, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const LONE = { namespace: 'istio-system', deployment: 'istiod', budget: 'istiod', autoscaler: 'istiod' };
const groups = step('node-groups', {
  params: { phase: 'node-groups', to: '1.32', groups: [{ name: 'default', from: '1.31', count: 2 }], managedBy: 'eks', spareIstiod: true },
});
const given = () => fakeActivities({ plan: plan(['node-groups'], () => groups) });
const ABORT: Decider = (open) => (open.id.startsWith('failed:') ? 'abort' : approveAll(open, 0));

test('raised before the groups move, lowered after them', async () => {
  const fake = given();
  const activities = withChange(fake, { findLoneIstiods: async () => ({ lone: [LONE] }) });
  expect((await withUpgrade(env, activities, (run) => run.finish())).outcome).toBe('completed');
  const order = ['raiseIstiod', 'awaitIstiodFree', 'startNodeGroupUpdate', 'lowerIstiod'];
  expect(fake.world.calls.map(({ name }) => name).filter((name) => order.includes(name))).toEqual(order);
  expect(JSON.stringify(fake.world.published)).toContain(
    'runs with two replicas until the nodes are replaced (minReplicas of HorizontalPodAutoscaler istiod 1 → 2)',
  );
});

test('one that does not come up stops the step before a node moves, and is put back', async () => {
  const fake = given();
  const activities = withChange(fake, {
    findLoneIstiods: async () => ({ lone: [LONE] }),
    awaitIstiodFree: async () => ({ free: false, why: '1 of 2 istiods are healthy' }),
    lowerIstiod: async () => ({ changedByOthers: true }),
  });
  const report = await withUpgrade(env, activities, (run) => run.finish(ABORT));
  expect(report.outcome).toBe('aborted');
  expect([count(fake.world, 'startNodeGroupUpdate'), count(fake.world, 'lowerIstiod')]).toEqual([0, 1]);
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain(
    'Running a second istiod istio-system/istiod: PodDisruptionBudget istiod still lets none go (1 of 2 istiods are healthy)',
  );
  expect(report.leftBehind).toEqual([expect.objectContaining({ what: 'replicas of istiod istio-system/istiod' })]);
});

test('kept as in Git: its owner is asked, before and after, and Belay changes nothing', async () => {
  const fake = given();
  const activities = withChange(fake, { findLoneIstiods: async () => ({ lone: [{ ...LONE, owner: 'flux' as const }] }) });
  expect((await withUpgrade(env, activities, (run) => run.finish())).outcome).toBe('completed');
  expect([count(fake.world, 'raiseIstiod'), count(fake.world, 'awaitIstiodFree'), count(fake.world, 'lowerIstiod')]).toEqual([0, 1, 0]);
  const asks = fake.world.published.flatMap(({ notification }) =>
    notification.kind === 'note' && notification.ask !== undefined ? [notification.ask] : [],
  );
  expect(asks.map(({ component, version }) => `${component} ${version}`)).toEqual([
    'istiod-replicas 2 replicas',
    'istiod-replicas 1 replica',
  ]);
});
