/** The last step: what people skipped before is accepted there, and anything else that is behind still fails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { atTarget } from '../../../../activities/observe/checks/index.ts';
import { report } from '../../../../activities/observe/checks/catalogue.ts';
import type { Skipped } from '../../../../domain/core/findings.ts';
import { healthyFacts, nodeGroup } from '../../../support/facts.ts';
import { count, fakeActivities, inputs, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GROUPS = 'failed:node-groups@1.32#1';

/** Group `default` fails to move and stays behind, and so does another one that no step is about. */
function behind(others: string[]) {
  const fake = fakeActivities({ plan: plan(['node-groups', 'validation']) });
  const facts = healthyFacts({ nodeGroups: ['default', ...others].map((name) => nodeGroup(name, '1.31.7-20260801', { version: '1.31' })) });
  const activities = withChange(fake, {
    awaitUpdate: async () => ({ status: 'Failed', errors: [{ code: 'PodEvictionFailure', message: 'x', resourceIds: [] }] }),
    validateCluster: async ({ to, skipped = [] }) =>
      report(atTarget(facts, to, { skipped, nodes: [] }).filter(({ code }) => code === 'EKS102')),
  });
  return { fake, activities };
}

const skipGroups: Decider = (open) => (open.id === GROUPS ? 'skip' : approveAll(open, 0));

describe('a node group that people skipped', () => {
  test('is accepted with its reason, and the run completes at the first look', async () => {
    const { fake, activities } = behind([]);
    const { outcome, status } = await withUpgrade(env, activities, (run) => run.finish(skipGroups));
    expect([outcome, status.steps.map(({ state, note }) => [state, note])]).toEqual([
      'completed',
      [
        ['skipped', 'skipped: because of the test'],
        ['completed', '1 check passed at 1.32, 1 accepted'],
      ],
    ]);
    const [asked] = inputs(fake.world, 'validateCluster') as { skipped?: Skipped[] }[];
    expect(asked?.skipped).toEqual([
      { what: 'Step node-groups', by: expect.any(String), reason: 'because of the test', nodeGroups: ['default'] },
    ]);
    expect(count(fake.world, 'validateCluster')).toBe(1);
  });

  test('accepts nothing of another one, at any retry', async () => {
    const { fake, activities } = behind(['batch']);
    const { outcome } = await withUpgrade(env, activities, (run) =>
      run.finish((open) => (open.id.startsWith('failed:validation') ? (open.id.endsWith('#3') ? 'abort' : 'retry') : skipGroups(open, 0))),
    );
    expect([outcome, count(fake.world, 'validateCluster')]).toEqual(['aborted', 3]);
    const gate = fake.world.published.find(({ key }) => key === 'gate/failed:validation@1.32#3');
    const text = JSON.stringify(gate?.notification);
    expect(text).toContain('FAILED Node groups are at the target version: Not at 1.32: batch (1.31). [EKS102]');
    expect(text).toContain('ACCEPTED Not at 1.32: default (1.31). [EKS102] Step node-groups skipped by Sam: because of the test');
  });
});

describe('a controller of Karpenter that people skipped', () => {
  test('is accepted at the version that it had, with its reason', async () => {
    const fake = fakeActivities({ plan: plan(['karpenter-controller', 'validation']) });
    const healthy = healthyFacts();
    const activities = withChange(fake, {
      awaitKarpenterVersion: async () => ({ version: '1.1.0', timedOut: true }),
      validateCluster: async ({ skipped = [] }) => {
        const [of] = skipped;
        const version = of?.components?.[0]?.replace('Karpenter ', '') ?? 'unknown';
        const facts = { ...healthy, karpenter: healthy.karpenter && { ...healthy.karpenter, version } };
        return report(atTarget(facts, '1.33', { skipped, nodes: [] }).filter(({ code }) => code === 'KAR001'));
      },
    });
    const { outcome, status } = await withUpgrade(env, activities, (run) =>
      run.finish((open) => (open.id.startsWith('failed:karpenter-controller') ? 'skip' : approveAll(open, 0))),
    );
    expect([outcome, status.steps.at(-1)?.note]).toEqual(['completed', '0 checks passed at 1.32, 1 accepted']);
  });
});
