/** O37: rings over several networks, each read by its own worker; one of them may be away. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { createBackActivities } from '../../../../activities/run/campaign/back.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import { type CampaignPlan, type FleetMember, memberKey } from '../../../../domain/plan/campaign/types.ts';
import { networkQueue } from '../../../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { activitiesOfClusters } from '../../../../workflows/runtime/activity-places.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeActivities } from '../../../support/fake-activities.ts';
import { FakeFleet } from '../../../support/fake-campaign.ts';
import { sharedWorker } from '../../../support/shared-worker.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { campaignOf, member, type PlayedCampaign, ringOf, rollbackOf, wayBack, withCampaign } from './support.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());
/** A campaign waits several times for a worker that is away, a quarter of a minute each. */
const LONG_MS = 240_000;

const network = (): string => `n-${randomUUID().slice(0, 8)}`;
const inNetwork = (name: string, of: string): FleetMember => member(name, { cluster: { ...member(name).cluster, network: of } });
const KEY = (name: string): string => memberKey(member(name).cluster);

const noTemporal = async (): Promise<never> => {
  throw new Error('this process has no connection to Temporal');
};

/** What a worker does: it refuses clusters of other networks, as its own belay.yaml says, and in a network it cannot ask Temporal. */
function workerOf(of: string | undefined, all: BelayActivities): Partial<BelayActivities> {
  const isOther = (cluster: ClusterRef): boolean => cluster.network !== of;
  const refusal = 'this worker serves other clusters';
  return {
    ...(of === undefined
      ? {}
      : { examineWayBack: noTemporal, findOpenRun: noTemporal, lookAtMembers: noTemporal, startMember: noTemporal }),
    readWaysBack: async (input) => {
      const { ways } = await all.readWaysBack(input);
      const unread = input.clusters.filter(isOther).map((cluster) => [memberKey(cluster), { unread: refusal }]);
      return { ways: { ...ways, ...Object.fromEntries(unread) } };
    },
    readSoakHealth: async (input) => (input.clusters.some(isOther) ? { seen: 'unread', why: refusal } : await all.readSoakHealth(input)),
    lookAtArrived: async (input) => {
      const { looks } = await all.lookAtArrived(input);
      const unread = input.clusters.filter(isOther).map((cluster) => [memberKey(cluster), { kind: 'unread' as const, why: refusal }]);
      return { looks: { ...looks, ...Object.fromEntries(unread) } };
    },
  };
}

/** Starts the worker of a network, as `belay worker --network` is. */
const startWorker = (of: string, all: BelayActivities): Promise<Worker> =>
  Worker.create({
    connection: env.nativeConnection,
    namespace: env.namespace ?? 'default',
    taskQueue: networkQueue(of),
    activities: activitiesOfClusters({ ...all, ...workerOf(of, all) }),
  });

/** The campaign's activities, for the workers of networks. */
function central(taken: { all?: BelayActivities }): (all: BelayActivities) => Partial<BelayActivities> {
  return (all) => {
    taken.all = all;
    return workerOf(undefined, all);
  };
}

const alarms = ({ world }: PlayedCampaign): string[] =>
  world.published.flatMap(({ notification: of }) => (of.kind === 'note' && of.level === 'alarm' ? [of.text] : []));

test(
  'a network without a worker holds up its own clusters alone, each with the reason; the thread says once what to start, and then they start',
  async () => {
    const away = network();
    const taken: { all?: BelayActivities } = {};
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a', 'b', 'c'], { parallel: { kind: 'count', value: 3 } })]),
      [member('a'), inNetwork('b', away), inNetwork('c', away)],
      async (played) => {
        const { fleet } = played;
        await played.gate('dev');
        await played.decide('dev');
        await eventually('the reachable one starts', () => fleet.open.length === 1);
        fleet.end('a');
        const { state } = await played.until(({ state: { members } }) => members[KEY('a')]?.kind === 'done');
        const why = `no worker of task queue "belay-${away}" took the request within 15 s. Start "belay worker --network ${away}" in that network`;
        for (const name of ['b', 'c']) expect(state.members[KEY(name)]).toMatchObject({ kind: 'held', why });
        const worker = await startWorker(away, taken.all as BelayActivities);
        await worker.runUntil(async () => {
          await eventually('the others start', () => fleet.open.length === 2, LONG_MS / 2);
          fleet.end('b');
          fleet.end('c');
          expect((await played.handle.result()).state.phase).toBe('complete');
        });
        expect(alarms(played)).toEqual([
          `No worker of task queue "belay-${away}" answers. This campaign starts no cluster of that network, and time without an answer does not count as soak. Start "belay worker --network ${away}" in that network; the campaign then continues there by itself.`,
        ]);
      },
      { change: central(taken) },
    );
  },
  LONG_MS,
);

test(
  'a ring over several networks finishes its soak: the health of each is read by its own worker, and one that is taken back is noticed',
  async () => {
    const [here, there] = [network(), network()];
    const taken: { all?: BelayActivities } = {};
    await withCampaign(
      env,
      campaignOf([
        ringOf('dev', ['a', 'b', 'c'], { parallel: { kind: 'count', value: 3 }, soakMs: 300 }),
        ringOf('prod', ['d', 'e'], { soakMs: 3_600_000 }),
      ]),
      [member('a'), inNetwork('b', here), inNetwork('c', there), member('d'), inNetwork('e', there)],
      async (played) => {
        const { fleet } = played;
        const all = taken.all as BelayActivities;
        const [one, two] = await Promise.all([startWorker(here, all), startWorker(there, all)]);
        const play = async (): Promise<void> => {
          await played.gate('dev');
          await played.decide('dev');
          await eventually('all start', () => fleet.open.length === 3);
          for (const name of ['a', 'b', 'c']) fleet.end(name);
          await played.gate('prod');
          await played.decide('prod');
          await eventually('the next ring starts', () => fleet.open.length === 2);
          for (const name of ['d', 'e']) fleet.end(name);
          await played.until(({ state }) => state.rings[1]?.soak?.seen === 'green');
          fleet.end('e', 'rolled-back', 'it is at 1.31 again');
          const { state } = await played.until(({ state: { rings } }) => rings[1]?.state === 'stopped');
          expect(state.rings[1]?.why).toBe('1 failure, and at most 0 allowed: e (rolled-back: it is at 1.31 again)');
        };
        await one.runUntil(() => two.runUntil(play));
      },
      { change: central(taken) },
    );
  },
  LONG_MS,
);

test(
  'at the target before its turn, a cluster of a network is as any other: adopted while a run of it is open, and else there already',
  async () => {
    const there = network();
    const taken: { all?: BelayActivities } = {};
    await withCampaign(
      env,
      campaignOf([ringOf('dev', ['a', 'b', 'c', 'd'], { parallel: { kind: 'count', value: 4 } })]),
      [member('a'), inNetwork('b', there), member('c'), inNetwork('d', there)],
      async (played) => {
        const { fleet } = played;
        const worker = await startWorker(there, taken.all as BelayActivities);
        await worker.runUntil(async () => {
          await played.gate('dev');
          // People have been quicker, and of two their runs go on with nodes.
          for (const each of fleet.members) each.version = '1.32';
          for (const name of ['a', 'b']) fleet.runs.set(name, { kind: 'open', runId: `run-${name}` });
          await played.decide('dev');
          const { state } = await played.until(({ state: { members } }) =>
            ['a', 'b', 'c', 'd'].every((name) => !['planned', 'starting'].includes(members[KEY(name)]?.kind ?? '')),
          );
          for (const name of ['a', 'b'])
            expect(state.members[KEY(name)]).toMatchObject({ kind: 'running', runId: `run-${name}`, adopted: true });
          for (const name of ['c', 'd']) expect(state.members[KEY(name)]).toEqual({ kind: 'done', by: 'others' });
          for (const name of ['a', 'b']) fleet.end(name);
          expect((await played.handle.result()).state.phase).toBe('complete');
          expect(fleet.started).toEqual([]);
        });
      },
      { change: central(taken) },
    );
  },
  LONG_MS,
);

test(
  'a ring goes back with its clusters of a network: their own worker reads whether EKS still takes them back',
  async () => {
    const there = network();
    const taken: { all?: BelayActivities } = {};
    const of = (name: string): FleetMember => (name === 'b' ? inNetwork(name, there) : member(name));
    const campaign = campaignOf([ringOf('prod', ['a', 'b'])]);
    const { examineWayBack } = createBackActivities({
      aws: () => {
        throw new Error('AWS is not asked');
      },
      runs: { campaign: async () => undefined, find: async () => undefined },
    });
    await withCampaign(
      env,
      campaign,
      [of('a'), of('b')],
      async (played) => {
        const { fleet } = played;
        for (const name of ['a', 'b']) fleet.ways.set(name, wayBack(3));
        const worker = await startWorker(there, taken.all as BelayActivities);
        await worker.runUntil(async () => {
          await played.gate('prod');
          await played.decide('prod', 'approve', { reason: 'the shop is down' });
          await eventually('both go', () => fleet.open.length === 2);
          expect(fleet.started.map(({ back }) => back)).toEqual([true, true]);
          for (const name of ['a', 'b']) fleet.end(name);
          expect((await played.handle.result()).state.phase).toBe('complete');
        });
      },
      { change: (all) => ({ ...central(taken)(all), examineWayBack }), planOf: () => rollbackOf(campaign, { a: 3, b: 3 }, of) },
    );
  },
  LONG_MS,
);

test(
  'the plan of a campaign, and of a way back, says of clusters in a network without a worker that it is away',
  async () => {
    const away = network();
    const campaign = campaignOf([ringOf('dev', ['a', 'b'])]);
    const fleet = new FakeFleet(campaign, [member('a'), inNetwork('b', away)]);
    const { activities } = fakeActivities();
    const worker = await sharedWorker(env);
    worker.perform(campaign.name, { ...activities, ...fleet.activities(await activities.loadPolicy({ cluster: member('a').cluster })) });
    const plan = (type: string, input: object): Promise<CampaignPlan> =>
      env.client.workflow.execute(type, { workflowId: `${type}/${campaign.name}`, taskQueue: worker.taskQueue, args: [input] });
    const [there, back] = await Promise.all([
      plan(WORKFLOWS.campaignPlan, { campaign: campaign.name, readiness: false }),
      plan(WORKFLOWS.ringRollbackPlan, { campaign: campaign.name, ring: 'dev' }),
    ]);
    const why = `no worker of task queue "belay-${away}" took the request within 15 s. Start "belay worker --network ${away}" in that network, then ask again`;
    for (const { rings } of [there, back]) {
      const of = rings[0]?.members.find(({ cluster }) => cluster.name === 'b');
      expect(JSON.stringify(of?.verdict)).toContain(JSON.stringify(why).slice(1, -1));
    }
  },
  LONG_MS,
);
