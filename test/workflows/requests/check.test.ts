/** A readiness check as a workflow: it tells in Slack where it was asked for, once per cluster at a time, and compares with the one before. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { CheckView } from '../../../domain/run/notifications.ts';
import type { OpenFinding } from '../../../domain/readiness/summary.ts';
import { createUpgrades, type Upgrades } from '../../../client/upgrades-client.ts';
import { CLUSTER } from '../../support/facts.ts';
import { type FakeWorld, fakeActivities, inputs, readySummary, withChange } from '../../support/fake-activities.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { ALEX, SAM } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const FINDING: OpenFinding = {
  code: 'K8S012',
  title: 'Workloads have more than one replica',
  severity: 'recommended',
  status: 'fail',
  message: '1 workload with one replica.',
  named: ['Deployment shop/cart'],
  resourceCount: 1,
};

interface Bench {
  upgrades: Upgrades;
  world: FakeWorld;
  /** A name of its own per test: the cluster is the lock. */
  cluster: string;
  ended(runId: string): Promise<unknown>;
}

async function withChecks(change: Partial<BelayActivities>, run: (bench: Bench) => Promise<void>): Promise<void> {
  const fake = fakeActivities();
  const taskQueue = `belay-${randomUUID()}`;
  const cluster = `prod-${randomUUID().slice(0, 8)}`;
  const resolveCluster = (name: string) => ({ ...CLUSTER, name });
  const upgrades = createUpgrades({ client: env.client, taskQueue, resolveCluster });
  const worker = await startWorker(env, withChange(fake, change), taskQueue);
  const workflowId = `eks-check/${CLUSTER.account}/${CLUSTER.region}/${cluster}`;
  const ended = (runId: string): Promise<unknown> => env.client.workflow.getHandle(workflowId, runId).result();
  await worker.runUntil(() => run({ upgrades, world: fake.world, cluster, ended }));
}

const request = (cluster: string, target = '1.32') => ({ cluster, target, requestedBy: ALEX, channel: 'C0UPGRADES' });

/** How the check's message went on, and where it stands. */
const told = (world: FakeWorld): { progress: CheckView['progress']; channel: string; key: string; edits: boolean }[] =>
  world.published.flatMap(({ notification, channel, key, known }) =>
    notification.kind === 'check' ? [{ progress: notification.check.progress, channel, key, edits: known !== undefined }] : [],
  );

describe('a check', () => {
  test('tells that it runs, then in the same message what it found, with the worst five', async () => {
    const open = Array.from({ length: 8 }, (_, index) => ({ ...FINDING, code: `K8S00${index}` }));
    const summary = readySummary({ counts: { required: 0, recommended: 8, unknown: 0, passed: 52, waived: 0 }, open });
    await withChecks({ checkReadiness: async () => ({ summary }) }, async ({ upgrades, world, cluster, ended }) => {
      const { kind, runId } = await upgrades.check(request(cluster));
      expect(kind).toBe('started');
      expect(await ended(runId)).toEqual(summary);
      expect(told(world)).toEqual([
        { channel: 'C0UPGRADES', key: 'board', edits: false, progress: { kind: 'running' } },
        { channel: 'C0UPGRADES', key: 'board', edits: true, progress: { kind: 'done', summary: { ...summary, open: open.slice(0, 5) } } },
      ]);
      expect(inputs(world, 'checkReadiness')).toMatchObject([{ target: '1.32', thread: { channel: 'C0UPGRADES', ts: '1.0' } }]);
    });
  });

  test('another one is compared with it: the last, or the one that is named; one for another version with none', async () => {
    const results = [readySummary({ open: [FINDING] }), readySummary(), readySummary(), readySummary({ target: '1.33' })];
    const checkReadiness: BelayActivities['checkReadiness'] = async () => ({ summary: results.shift() ?? readySummary() });
    await withChecks({ checkReadiness }, async ({ upgrades, world, cluster, ended }) => {
      const first = await upgrades.check(request(cluster));
      await ended(first.runId);
      await ended((await upgrades.check(request(cluster))).runId);
      await ended((await upgrades.check({ ...request(cluster), since: first.runId })).runId);
      await ended((await upgrades.check(request(cluster, '1.33'))).runId);
      const before = inputs(world, 'checkReadiness').map((input) => (input as { before?: { open: unknown[] } }).before?.open);
      expect(before).toEqual([undefined, [FINDING], [FINDING], undefined]);
    });
  });

  test('"Check again" pressed while its message is still being told is compared with it all the same', async () => {
    let again: Promise<{ runId: string }> | undefined;
    const publish: BelayActivities['publish'] = async ({ upgrade, channel, messages }) => {
      const isDone = messages.some(({ notification }) => notification.kind === 'check' && notification.check.progress.kind === 'done');
      if (isDone) again ??= press(upgrade.runId);
      return messages.map(({ key }) => ({ key, ref: { channel, ts: '1.0' } }));
    };
    let press = (_since: string): Promise<{ runId: string }> => Promise.reject(new Error('nobody presses yet'));
    await withChecks({ publish }, async ({ upgrades, world, cluster, ended }) => {
      press = (since) => upgrades.check({ ...request(cluster), since });
      await upgrades.check(request(cluster));
      await ended((await again)?.runId ?? '');
      expect(inputs(world, 'checkReadiness')).toMatchObject([{ target: '1.32' }, { before: readySummary() }]);
    });
  });

  test('a second one while it runs is not started: the first is named', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const checkReadiness: BelayActivities['checkReadiness'] = async () => {
      await mayEnd;
      return { summary: readySummary() };
    };
    await withChecks({ checkReadiness }, async ({ upgrades, world, cluster, ended }) => {
      const first = upgrades.check(request(cluster));
      while (inputs(world, 'checkReadiness').length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      const second = await upgrades.check({ ...request(cluster, '1.33'), requestedBy: SAM });
      expect(second).toMatchObject({ kind: 'running', target: '1.32', requestedBy: 'Alex' });
      end();
      expect((await first).runId).toBe(second.runId);
      await ended(second.runId);
      expect(inputs(world, 'checkReadiness')).toHaveLength(1);
    });
  });

  test('a cluster that cannot be read is said where it was asked, and to the one who asked', async () => {
    const checkReadiness = (): Promise<never> =>
      Promise.reject(ApplicationFailure.nonRetryable('describing cluster prod: AWS answered AccessDeniedException', 'AccessDenied'));
    await withChecks({ checkReadiness }, async ({ upgrades, world, cluster }) => {
      await expect(upgrades.check(request(cluster))).rejects.toMatchObject({
        code: 'failed',
        message: 'Could not run the check: describing cluster prod: AWS answered AccessDeniedException',
      });
      expect(told(world).map(({ progress }) => progress)).toEqual([
        { kind: 'running' },
        { kind: 'failed', why: 'describing cluster prod: AWS answered AccessDeniedException' },
      ]);
    });
  });
});

describe('for forms and overviews', () => {
  test('what a check finds is told to nobody else; the same question twice is one check', async () => {
    const summary = readySummary({ target: '1.32' });
    await withChecks({ checkReadiness: async () => ({ summary }) }, async ({ upgrades, world, cluster }) => {
      const asked = { cluster, target: '1.32', requestedBy: SAM };
      expect(await Promise.all([upgrades.readiness(asked), upgrades.readiness(asked)])).toEqual([summary, summary]);
      expect(world.published).toEqual([]);
      expect(inputs(world, 'checkReadiness')).toHaveLength(1);
    });
  });

  test('versions of sixty clusters, in the order asked', async () => {
    await withChecks({}, async ({ upgrades, world }) => {
      const names = Array.from({ length: 60 }, (_, index) => `c-${index}`);
      const { clusters } = await upgrades.versions(names);
      expect(clusters).toEqual(names.map((name) => ({ name, version: '1.31' })));
      expect(inputs(world, 'readVersions')).toHaveLength(2);
    });
  });

  test('why it could not be read', async () => {
    const checkReadiness = (): Promise<never> =>
      Promise.reject(ApplicationFailure.nonRetryable('AWS answered AccessDenied', 'AccessDenied'));
    await withChecks({ checkReadiness }, async ({ upgrades, cluster }) => {
      const asked = { cluster, target: '1.32', requestedBy: SAM };
      await expect(upgrades.readiness(asked)).rejects.toMatchObject({ code: 'failed', message: 'AWS answered AccessDenied' });
    });
  });
});

test('without a worker the one who asks is told so', async () => {
  const taskQueue = 'nobody-checks-here';
  const resolveCluster = (name: string) => ({ ...CLUSTER, name });
  const upgrades = createUpgrades({ client: env.client, taskQueue, resolveCluster, planWithinMs: 600 });
  const nobody = { code: 'no-worker', message: 'No worker answers on task queue nobody-checks-here: start one with "belay worker".' };
  await expect(upgrades.check(request('unattended'))).rejects.toMatchObject(nobody);
  await expect(upgrades.versions(['unattended'])).rejects.toMatchObject(nobody);
  await expect(upgrades.check(request('unattended'))).rejects.toMatchObject(nobody);
});
