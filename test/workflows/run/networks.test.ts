/** Two networks, and a worker of one of them is away: see docs/operate/networks.md. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { createQueueActivities } from '../../../activities/run/watch-queue.ts';
import type { PublishManyInput } from '../../../domain/run/notifications.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { networkPolls } from '../../../worker/temporal/pollers.ts';
import { networkQueue } from '../../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { activitiesOfClusters, CENTRAL } from '../../../workflows/runtime/activity-places.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { CLUSTER } from '../../support/facts.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { ALEX, startUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());
/** Four workers begin here, and a run waits for one of them. */
const LONG_MS = 180_000;

/** A network, its cluster, and what its worker and Slack have seen. */
class Place {
  readonly network = `n-${randomUUID().slice(0, 8)}`;
  readonly queue = networkQueue(this.network);
  readonly cluster: ClusterRef = { ...CLUSTER, name: `c-${this.network}`, network: this.network };
  readonly workflowId = `eks-upgrade/${CLUSTER.account}/${CLUSTER.region}/${this.cluster.name}`;
  readonly policy = quickPolicy({ cluster: this.cluster, channel: 'C1' });
  readonly fake = fakeActivities({ policy: this.policy, plan: plan(['pre-checks', 'control-plane', 'validation']) });
  /** Activities that were done by the network's worker. */
  readonly done: string[] = [];
  readonly told: string[] = [];

  /** The worker of this network, as `belay worker --network` is: it has no workflow code. */
  worker(): Promise<Worker> {
    const activities = Object.entries(activitiesOfClusters(this.fake.activities)).map(([name, activity]) => [
      name,
      (...args: unknown[]): unknown => {
        this.done.push(name);
        return (activity as (...all: unknown[]) => unknown)(...args);
      },
    ]);
    return Worker.create({
      connection: env.nativeConnection,
      namespace: env.namespace ?? 'default',
      taskQueue: this.queue,
      activities: Object.fromEntries(activities) as object,
    });
  }
}

/** What the workers of the workflows' queue do: everything else fails the test's run. */
function central(places: readonly Place[], strays: string[]): BelayActivities {
  const of = ({ cluster }: { cluster: ClusterRef }): Place => places.find((place) => place.cluster.name === cluster.name) as Place;
  const [first] = places as [Place];
  const { watchQueue } = createQueueActivities({
    isPolled: async (network) => (await networkPolls(env.connection, env.namespace ?? 'default', network)).identities.length > 0,
  });
  const theirs: Partial<BelayActivities> = {
    ...Object.fromEntries(CENTRAL.map((name) => [name, first.fake.activities[name as keyof BelayActivities]])),
    loadPolicy: async (input) => of(input).policy,
    watchQueue,
    publish: async (input: PublishManyInput) => {
      const place = places.find(({ workflowId }) => workflowId === input.upgrade.workflowId);
      for (const { notification } of input.messages) if (notification.kind === 'note') place?.told.push(notification.text);
      return first.fake.activities.publish(input);
    },
  };
  const all = Object.keys(first.fake.activities).map((name) => [
    name,
    theirs[name as keyof BelayActivities] ??
      (async () => {
        strays.push(name);
      }),
  ]);
  return Object.fromEntries(all) as BelayActivities;
}

test(
  'O37: a network’s run waits for its worker, says so, and continues; runs of another network go on meanwhile',
  async () => {
    const [here, away] = [new Place(), new Place()];
    const strays: string[] = [];
    const taskQueue = `belay-${randomUUID()}`;
    const main = await startWorker(env, central([here, away], strays), taskQueue);
    const hereWorker = await here.worker();
    await main.runUntil(() =>
      hereWorker.runUntil(async () => {
        const waiting = await startUpgrade(env, taskQueue, { cluster: away.cluster }, away.workflowId);
        const going = await startUpgrade(env, taskQueue, { cluster: here.cluster }, here.workflowId);
        const { waitsForWorker } = await waiting.until((status) => status.waitsForWorker !== undefined);
        expect(waitsForWorker).toBe(`No worker polls task queue "${away.queue}": the cluster cannot be reached`);
        // A whole run of the other network, while this one stands.
        expect((await going.finish()).outcome).toBe('completed');
        expect((await waiting.status()).steps).toEqual([]);
        expect(away.told).toContain(
          `No worker polls task queue "${away.queue}": the cluster cannot be reached. Belay cannot watch what is under way on ${away.cluster.name}, and changes nothing there. Start "belay worker --network ${away.network}" in that network; the run then continues by itself.`,
        );
        const back = await away.worker();
        await back.runUntil(async () => {
          await waiting.until((status) => status.waitsForWorker === undefined);
          const report = await waiting.finish();
          expect(report).toMatchObject({ outcome: 'completed' });
          expect(report.status.waitsForWorker).toBeUndefined();
        });
      }),
    );
    expect(away.told).toContain(`A worker polls task queue "${away.queue}" again. The run continues.`);
    expect(here.told.filter((text) => text.includes('task queue'))).toEqual([]);
    // Each did its own alone.
    expect(strays).toEqual([]);
    expect(new Set(away.done)).toEqual(new Set(here.done));
    expect(away.done.filter((name) => CENTRAL.includes(name))).toEqual([]);
    expect(away.done).toEqual(
      expect.arrayContaining(['makePlan', 'runPreChecks', 'startControlPlaneUpdate', 'awaitUpdate', 'validateCluster']),
    );
  },
  LONG_MS,
);

test(
  'O37: whoever asks for a plan is told which queue nobody polls, and what to start',
  async () => {
    const place = new Place();
    const taskQueue = `belay-${randomUUID()}`;
    const main = await startWorker(env, central([place], []), taskQueue);
    await main.runUntil(async () => {
      const args = [{ cluster: place.cluster, target: '1.32', requestedBy: ALEX }];
      const asked = env.client.workflow.execute(WORKFLOWS.plan, { workflowId: `eks-plan/${randomUUID()}`, taskQueue, args });
      const failure = (await asked.catch((error: unknown) => error)) as { cause: { cause: Error } };
      expect(failure.cause.cause.message).toBe(
        `no worker of task queue "${place.queue}" took the request within 15 s. Start "belay worker --network ${place.network}" in that network, then ask again`,
      );
    });
  },
  LONG_MS,
);

test(
  'O37: versions of clusters in several networks are read where each is reached; the one without a worker hides its own alone',
  async () => {
    const [here, away] = [new Place(), new Place()];
    const strays: string[] = [];
    const activities = central([here, away], strays);
    const versions =
      (of: string) =>
      async ({ clusters }: { clusters: ClusterRef[] }) => ({
        readAt: '2026-01-01T00:00:00.000Z',
        clusters: clusters.map(({ name }) => ({ name, version: of })),
        offered: [],
      });
    here.fake.activities.readVersions = versions('1.33');
    activities.readVersions = versions('1.31');
    const taskQueue = `belay-${randomUUID()}`;
    const main = await startWorker(env, activities, taskQueue);
    const worker = await here.worker();
    const plain = { ...CLUSTER, name: 'plain' };
    const read = await main.runUntil(() =>
      worker.runUntil(() =>
        env.client.workflow.execute(WORKFLOWS.versions, {
          workflowId: `eks-versions/${randomUUID()}`,
          taskQueue,
          args: [{ clusters: [away.cluster, here.cluster, plain] }],
        }),
      ),
    );
    expect(read).toMatchObject({
      clusters: [
        { name: away.cluster.name, why: expect.stringContaining(`no worker of task queue "${away.queue}" took the request`) },
        { name: here.cluster.name, version: '1.33' },
        { name: 'plain', version: '1.31' },
      ],
    });
  },
  LONG_MS,
);
