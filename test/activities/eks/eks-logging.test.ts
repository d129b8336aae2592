/** Control-plane logs are switched on once, and what runs already is adopted. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEksActivities } from '../../../activities/eks/index.ts';
import { enabledLogs } from '../../../activities/eks/logging.ts';
import { QUICK } from '../support/timing.ts';
import { startTwin, type Twin } from '../support/twin.ts';

let twin: Twin;
beforeEach(async () => {
  twin = await startTwin('small');
});
afterEach(() => twin.close());

const start = (types: ('api' | 'audit')[] = ['api', 'audit'], token = 'belay-1') =>
  createEksActivities(twin.clients).startLogging({ cluster: twin.ref, types, token });
const updates = () => twin.built.world.eks.updates.filter(({ type }) => type === 'LoggingUpdate');

test('one update, however often it is asked for; it is adopted while it runs', async () => {
  // Nothing goes on in the world: the update stays as it is.
  twin.built.stop();
  const first = await start();
  expect(first).toMatchObject({ updateId: updates()[0]?.id, adopted: false, alreadyThere: false });
  expect(await start()).toEqual({ updateId: first.updateId, adopted: true, alreadyThere: false });
  expect(updates()).toHaveLength(1);
});

test('only what is off is switched on; nothing is sent where all are on', async () => {
  twin.built.world.eks.cluster.logging = ['api', 'scheduler'];
  await start();
  expect(updates()[0]?.params).toEqual([
    { type: 'ClusterLogging', value: JSON.stringify({ clusterLogging: [{ types: ['audit'], enabled: true }] }) },
  ]);
  twin.built.world.eks.updates = [];
  twin.built.world.eks.cluster.logging = ['api', 'audit'];
  expect(await start()).toEqual({ adopted: false, alreadyThere: true });
  expect(updates()).toEqual([]);
});

test('EKS is busy with something else: said, and tried again', async () => {
  // Nothing goes on in the world: that update stays as it is.
  twin.built.stop();
  const update = { id: 'u-vpc', type: 'VpcConfigUpdate', status: 'InProgress', params: [], errors: [] } as const;
  twin.built.world.eks.updates.push({
    ...update,
    params: [],
    errors: [],
    resource: { kind: 'cluster' },
    createdAtMs: twin.built.world.clock.nowMs(),
  });
  await expect(start()).rejects.toThrow('switching on the logs api, audit of small: EKS is busy with VpcConfigUpdate (u-vpc)');
});

test('logs that somebody else was asked for are waited for; those that stay off time out', async () => {
  const wait = (askTimeoutMs: number) =>
    createEksActivities(twin.clients).awaitLogging({ cluster: twin.ref, timing: { ...QUICK, askTimeoutMs }, types: ['api', 'audit'] });
  twin.built.world.eks.cluster.logging = ['api'];
  expect(await wait(10)).toEqual({ timedOut: true });
  twin.built.world.eks.cluster.logging = ['audit', 'api'];
  expect(await wait(30_000)).toEqual({ timedOut: false });
});

test('a right that is missing is named', async () => {
  twin.grant({ aws: (action) => action !== 'eks:UpdateClusterConfig' });
  await expect(start()).rejects.toThrow(/eks:UpdateClusterConfig/);
});

test('logs that are on, by what EKS answers', () => {
  const clusterLogging = [
    { types: ['api' as const, 'audit' as const], enabled: true },
    { types: ['scheduler' as const], enabled: false },
  ];
  expect(enabledLogs({ logging: { clusterLogging } })).toEqual(['api', 'audit']);
  expect(enabledLogs({})).toEqual([]);
});
