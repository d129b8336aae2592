/** The Cluster Autoscaler stands still while groups are moved, and is resumed on every way out. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { AutoscalerFact } from '../../../../domain/facts/facts.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { count, fakeActivities, sleepBeating, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const AUTOSCALER: AutoscalerFact = { namespace: 'kube-system', name: 'cluster-autoscaler', replicas: 2 };

const planWith = (autoscaler: AutoscalerFact) => {
  const groups = [{ name: 'default', from: '1.31', count: 2 }];
  return plan(['node-groups'], () =>
    step('node-groups', { params: { phase: 'node-groups', to: '1.32', groups, managedBy: 'eks', autoscaler } }),
  );
};
const abortAtFailure: Decider = (open) => (open.id.startsWith('failed:') ? 'abort' : approveAll(open, 0));

test('paused before, resumed after a failed update, before people decide', async () => {
  const fake = fakeActivities({ plan: planWith(AUTOSCALER) });
  const activities = withChange(fake, {
    awaitUpdate: async () => ({ status: 'Failed', errors: [{ code: 'PodEvictionFailure', message: 'budget', resourceIds: [] }] }),
  });
  const report = await withUpgrade(env, activities, (run) => run.finish(abortAtFailure));
  expect(report.outcome).toBe('aborted');
  const names = fake.world.calls.map(({ name }) => name).filter((name) => /Autoscaler|startNodeGroup/.test(name));
  expect(names).toEqual(['pauseAutoscaler', 'awaitAutoscaler', 'startNodeGroupUpdate', 'resumeAutoscaler']);
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain('Cluster Autoscaler kube-system/cluster-autoscaler is paused until the nodes are replaced.');
  expect(told).toContain('Cluster Autoscaler kube-system/cluster-autoscaler is back at 2 replicas.');
});

test('several are paused before any group rolls, and all of them are resumed', async () => {
  const second = { namespace: 'kube-system', name: 'gpu-autoscaler', replicas: 1 };
  const fake = fakeActivities({ plan: planWith({ ...AUTOSCALER, others: [second] }) });
  const report = await withUpgrade(env, fake.activities, (run) => run.finish((open) => approveAll(open, 0)));
  expect(report.outcome).toBe('completed');
  const steps = fake.world.calls.filter(({ name }) => /pauseAutoscaler|resumeAutoscaler|startNodeGroup/.test(name));
  expect(steps.map(({ name, input }) => [name, (input as { name?: string }).name])).toEqual([
    ['pauseAutoscaler', 'cluster-autoscaler'],
    ['pauseAutoscaler', 'gpu-autoscaler'],
    ['startNodeGroupUpdate', undefined],
    ['resumeAutoscaler', 'gpu-autoscaler'],
    ['resumeAutoscaler', 'cluster-autoscaler'],
  ]);
});

test('one that cannot be resumed is an alarm, and does not hide that the groups are done', async () => {
  const fake = fakeActivities({ plan: planWith(AUTOSCALER) });
  const activities = withChange(fake, {
    resumeAutoscaler: async () => {
      throw ApplicationFailure.nonRetryable('not permitted: it needs patch on deployments', 'AccessDenied');
    },
  });
  const report = await withUpgrade(env, activities, (run) => run.finish((open) => approveAll(open, 0)));
  expect(report.outcome).toBe('completed');
  expect(JSON.stringify(fake.world.published)).toContain(
    'ALARM: Cluster Autoscaler kube-system/cluster-autoscaler could not be resumed: not permitted: it needs patch on deployments. Restore it before the next upgrade: belay reconcile prod --yes restores what it can and lists the rest.',
  );
});

test('an abort while two groups roll: paused until the last of them has ended', async () => {
  const groups = ['first', 'second'].map((name) => ({ name, from: '1.31', count: 2 }));
  const params = { phase: 'node-groups' as const, to: '1.32', groups, managedBy: 'eks' as const, autoscaler: AUTOSCALER };
  const fake = fakeActivities({ plan: plan(['node-groups'], () => step('node-groups', { params })) });
  const ended: string[] = [];
  const order: string[] = [];
  const activities = withChange(fake, {
    awaitUpdate: async ({ resource }) => {
      const name = resource.kind === 'cluster' ? '' : resource.name;
      while (!ended.includes(name)) await sleepBeating(50);
      order.push(`${name} has ended`);
      return { status: 'Successful', errors: [] };
    },
    resumeAutoscaler: async () => {
      order.push('resumed');
      return { changedByOthers: false, replicas: 2 };
    },
  });
  const report = await withUpgrade(env, activities, async (run) => {
    await run.until(() => count(fake.world, 'awaitUpdate') === 2, approveAll);
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'checkout is slow' }] });
    ended.push('first');
    await eventually(() => order.includes('first has ended'));
    // Time for the step to hear of it.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    ended.push('second');
    return await run.finish();
  });
  expect(report.outcome).toBe('aborted');
  expect(order).toEqual(['first has ended', 'second has ended', 'resumed']);
});

test('delivered by GitOps: asked for before and after, never changed', async () => {
  const fake = fakeActivities({ plan: planWith({ ...AUTOSCALER, deliveredBy: 'flux' }) });
  const report = await withUpgrade(env, fake.activities, (run) => run.finish((open) => approveAll(open, 0)));
  expect(report.outcome).toBe('completed');
  expect(count(fake.world, 'pauseAutoscaler') + count(fake.world, 'resumeAutoscaler')).toBe(0);
  const asks = fake.world.published.flatMap(({ notification }) =>
    notification.kind === 'note' && notification.ask !== undefined ? [{ ...notification.ask, ...notification.due }] : [],
  );
  const ask = { component: 'cluster-autoscaler', name: 'kube-system/cluster-autoscaler', managedBy: 'flux' };
  expect(asks).toEqual([
    // The step waits for the first, and for the second nothing does.
    { ...ask, version: '0 replicas', of: expect.any(Object), until: expect.stringMatching(/^\d{4}-.*Z$/) },
    { ...ask, version: '2 replicas', of: expect.any(Object) },
  ]);
});
