/** The Cluster Autoscaler stands still while groups are moved, and is resumed on every way out. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { AutoscalerFact } from '../../../../domain/facts/facts.ts';
import { count, fakeActivities, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';

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
