/** A forecast as a workflow: told in Slack where it was asked for, once per cluster at a time; whatever ends it is told there, too. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { ForecastView } from '../../../domain/run/notifications.ts';
import { summarizeForecast } from '../../../domain/run/forecasts/summary.ts';
import { createUpgrades, type Upgrades } from '../../../client/upgrades-client.ts';
import { CLUSTER } from '../../support/facts.ts';
import { eventually } from '../../support/eventually.ts';
import { type FakeWorld, fakeActivities, inputs, withChange } from '../../support/fake-activities.ts';
import { forecast } from '../../support/forecasts.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { ALEX, SAM } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

interface Bench {
  upgrades: Upgrades;
  world: FakeWorld;
  cluster: string;
  ended(runId: string): Promise<unknown>;
}

async function withForecasts(change: Partial<BelayActivities>, run: (bench: Bench) => Promise<void>): Promise<void> {
  const fake = fakeActivities();
  const taskQueue = `belay-${randomUUID()}`;
  const cluster = `prod-${randomUUID().slice(0, 8)}`;
  const resolveCluster = (name: string) => ({ ...CLUSTER, name });
  const upgrades = createUpgrades({ client: env.client, taskQueue, resolveCluster });
  const worker = await startWorker(env, withChange(fake, change), taskQueue);
  const workflowId = `eks-forecast/${CLUSTER.account}/${CLUSTER.region}/${cluster}`;
  const ended = (runId: string): Promise<unknown> => env.client.workflow.getHandle(workflowId, runId).result();
  await worker.runUntil(() => run({ upgrades, world: fake.world, cluster, ended }));
}

const request = (cluster: string, target = '1.32') => ({ cluster, target, requestedBy: ALEX, channel: 'C0UPGRADES' });

const told = (world: FakeWorld): { progress: ForecastView['progress']; channel: string; edits: boolean }[] =>
  world.published.flatMap(({ notification, channel, known }) =>
    notification.kind === 'forecast' ? [{ progress: notification.forecast.progress, channel, edits: known !== undefined }] : [],
  );

describe('a forecast', () => {
  test('tells that it is made, then in the same message what it came to', async () => {
    const made = { kind: 'made' as const, summary: summarizeForecast(forecast()), notAttached: 'no Slack is set up' };
    await withForecasts({ forecastUpgrade: async () => made }, async ({ upgrades, world, cluster, ended }) => {
      const { kind, runId } = await upgrades.forecast({ ...request(cluster), strategy: 'every-hop' });
      expect(kind).toBe('started');
      expect(await ended(runId)).toEqual(made);
      expect(told(world)).toEqual([
        { channel: 'C0UPGRADES', edits: false, progress: { kind: 'running' } },
        { channel: 'C0UPGRADES', edits: true, progress: made },
      ]);
      const asked = { target: '1.32', strategy: 'every-hop', thread: { channel: 'C0UPGRADES', ts: '1.0' } };
      expect(inputs(world, 'forecastUpgrade')).toMatchObject([asked]);
    });
  });

  test('of a plan that breaks rules tells them', async () => {
    const refused = { kind: 'refused' as const, violations: [{ rule: 'kubelet-skew', message: 'Nodes lag.', remedy: 'Roll them.' }] };
    await withForecasts({ forecastUpgrade: async () => refused }, async ({ upgrades, world, cluster, ended }) => {
      expect(await ended((await upgrades.forecast(request(cluster))).runId)).toEqual(refused);
      expect(told(world).at(-1)?.progress).toEqual(refused);
    });
  });

  test('a second one while it is made is not started: the first is named', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const forecastUpgrade: BelayActivities['forecastUpgrade'] = async () => {
      await mayEnd;
      return { kind: 'made', summary: summarizeForecast(forecast()) };
    };
    await withForecasts({ forecastUpgrade }, async ({ upgrades, world, cluster, ended }) => {
      const first = await upgrades.forecast(request(cluster));
      await eventually(() => inputs(world, 'forecastUpgrade').length > 0);
      const second = await upgrades.forecast({ ...request(cluster, '1.33'), requestedBy: SAM });
      expect(second).toMatchObject({ kind: 'running', runId: first.runId, target: '1.32' });
      end();
      await ended(first.runId);
      expect(inputs(world, 'forecastUpgrade')).toHaveLength(1);
    });
  });

  test('one that cannot be made says why, in its message and to whoever asked', async () => {
    const forecastUpgrade = (): Promise<never> =>
      Promise.reject(ApplicationFailure.nonRetryable('describing cluster prod: AWS answered AccessDeniedException', 'AccessDenied'));
    await withForecasts({ forecastUpgrade }, async ({ upgrades, world, cluster }) => {
      await expect(upgrades.forecast(request(cluster))).rejects.toMatchObject({
        code: 'failed',
        message: 'Could not make the forecast: describing cluster prod: AWS answered AccessDeniedException',
      });
      expect(told(world).at(-1)?.progress).toEqual({
        kind: 'failed',
        why: 'Describing cluster prod: AWS answered AccessDeniedException',
      });
    });
  });

  test('a target that is no version starts nothing', async () => {
    await withForecasts({}, async ({ upgrades, world, cluster }) => {
      await expect(upgrades.forecast(request(cluster, 'next'))).rejects.toMatchObject({ code: 'invalid' });
      expect(told(world)).toEqual([]);
    });
  });
});
