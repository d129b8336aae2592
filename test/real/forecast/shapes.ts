/**
 * Clusters of different shape for a real Karpenter: each of them meets something else when its nodes are replaced. None is so small that the order in
 * which Karpenter takes its nodes, which is chance, makes much of a roll's length.
 */
import { defined } from '../../../domain/core/defined.ts';
import { addNodePool } from '../../../rehearsal/scenarios/parts/karpenter-parts.ts';
import { addApp, addNamespace } from '../../../rehearsal/scenarios/parts/workload-parts.ts';
import { addShop } from '../../rehearsal/snapshot/sample-worlds.ts';
import { karpenterThirty } from '../../../rehearsal/scenarios/karpenter/karpenter-thirty.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import { addGround, FULL, inPool } from '../support/karpenter-ground.ts';

const REGION = 'eu-west-1';

/** Next to lengths that are all alike, Karpenter's looks every ten seconds would make one more of nearly nothing. */
const KUBELETS: NonNullable<Scenario['kubelets']> = { nodeReadyMs: [8_000, 20_000], podReadyMs: 5_000 };

export interface Shape {
  scenario: Scenario;
  timing: { driftBlockedAfter: number; driftNamedAfter: number };
  /** What the persona chooses about nodes that cannot be replaced: the first of these that a gate offers. */
  blocked?: readonly ('scale' | 'skip-node')[];
  /** What each Deployment in `shop` is scaled to once the cluster stands: its nodes were made for more. */
  replicas?: number;
}

function shape(
  name: string,
  title: string,
  build: (world: World) => void,
  { repacked, kubelets = KUBELETS, ...more }: Omit<Shape, 'scenario' | 'timing'> & Pick<Scenario, 'repacked' | 'kubelets'> = {},
): Shape {
  return {
    ...more,
    // Karpenter looks every ten seconds, and one node may wait for another: what has not moved in the time of six does not move.
    timing: { driftBlockedAfter: 6 * kubelets.nodeReadyMs[1], driftNamedAfter: 30_000 },
    scenario: {
      ...karpenterThirty,
      ...defined({ repacked }),
      name,
      title,
      description: title,
      cluster: { ...karpenterThirty.cluster, name, region: REGION },
      karpenter: { paces: ['100%'] },
      kubelets,
      // A control plane of this machine that moves answers 5xx for a minute: people who decide about its health would hold the roll, which no forecast foresees.
      prometheus: 'none',
      build(world) {
        addGround(world);
        build(world);
      },
    },
  };
}

/** A StatefulSet whose claims are bound already, each to a volume of one zone. */
function addDatabase(world: World, { zones, pool }: { zones: readonly string[]; pool: string }): void {
  const [namespace, name] = ['data', 'db'];
  addNamespace(world, namespace);
  for (const [index, zone] of zones.entries()) {
    const claim = `data-${name}-${index}`;
    const volume = `pv-${name}-${index}`;
    const capacity = { storage: '20Gi' };
    world.store.create('persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volume },
      spec: {
        capacity,
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-0${index}`, fsType: 'ext4' },
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claim },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] }],
          },
        },
      },
    });
    world.store.create('persistentvolumeclaims', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claim, namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: capacity }, storageClassName: '', volumeName: volume },
    });
  }
  const labels = { app: name };
  world.store.create('statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace, labels },
    spec: {
      serviceName: name,
      replicas: zones.length,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { 'karpenter.sh/nodepool': pool },
          containers: [
            {
              name,
              image: 'registry.example.com/data/db:16.2',
              resources: { requests: { cpu: FULL, memory: '512Mi' } },
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '20Gi' } }, storageClassName: '' },
        },
      ],
    },
  });
}

/** What has room to spare would not have it for long. */
function consolidateNothing(world: World): void {
  for (const { metadata } of world.store.list('nodepools'))
    world.store.update('nodepools', metadata.name, undefined, (copy) => void (copy.spec.disruption.consolidateAfter = 'Never'));
}

/** Services of a core a pod, of which three fit on a node. */
function sharing(world: World, nodes: number, [web = 0, api = 0, batch = 0]: readonly number[]): void {
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes, budgets: [{ nodes: '100%' }] });
  consolidateNothing(world);
  const each = { namespace: 'shop', cpu: '1', nodeSelector: { 'karpenter.sh/nodepool': 'default' } };
  addApp(world, { ...each, name: 'web', replicas: web, budget: { maxUnavailable: 1 } });
  addApp(world, { ...each, name: 'api', replicas: api, budget: { maxUnavailable: '25%' } });
  addApp(world, { ...each, name: 'batch', replicas: batch });
}

/** Half of the time of all. */
export const LONGEST: readonly string[] = ['fc-slow', 'fc-shop', 'fc-packed'];

export const SHAPES: readonly Shape[] = [
  shape(
    'fc-budgets',
    'A budget that allows nothing, and a pod that says do-not-disrupt',
    (world) => {
      addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 16, budgets: [{ nodes: '50%' }] });
      addApp(world, { namespace: 'shop', name: 'web', replicas: 14, budget: { maxUnavailable: 1 }, ...inPool('default') });
      addApp(world, { namespace: 'pay', name: 'ledger', replicas: 1, budget: { minAvailable: 1 }, ...inPool('default') });
      addApp(world, { namespace: 'pay', name: 'cards', replicas: 1, budget: { maxUnavailable: 1 }, ...inPool('default') });
      world.store.update('deployments', 'cards', 'pay', (copy) => {
        copy.spec.template.metadata.annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
      });
    },
    { blocked: ['scale', 'skip-node'] },
  ),
  shape('fc-single', 'Workloads of one replica', (world) => {
    addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 14, budgets: [{ nodes: '2' }] });
    for (const name of ['mail', 'search', 'cron', 'admin']) addApp(world, { namespace: 'solo', name, replicas: 1, ...inPool('default') });
    addApp(world, { namespace: 'shop', name: 'web', replicas: 10, budget: { maxUnavailable: 1 }, ...inPool('default') });
  }),
  shape('fc-zones', 'Volumes that stay in their zones', (world) => {
    addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 10, budgets: [{ nodes: '2' }] });
    // Of its own: what else takes the node of a zone leaves Karpenter with one too many.
    addNodePool(world, { name: 'data', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '1' }] });
    addDatabase(world, { zones: ['a', 'b', 'c'].map((letter) => `${REGION}${letter}`), pool: 'data' });
    addApp(world, { namespace: 'shop', name: 'web', replicas: 10, budget: { maxUnavailable: 1 }, ...inPool('default') });
  }),
  shape('fc-pools', 'Two pools with budgets of their own', (world) => {
    addNodePool(world, { name: 'slow', nodeClass: 'default', nodes: 6, budgets: [{ nodes: '1' }] });
    addNodePool(world, { name: 'fast', nodeClass: 'default', nodes: 12, budgets: [{ nodes: '50%' }] });
    addApp(world, { namespace: 'shop', name: 'batch', replicas: 12, budget: { maxUnavailable: '50%' }, ...inPool('fast') });
    addApp(world, { namespace: 'shop', name: 'web', replicas: 6, budget: { maxUnavailable: 1 }, ...inPool('slow') });
  }),
  shape('fc-loose', 'Pods that share nodes, with room to spare', (world) => sharing(world, 20, [20, 20, 20]), { replicas: 10 }),
  shape('fc-packed', 'Pods that share nodes, with little room', (world) => sharing(world, 16, [16, 16, 14])),
  shape('fc-slow', 'Pods that share nodes, where nodes and pods take longer', (world) => sharing(world, 16, [16, 16, 14]), {
    kubelets: { nodeReadyMs: [45_000, 55_000], podReadyMs: 15_000 },
  }),
  shape(
    'fc-shop',
    'The workloads of the sample that is in the repository',
    (world) => {
      addShop(world);
      consolidateNothing(world);
    },
    { blocked: ['scale', 'skip-node'], repacked: true },
  ),
  shape(
    'fc-full',
    'A pool at its limit',
    (world) => {
      addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: [{ nodes: '100%' }], limits: { cpu: '12' } });
      addNodePool(world, { name: 'roomy', nodeClass: 'default', nodes: 8, budgets: [{ nodes: '1' }] });
      addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 2 }, ...inPool('default') });
      addApp(world, { namespace: 'shop', name: 'api', replicas: 8, budget: { maxUnavailable: 1 }, ...inPool('roomy') });
    },
    { blocked: ['skip-node'] },
  ),
];
