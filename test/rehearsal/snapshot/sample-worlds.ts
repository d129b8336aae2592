/** The clusters that the sample snapshots are of: a small one, one with a mesh, and one of sixty nodes on which a good deal is in the way. */
import { addAddOn, addBudget, addNodeGroup } from '../../../rehearsal/scenarios/parts/cluster-parts.ts';
import { addKarpenter, addNodeClass, addNodePool } from '../../../rehearsal/scenarios/parts/karpenter-parts.ts';
import { addApp, addNamespace } from '../../../rehearsal/scenarios/parts/workload-parts.ts';
import { DEFAULT_TEMPO, type Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { small } from '../../../rehearsal/scenarios/small.ts';
import { whole } from '../../../rehearsal/scenarios/whole.ts';
import type { World } from '../../../rehearsal/world/world.ts';

const KARPENTER = '1.14.1';
const ZONE = 'topology.kubernetes.io/zone';

function buildShop(world: World): void {
  addNodeGroup(world, { name: 'system', size: 3, dedicated: true });
  addAddOn(world, 'vpc-cni', 'v1.19.5-eksbuild.3');
  addAddOn(world, 'coredns', 'v1.12.1-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: KARPENTER });
  addShop(world);
}

/** Two NodePools and what runs on them. */
export function addShop(world: World): void {
  addNodePool(world, { name: 'general', nodeClass: 'default', nodes: 50, budgets: [{ nodes: '10%' }] });
  addNodePool(world, { name: 'data', nodeClass: 'default', nodes: 10, budgets: [{ nodes: '1' }], limits: { cpu: '44' } });
  // Whose they are is said once, by a label of their namespace.
  for (const [namespace, team] of Object.entries({ internal: 'back-office', shop: 'storefront', data: 'data-platform' }))
    addNamespace(world, namespace, { team });
  for (let index = 0; index < 6; index += 1) addNamespace(world, `team-${index}`, { team: `team-${index}` });
  for (let index = 0; index < 15; index += 1)
    addApp(world, {
      namespace: `team-${index % 6}`,
      name: `service-${index}`,
      replicas: 6 + (index % 5),
      cpu: '1',
      budget: { maxUnavailable: '25%' },
      nodeSelector: { 'karpenter.sh/nodepool': 'general' },
    });
  // What is in the way: budgets that allow nothing, single replicas, volumes that hold pods to a zone.
  addApp(world, {
    namespace: 'internal',
    name: 'admin',
    replicas: 1,
    budget: { maxUnavailable: 0 },
    nodeSelector: { 'karpenter.sh/nodepool': 'general' },
  });
  addApp(world, {
    namespace: 'internal',
    name: 'reports',
    replicas: 1,
    budget: { minAvailable: 1 },
    nodeSelector: { 'karpenter.sh/nodepool': 'general' },
  });
  for (const name of ['mailer', 'webhooks', 'importer'])
    addApp(world, { namespace: 'internal', name, replicas: 1, nodeSelector: { 'karpenter.sh/nodepool': 'general' } });
  addSpread(world);
  addStateful(world, 'orders', 5);
  addStateful(world, 'ledger', 3);
}

/** Evenly over zones, or not at all. */
function addSpread(world: World): void {
  addApp(world, {
    namespace: 'shop',
    name: 'checkout',
    replicas: 9,
    cpu: '1',
    budget: { maxUnavailable: 1 },
    nodeSelector: { 'karpenter.sh/nodepool': 'general' },
  });
  world.store.update('deployments', 'checkout', 'shop', (copy) => {
    copy.spec.template.spec.topologySpreadConstraints = [
      { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'checkout' } } },
    ];
  });
}

/** A StatefulSet with a volume for each pod, in one zone after the other. */
function addStateful(world: World, name: string, replicas: number): void {
  const labels = { app: name };
  const zones = ['a', 'b', 'c'].map((letter) => `${world.eks.cluster.region}${letter}`);
  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const claim = `data-${name}-${ordinal}`;
    world.store.create('persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${claim}` },
      spec: {
        capacity: { storage: '100Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'gp3',
        claimRef: { namespace: 'data', name: claim },
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-0${String(ordinal).padStart(16, '0')}` },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zones[ordinal % 3]] }] }] },
        },
      },
      status: { phase: 'Bound' },
    });
    world.store.create('persistentvolumeclaims', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claim, namespace: 'data' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'gp3',
        volumeName: `pv-${claim}`,
        resources: { requests: { storage: '100Gi' } },
      },
      status: { phase: 'Bound' },
    });
  }
  world.store.create('statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace: 'data', labels },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '100Gi' } } } },
      ],
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { 'karpenter.sh/nodepool': 'data' },
          terminationGracePeriodSeconds: 120,
          containers: [{ name, image: `registry.example.com/data/${name}:16.4`, resources: { requests: { cpu: '2', memory: '8Gi' } } }],
        },
      },
    },
  });
  addBudget(world, { namespace: 'data', name, labels, spec: { maxUnavailable: 1 } });
}

const shop: Scenario = {
  name: 'shop',
  title: 'Sixty nodes, 1.33 → 1.34',
  description: 'Two NodePools, budgets that allow nothing, single replicas, spread over zones, volumes in zones.',
  cluster: { name: 'shop', account: '111122223333', region: 'eu-west-1' },
  environment: 'production',
  from: '1.33',
  to: '1.34',
  startsAt: '2026-07-10T01:00:00Z',
  tempo: { ...DEFAULT_TEMPO, podStartMs: 14_000 },
  managedBy: {},
  expectations: { controlPlane: '1.34' },
  build: buildShop,
};

/** By the names of their files. */
export const SAMPLES: Record<string, Scenario> = { small, mesh: whole, shop };
