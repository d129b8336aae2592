/** Up by a minor and all the way back: the cluster is as it was, apart from a listed few, also where the worker is killed on its way. */
import { expect, test } from 'vitest';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { stableJson } from '../../rehearsal/kubernetes/json.ts';
import type { World } from '../../rehearsal/world/world.ts';
import { type Rehearsed, rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 720_000;

/** Add-ons that keep the version to which the upgrade has brought them: it runs on both minors. */
const STAY_NEWER = ['coredns', 'vpc-cni'];
/** What moves by itself, or is made anew with the nodes; the add-ons' own objects have their version in them. */
const BELONGS_TO_NODES = [
  'nodes',
  'pods',
  'events',
  'leases',
  'csinodes',
  'volumeattachments',
  'endpointslices',
  'replicasets',
  'controllerrevisions',
];

/** Everything that an operator has declared, in EKS and in Kubernetes. */
function declared({ eks, store }: World): Record<string, string> {
  const aws: [string, unknown][] = [
    ['cluster', { version: eks.cluster.version, supportType: eks.cluster.supportType, logging: eks.cluster.logging }],
    ...eks.nodeGroups.map(({ name, version, releaseVersion, desiredSize, minSize, maxSize, labels, taints }): [string, unknown] => [
      `node group ${name}`,
      { version, releaseVersion, desiredSize, minSize, maxSize, labels, taints },
    ]),
    ...eks.addOns
      .filter(({ name }) => !STAY_NEWER.includes(name))
      .map(({ name, version }): [string, unknown] => [`add-on ${name}`, { version }]),
  ];
  const objects = store
    .types()
    .filter(({ plural }) => !BELONGS_TO_NODES.includes(plural))
    .flatMap(({ plural }) =>
      store
        .list(plural)
        .filter(({ metadata }) => metadata.namespace !== 'kube-system' || metadata.name === 'kube-proxy')
        .map(({ metadata, spec }): [string, unknown] => [
          `${plural} ${metadata.namespace ?? ''}/${metadata.name}`,
          { labels: metadata.labels, spec },
        ]),
    );
  return Object.fromEntries([...aws, ...objects].map(([name, what]) => [name, stableJson(what)]));
}

async function upAndDown(kills: string[] = []): Promise<Rehearsed & { before: Record<string, string> }> {
  let before: Record<string, string> = {};
  const run = await rehearsed({
    scenario: 'up-and-down',
    kills,
    ...(kills.length === 0 ? {} : { speed: 200 }),
    onBuilt: (world) => void (before = declared(world)),
  });
  return { ...run, before };
}

function expectBack(run: Rehearsed & { before: Record<string, string> }): void {
  const { report, world } = run;
  expect([run.ok, run.why]).toEqual([true, '']);
  expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(declared(world)).toEqual(run.before);
  expect(new Set(world.store.list('nodes').map(kubeletMinor))).toEqual(new Set(['1.32']));
  const moves = world.eks.updates.filter(({ resource }) => resource.kind === 'cluster');
  expect(moves.map(({ type, status }) => `${type} ${status}`)).toEqual(['VersionUpdate Successful', 'VersionRollback Successful']);
  const tokens = report.mutations.flatMap(({ api, accepted, token }) => (api === 'eks' && accepted && token !== undefined ? [token] : []));
  expect(new Set(tokens).size).toBe(tokens.length);
  const back = report.mutations.filter(({ api, accepted }) => api === 'eks' && accepted).slice(-4);
  expect(back.map(({ operation }) => operation)).toEqual([
    'UpdateNodegroupVersion',
    'UpdateNodegroupVersion',
    'UpdateAddon',
    'UpdateClusterVersion',
  ]);
}

test(
  'up-and-down: equal to its snapshot, in less than three minutes',
  async () => {
    const run = await upAndDown();
    expectBack(run);
    expect(run.wallSeconds).toBeLessThan(180);
    expect(run.report.steps.map(({ id }) => id)).toEqual([
      'rollback-checks@1.32',
      'node-groups@1.32',
      'add-ons-back@1.32',
      'control-plane-back@1.32',
      'validation@1.32',
    ]);
    expect(run.thread.join('\n')).toContain('Roll up-and-down back to 1.32?');
    expect(run.thread.join('\n')).toMatch(/EKS (?:takes it|can roll) back to 1\.32 until/);
  },
  LIMIT_MS,
);

const EVERY_STEP = ['worker@back:node-groups', 'worker@add-ons-back', 'worker@control-plane-back'];

test(
  'the worker is killed at every step of the way back that changes something: each is asked for once',
  async () => {
    const run = await upAndDown(EVERY_STEP);
    expectBack(run);
    expect(run.report.killed.map(({ process, at }) => `${process}@${at}`)).toEqual(EVERY_STEP);
  },
  LIMIT_MS,
);
