/** A refresh that Auto Scaling does not roll back, and one that waits for instances: people are told before they agree to it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RefreshableGroup } from '../../../../activities/contract/self-managed.ts';
import { fakeActivities, sleepBeating, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const groups = [{ name: 'batch', size: 2 }];
const other = step('other-nodes', {
  params: { phase: 'other-nodes', to: '1.32', selfManaged: { nodeCount: 2, groups, refresh: { minHealthyPercent: 100 } } },
});

test('an image that is named by a parameter: Roll back is not offered, and the first gate says so', async () => {
  const fake = fakeActivities({ plan: plan(['other-nodes'], () => other) });
  const { examineGroup } = fake.activities;
  const seen = { parameter: true, protectedIds: ['i-1', 'i-2'], standbyIds: ['i-3'] } satisfies Partial<RefreshableGroup>;
  let offered: string[] | undefined;
  const activities = withChange(fake, {
    examineGroup: async (input) => ({ ...(await examineGroup(input)), ...seen }),
    watchInstanceRefresh: async () => {
      while (offered === undefined) await sleepBeating(20);
      return { kind: 'done' };
    },
  });
  const report = await withUpgrade(env, activities, (run) =>
    run.finish((open) => {
      if (!open.id.startsWith('blocked:')) return approveAll(open, 0);
      offered = open.choices;
      return undefined;
    }),
  );
  expect(report.outcome).toBe('completed');
  expect(offered).toEqual(['stop']);
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain('Auto Scaling cannot roll back a refresh whose launch template takes its AMI from an SSM parameter');
  expect(told).not.toContain('you can stop it or roll it back');
  expect(told).toContain('i-1, i-2 are protected from scale-in: the refresh waits an hour');
  expect(told).toContain('aws autoscaling exit-standby --auto-scaling-group-name batch --instance-ids i-3');
});
