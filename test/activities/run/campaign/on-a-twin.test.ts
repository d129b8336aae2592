/** What a campaign reads of its clusters, over the wire: versions, offers, windows, health. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createArrivedActivities } from '../../../../activities/run/campaign/arrived.ts';
import { createFleetActivities } from '../../../../activities/run/campaign/fleet.ts';
import { createMemberActivities } from '../../../../activities/run/campaign/members.ts';
import type { CampaignRuns } from '../../../../activities/run/campaign/runs.ts';
import { createSoakActivities } from '../../../../activities/run/campaign/soak-health.ts';
import { createWindowActivities } from '../../../../activities/run/windows/index.ts';
import { DEFAULT_WINDOWS } from '../../../../domain/policy/config/defaults.ts';
import { memberKey } from '../../../../domain/plan/campaign/types.ts';
import type { WindowPolicy } from '../../../../domain/policy/windows.ts';
import type { PrometheusPort } from '../../../../activities/contract/ports.ts';
import { policy } from '../../../support/facts.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin('seed-002');
});
afterAll(() => twin.close());

const away = async (): Promise<never> => {
  throw new Error('this process has no connection to Temporal');
};
/** As in a worker of a network: whatever it does for its clusters, it does without Temporal. */
const noTemporal: CampaignRuns = { find: away, goesBack: away, asks: away, start: away, campaign: away, owners: away };

function activities(windows?: WindowPolicy) {
  const { aws } = twin.clients;
  const store = { newest: async () => [], upgradesOf: async () => [] };
  const windowsOf = (): WindowPolicy | undefined => windows;
  const judged = createWindowActivities({ aws, windowsOf, store });
  return {
    ...createArrivedActivities({ aws }),
    ...createMemberActivities({ aws, windows: judged, windowsOf, store, runs: noTemporal }),
    ...createFleetActivities({
      aws,
      store,
      runs: noTemporal,
      campaignOf: () => {
        throw new Error('no campaign "to-1-33"; there are: none');
      },
    }),
    ...createSoakActivities({ clusterPorts: twin.clients.clusterPorts, policyOf: () => policy() }),
  };
}

const examine = (target: string, windows?: WindowPolicy) =>
  activities(windows).examineMember({ cluster: twin.ref, target, needMs: 3_600_000, since: '2020-01-01T00:00:00.000Z' });

test('F10 F11 F35: by its version and what EKS offers, a cluster may start, has arrived, is ahead, or is held', async () => {
  expect(await examine('1.33')).toEqual({ kind: 'ready' });
  expect(await examine('1.32')).toEqual({ kind: 'arrived', by: 'others' });
  expect(await examine('1.31')).toEqual({ kind: 'ahead' });
  expect(await examine('1.99')).toMatchObject({ kind: 'held', why: `EKS does not offer 1.99 in ${twin.ref.region} yet` });
});

test('F15 F16: outside of its window it waits, with the date of the next fit; openings that were too short have been had', async () => {
  const { clock } = twin.built.world;
  const day = new Date(clock.nowMs()).getUTCDay();
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
  const tomorrow = days[(day + 1) % 7] ?? 'mon';
  const windows: WindowPolicy = {
    ...DEFAULT_WINDOWS,
    maintenance: [{ days: [tomorrow], start: '00:00', end: '24:00', timeZone: 'UTC' }],
  };
  const waiting = await examine('1.33', windows);
  expect(waiting).toMatchObject({
    kind: 'waiting',
    why: expect.stringMatching(/outside the maintenance windows .*; next fit: \w{3} \d{4}-/),
    opened: true,
  });
});

test('F25: a cluster that EKS does not know is removed', async () => {
  const { examineMember } = activities();
  const gone = { ...twin.ref, name: 'gone' };
  expect(await examineMember({ cluster: gone, target: '1.33', needMs: 0, since: '2020-01-01T00:00:00.000Z' })).toEqual({
    kind: 'removed',
    why: 'EKS knows no such cluster any more',
  });
});

test('of clusters that have arrived it is seen which went back, which is gone, and which is still there', async () => {
  const gone = { ...twin.ref, name: 'gone' };
  const lookFor = async (target: string) => (await activities().lookAtArrived({ clusters: [twin.ref, gone], target })).looks;
  expect(await lookFor('1.32')).toEqual({
    [memberKey(twin.ref)]: { kind: 'ended', runId: '', outcome: 'completed', why: 'at 1.32' },
    [memberKey(gone)]: { kind: 'gone', why: 'EKS knows no such cluster any more' },
  });
  expect((await lookFor('1.33'))[memberKey(twin.ref)]).toEqual({
    kind: 'ended',
    runId: '',
    outcome: 'rolled-back',
    why: 'it is at 1.32 again',
  });
});

test('the fleet is read with tags, kinds and offers, and what cannot be read says why', async () => {
  const { members } = await activities().readFleet({ clusters: [twin.ref, { ...twin.ref, name: 'gone' }], target: '1.33' });
  expect(members[0]).toMatchObject({
    cluster: twin.ref,
    version: '1.32',
    offered: true,
    kinds: expect.arrayContaining(['add-on vpc-cni']),
  });
  expect(members[1]?.version).toBeUndefined();
  expect(members[1]?.why).toMatch(/gone/);
});

test('F19 F20: health is green, red by a node that is not Ready, and unread where nodes may not be listed', async () => {
  const read = (of: Twin) =>
    createSoakActivities({ clusterPorts: of.clients.clusterPorts, policyOf: () => policy() }).readSoakHealth({ clusters: [of.ref] });
  expect(await read(twin)).toEqual({ seen: 'green' });
  const blind = await startTwin('seed-002');
  const resources = blind.built.world.store.types().flatMap(({ plural }) => (plural === 'nodes' ? [] : plural));
  blind.grant({ kubernetes: () => [{ verbs: ['*'], apiGroups: ['*'], resources }] });
  expect(await read(blind)).toMatchObject({ seen: 'unread', why: expect.stringContaining('nodes cannot be watched') });
  await blind.close();
  const { world } = twin.built;
  // The twin's clock runs six hundred times as fast, while it is read, too.
  const JUST_NOW = -600;
  const minutesAgo = (minutes: number): string => new Date(world.clock.nowMs() - minutes * 60_000).toISOString();
  const [node] = world.store.list('nodes');
  const ready = node?.status?.conditions?.find(({ type }: { type: string }) => type === 'Ready');
  Object.assign(ready ?? {}, { status: 'False', lastTransitionTime: minutesAgo(JUST_NOW) });
  // Nodes come and go all day where Karpenter scales: a machine that starts, or is being replaced, is no red health.
  expect(await read(twin)).toEqual({ seen: 'green' });
  Object.assign(ready ?? {}, { lastTransitionTime: minutesAgo(6) });
  expect(await read(twin)).toMatchObject({
    seen: 'red',
    why: expect.stringMatching(new RegExp(`^${twin.ref.name}: .* are not Ready for `)),
  });
});

test('alerts restart no soak where belay.yaml ignores them, and do where it does not', async () => {
  const fires: PrometheusPort = { query: async () => [{ labels: { alertname: 'TargetDown', severity: 'critical' }, value: 1 }] };
  const other = await startTwin('seed-002');
  const read = async (alerts: 'block' | 'ignore') =>
    await createSoakActivities({
      clusterPorts: async (cluster) => ({ ...(await other.clients.clusterPorts(cluster)), prometheus: fires }),
      policyOf: () => ({ ...policy(), health: { checks: [], ignoreAlerts: [], alerts } }),
    }).readSoakHealth({ clusters: [other.ref] });
  expect(await read('block')).toMatchObject({ seen: 'red', why: expect.stringContaining('TargetDown') });
  expect(await read('ignore')).toEqual({ seen: 'green' });
  await other.close();
});

test('a campaign that belay.yaml does not name is a mistake of configuration', async () => {
  await expect(activities().loadCampaign({ campaign: 'to-1-33' })).rejects.toMatchObject({ type: 'Configuration' });
});
