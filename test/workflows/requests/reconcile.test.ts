/** Putting back what runs have left behind: a look changes nothing, nothing that lives is touched, and nodes that lag stay held. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { Leftover, ReconcileReport } from '../../../domain/run/leftovers.ts';
import { upgradeWorkflowId } from '../../../workflows/contract/ids.ts';
import { type ReconcileInput, WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { CLUSTER } from '../../support/facts.ts';
import { count, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { oneOfEach } from '../../support/leftovers.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { SAM } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const ALL = oneOfEach('eks-upgrade/1/r/prod/freeze-drift@1.32');
const RESTORES = [
  'releaseMigrationHold',
  'releaseWaves',
  'releaseNode',
  'uncordonNode',
  'releaseAmis',
  'resumeAutoscaler',
  'startFargate',
  'scaleBack',
  'lowerIstiod',
  'releaseTerminating',
] as const;

function world(leftovers: Leftover[], change: Partial<BelayActivities> = {}) {
  const fake = fakeActivities({ policy: quickPolicy() });
  // Nodes at the control plane's version: nothing lags.
  fake.world.nodes = { '1.31': 5 };
  return { ...fake, activities: withChange(fake, { findLeftovers: async () => ({ leftovers, unseen: [] }), ...change }) };
}

async function reconcile(
  activities: BelayActivities,
  change: Partial<ReconcileInput> = {},
  before?: (queue: string) => Promise<void>,
): Promise<ReconcileReport> {
  const taskQueue = `belay-${randomUUID()}`;
  const worker = await startWorker(env, activities, taskQueue);
  return worker.runUntil(async () => {
    await before?.(taskQueue);
    return env.client.workflow.execute<(input: ReconcileInput) => Promise<ReconcileReport>>(WORKFLOWS.reconcile, {
      workflowId: `eks-upgrade/111122223333/eu-central-1/${randomUUID()}`,
      taskQueue,
      args: [{ cluster: CLUSTER, requestedBy: SAM, apply: true, ...change }],
    });
  });
}

describe('reconcile', () => {
  test('puts everything back by the activities that its own run would have called, and says what is for people', async () => {
    const { world: seen, activities } = world(ALL);
    const report = await reconcile(activities, { reason: 'the run was terminated' });
    expect(report.items.map(({ outcome }) => outcome)).toEqual([...RESTORES.map(() => 'restored'), 'left']);
    for (const name of RESTORES) expect([name, count(seen, name)]).toEqual([name, 1]);
    expect(inputs(seen, 'releaseMigrationHold')).toMatchObject([{ guard: 'eks-upgrade/1/r/prod/freeze-drift@1.32' }]);
    expect(report.items.at(-1)?.why).toMatch(/only people can say/);
    expect(seen.audit.map(({ id }) => id.split('/')[1] ?? id)).toEqual(['start', ...RESTORES, 'end']);
    expect(seen.audit[0]).toMatchObject({ actor: SAM, reason: 'the run was terminated' });
  });

  test('a look changes nothing, whoever looks', async () => {
    const { world: seen, activities } = world(ALL);
    const report = await reconcile(activities, { apply: false, requestedBy: { kind: 'slack', id: 'U0EVE' } });
    expect(report).toMatchObject({ applied: false });
    expect(report.items.filter(({ outcome }) => outcome === 'to-restore')).toHaveLength(RESTORES.length);
    for (const name of RESTORES) expect([name, count(seen, name)]).toEqual([name, 0]);
  });

  test('a look while a run is at work says that all of it is held', async () => {
    const { activities } = world(ALL);
    const run = upgradeWorkflowId(CLUSTER);
    const report = await reconcile(activities, { apply: false }, async (taskQueue) => {
      await env.client.workflow.start(WORKFLOWS.refusals, { workflowId: run, taskQueue });
    });
    expect(new Set(report.items.map(({ outcome, why }) => `${outcome}: ${why}`))).toEqual(
      new Set(['left: a run is at work on the cluster and holds it']),
    );
    await env.client.workflow.getHandle(run).terminate('end of test');
  });

  test('is refused to who may not approve, before anything is looked at', async () => {
    const { world: seen, activities } = world(ALL);
    const report = await reconcile(activities, { requestedBy: { kind: 'slack', id: 'U0EVE' } });
    expect(report).toEqual({ applied: false, items: [], unseen: [], refused: 'Eve is not an approver.' });
    expect(count(seen, 'findLeftovers')).toBe(0);
    expect(seen.audit.map(({ kind }) => kind)).toEqual(['refused']);
  });

  test('leaves a freeze whose guard lives', async () => {
    const guard = `guard-${randomUUID()}`;
    const { world: seen, activities } = world([{ kind: 'freeze', guard, pools: ['default'], nodeCount: 0 }]);
    const report = await reconcile(activities, {}, async (taskQueue) => {
      await env.client.workflow.start(WORKFLOWS.refusals, { workflowId: guard, taskQueue });
    });
    expect(report.items).toEqual([
      { what: `NodePool default, frozen by ${guard}`, outcome: 'left', why: expect.stringMatching(/^its guard still runs/) },
    ]);
    expect(count(seen, 'releaseMigrationHold')).toBe(0);
    await env.client.workflow.getHandle(guard).terminate('end of test');
  });

  test.each<[string, Partial<BelayActivities>, RegExp]>([
    [
      'nodes lag behind the control plane',
      { readSkew: async () => ({ controlPlane: '1.32', updating: false, nodes: { '1.31': 3, '1.32': 1 } }) },
      /^the control plane is at 1\.32 and 3 nodes are not/,
    ],
    [
      'the control plane is on its way',
      { readSkew: async () => ({ controlPlane: '1.31', updating: true, nodes: {} }) },
      /^the control plane is being updated/,
    ],
    [
      'nobody can say',
      {
        readSkew: async () => {
          throw ApplicationFailure.nonRetryable('listing nodes: forbidden', 'AccessDenied');
        },
      },
      /^it cannot be read whether nodes lag .+: listing nodes: forbidden/,
    ],
  ])('where %s, what holds nodes stays, and all else is put back', async (_, change, why) => {
    const { world: seen, activities } = world(
      ALL.filter(({ kind }) => kind !== 'fargate'),
      change,
    );
    const report = await reconcile(activities);
    const held = report.items.filter((item) => why.test(item.why ?? ''));
    expect(held.map(({ outcome }) => outcome)).toEqual(['left', 'left', 'left', 'left']);
    expect(RESTORES.filter((name) => count(seen, name) > 0)).toEqual([
      'uncordonNode',
      'resumeAutoscaler',
      'scaleBack',
      'lowerIstiod',
      'releaseTerminating',
    ]);
    const rolled = await reconcile(activities, { roll: true });
    expect(rolled.items.filter(({ outcome }) => outcome === 'restored')).toHaveLength(RESTORES.length - 1);
  });

  test.each([
    {
      what: 'waits until EKS has ended an update that runs',
      updating: true,
      outcome: 'left',
      why: /^what starts there while the control plane is updated/,
    },
    { what: 'starts again, also where nodes lag', updating: false, outcome: 'restored', why: undefined },
  ])('what was stopped on Fargate $what', async ({ updating, outcome, why }) => {
    const { world: seen, activities } = world([{ kind: 'fargate', workloads: ['Deployment batch/worker'] }], {
      readSkew: async () => ({ controlPlane: '1.32', updating, nodes: { '1.31': 3 } }),
    });
    const [item] = (await reconcile(activities)).items;
    expect(item).toMatchObject({ what: 'Deployment batch/worker, scaled to 0 while the control plane goes back', outcome });
    if (why === undefined) expect(inputs(seen, 'startFargate')).toMatchObject([{ forget: true }]);
    else expect([item?.why, count(seen, 'startFargate')]).toEqual([expect.stringMatching(why), 0]);
  });

  test('what cannot be put back is said, and the rest is put back all the same', async () => {
    const { world: seen, activities } = world(ALL, {
      releaseMigrationHold: async () => ({ restored: [], changedByOthers: ['default'], failed: [{ pool: 'gpu', why: 'forbidden' }] }),
      resumeAutoscaler: async () => {
        throw ApplicationFailure.nonRetryable('scaling: forbidden', 'AccessDenied');
      },
    });
    const { items } = await reconcile(activities);
    expect(items.filter(({ outcome }) => outcome === 'left').map(({ why }) => why)).toEqual([
      expect.stringMatching(/^default: somebody else has changed it meanwhile.+; gpu: forbidden$/),
      'scaling: forbidden',
      expect.any(String),
    ]);
    expect(count(seen, 'releaseTerminating')).toBe(1);
  });
});
