/** Clusters drawn from a seed: for what has to hold of any cluster. */
import { addAddOn, addNodeGroup } from '../../../rehearsal/scenarios/parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../../../rehearsal/scenarios/parts/karpenter-parts.ts';
import { addApp } from '../../../rehearsal/scenarios/parts/workload-parts.ts';
import { DEFAULT_TEMPO, type Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import { type Random, randomOf } from '../../chaos/random.ts';

const KARPENTER = '1.14.1';
const TEAMS = ['shop', 'pay', 'search', 'data'];
const POOL_BUDGETS = [{}, { budgets: [] }, { budgets: [{ nodes: '1' }] }];
const BUDGETS = [
  {},
  { budget: { maxUnavailable: 0 } },
  { budget: { maxUnavailable: 1 } },
  { budget: { maxUnavailable: '25%' } },
  { budget: { minAvailable: 1 } },
  { budget: { minAvailable: '60%' } },
];

export function randomCluster(seed: string): Scenario {
  return {
    name: `random-${seed}`,
    title: 'Drawn',
    description: 'Drawn from a seed.',
    cluster: { name: `random-${seed}`, account: '111122223333', region: 'eu-central-1' },
    environment: 'test',
    from: '1.33',
    to: '1.34',
    startsAt: '2026-07-10T01:00:00Z',
    tempo: DEFAULT_TEMPO,
    managedBy: {},
    expectations: { controlPlane: '1.34' },
    build: (world) => build(world, randomOf(seed)),
  };
}

function build(world: World, random: Random): void {
  addNodeGroup(world, { name: 'system', size: 1 + random.below(3), dedicated: random.below(2) === 0 });
  for (const [name, version] of random.some(3, ADD_ONS)) addAddOn(world, name, version);
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addNodeClass(world, { name: 'default', alias: random.one(['al2023@latest', 'bottlerocket@latest']), karpenter: KARPENTER });
  for (let index = 0; index <= random.below(3); index += 1)
    addNodePool(world, { name: `pool-${index}`, nodeClass: 'default', nodes: 1 + random.below(6), ...random.one(POOL_BUDGETS) });
  for (let index = 0; index < 3 + random.below(8); index += 1) {
    addApp(world, {
      namespace: random.one(TEAMS),
      name: `app-${index}`,
      replicas: random.below(5),
      cpu: random.one(['50m', '250m', '1']),
      ...random.one(BUDGETS),
    });
  }
  addOdds(world, random);
}

const ADD_ONS = [
  ['vpc-cni', 'v1.19.5-eksbuild.3'],
  ['coredns', 'v1.12.1-eksbuild.2'],
  ['kube-proxy', 'v1.33.5-eksbuild.2'],
] as const;

/** Volumes, types that nobody knows, workloads of other kinds, pods of nobody. */
function addOdds(world: World, random: Random): void {
  const { store } = world;
  const labels = { app: 'queue' };
  for (let index = 0; index < random.below(4); index += 1) {
    const group = `group-${index}.example.com`;
    store.create('customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: random.one(['Cluster', 'Namespaced']),
        names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
        versions: [{ name: 'v1', served: true, storage: true }],
      },
    });
  }
  store.create('statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'queue', namespace: 'default' },
    spec: {
      replicas: random.below(4),
      serviceName: 'queue',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'queue', image: 'queue:3' }] } },
    },
  });
  for (let index = 0; index < random.below(3); index += 1)
    store.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `lone-${index}`, namespace: 'default', labels: { lone: String(index) } },
      spec: { containers: [{ name: 'lone', image: 'lone:1' }] },
    });
}
