/** From a snapshot to a world and back. */
import { expect, test } from 'vitest';
import type { Snapshot, SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import { buildWorld } from '../../../rehearsal/world/build.ts';
import { ManualClock } from '../../../rehearsal/world/manual-clock.ts';
import { startKubernetesServer } from '../../../rehearsal/kubernetes/server.ts';
import { startAwsServer } from '../../../rehearsal/aws/eks/server.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import { configFor } from '../kubernetes/harness.ts';
import { AppsV1Api, CoreV1Api, PolicyV1Api } from '@kubernetes/client-node';
import { DescribeClusterCommand, DescribeNodegroupCommand, EKSClient, ListAddonsCommand } from '@aws-sdk/client-eks';
import { load, playOut } from './play.ts';
import { randomCluster } from './random-cluster.ts';
import { snapshotOf } from './snapshot-of.ts';

const SEEDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const TO = '1.34';

function source(seed: string): World {
  const scenario = randomCluster(seed);
  return buildWorld({ scenario, speed: 1, clock: new ManualClock({ startsAt: scenario.startsAt }) }).world;
}

/** What no round trip keeps: an endpoint is a server's own, and tags are not in a snapshot. */
const DIFFERS = new Set(['endpoint', 'certificateAuthority', 'tags']);

const comparable = ({ objects, calls }: Snapshot) => ({
  objects: [...objects].map(([key, list]) => [key, list.toSorted(byName)] as const).toSorted(([a], [b]) => a.localeCompare(b)),
  calls: JSON.parse(JSON.stringify(calls), (key, value: unknown) => (DIFFERS.has(key) ? undefined : value)),
});
const byName = (a: SnapshotKubeObject, b: SnapshotKubeObject): number =>
  `${a.metadata.namespace}/${a.metadata.name}`.localeCompare(`${b.metadata.namespace}/${b.metadata.name}`);

test.each(SEEDS)('F61: snapshot, world, snapshot: the second is the first (cluster %s)', (seed) => {
  const first = snapshotOf(source(seed));
  const twin = load(first, TO);
  expect(comparable(snapshotOf(twin.world))).toEqual(comparable(first));
});

test.each(SEEDS.slice(0, 4))(
  'what the controllers would make is there already: an hour of rest changes no pod and no node (cluster %s)',
  (seed) => {
    const twin = load(snapshotOf(source(seed)), TO);
    const ids = (): string[] =>
      ['pods', 'nodes', 'replicasets', 'nodeclaims'].flatMap((plural) =>
        twin.world.store.list(plural).map(({ metadata }) => `${plural} ${metadata.name} ${metadata.uid}`),
      );
    const before = ids();
    twin.step(3_600_000);
    expect(ids().toSorted()).toEqual(before.toSorted());
    expect(twin.limits.filter((limit) => limit.startsWith('PodDisruptionBudget'))).toEqual([]);
  },
);

test('a drawn cluster is upgraded to the end', () => {
  const twin = load(snapshotOf(source('c')), TO);
  const { old } = playOut(twin, TO);
  // Budgets that allow nothing hold their nodes.
  const held = old.filter((node) => twin.world.store.podsOn(node).length === 0);
  expect(held).toEqual([]);
  expect(twin.world.eks.cluster.version).toBe(TO);
});

test('clients of the real SDKs get the same answers from a loaded world as from its source', async () => {
  const world = source('b');
  const twin = load(snapshotOf(world), TO);
  const [theirs, ours] = [await ask(world), await ask(twin.world)];
  expect(ours).toEqual(theirs);
  expect(ours.pods.length).toBeGreaterThan(5);
});

async function ask(world: World) {
  const now = (): Date => world.clock.now();
  const options = { store: world.store, journal: world.journal, now, version: () => '1.33', down: () => false, staticTokens: ['human'] };
  const server = await startKubernetesServer(options);
  const aws = await startAwsServer({ world });
  const eks = new EKSClient({
    endpoint: aws.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIAPEOPLE', secretAccessKey: 'people' },
  });
  try {
    const config = configFor(server, 'human');
    const core = config.makeApiClient(CoreV1Api);
    const name = world.eks.cluster.name;
    return {
      pods: plain((await core.listPodForAllNamespaces()).items),
      nodes: plain((await core.listNode()).items),
      deployments: plain((await config.makeApiClient(AppsV1Api).listDeploymentForAllNamespaces()).items),
      budgets: plain((await config.makeApiClient(PolicyV1Api).listPodDisruptionBudgetForAllNamespaces()).items),
      cluster: plain([(await eks.send(new DescribeClusterCommand({ name }))).cluster]),
      group: plain([(await eks.send(new DescribeNodegroupCommand({ clusterName: name, nodegroupName: 'system' }))).nodegroup]),
      addOns: (await eks.send(new ListAddonsCommand({ clusterName: name }))).addons,
    };
  } finally {
    eks.destroy();
    await Promise.all([server.close(), aws.close()]);
  }
}

/** Marks that each server writes for itself, and what no snapshot has of a container. */
const NOT_KEPT = new Set(['resourceVersion', 'managedFields', 'env']);

/** In one order. */
function plain(items: readonly unknown[]): unknown[] {
  const texts = items.map((item) =>
    JSON.stringify(item, (key, value: unknown) => (NOT_KEPT.has(key) || DIFFERS.has(key) ? undefined : value)),
  );
  return texts.toSorted().map((text): unknown => JSON.parse(text));
}
