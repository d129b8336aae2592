/** Snapshots of small clusters, in the shape of the APIs: what a forecast is tried on. A test changes one thing. */
import {
  listKey,
  type Snapshot,
  type SnapshotCall,
  type SnapshotKubeObject,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
} from '../../domain/facts/snapshot/format.ts';
import { CLUSTER } from './facts.ts';

type Json = Record<string, unknown>;

export const TAKEN_AT = '2026-09-08T09:00:00Z';
const LONG_AGO_MS = Date.parse('2026-09-01T09:00:00Z');
const iso = (ms: number): string => new Date(ms).toISOString();

export interface PoolOf {
  name: string;
  nodes: number;
  budgets?: Json[];
  limits?: Json;
  /** Of each node; "4" cores where absent. */
  cpu?: string;
  zones?: string[];
  weight?: number;
  /** From NodeClaim to Ready, one after the other. */
  startsMs?: number[];
  terminationGracePeriod?: string;
  taints?: Json[];
}

export interface GroupOf {
  name: string;
  nodes: number;
  updateConfig?: Json;
  cpu?: string;
  zones?: string[];
  startMs?: number;
}

export interface AppOf {
  name: string;
  namespace?: string;
  kind?: 'Deployment' | 'StatefulSet' | 'Pod' | 'DaemonSet';
  replicas?: number;
  cpu?: string;
  /** Spec of its PodDisruptionBudgets. */
  budget?: Json;
  budgets?: Json[];
  /** What the API server says of each of them; nothing where absent. */
  budgetStatus?: Json;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  /** Of the Deployment or StatefulSet. */
  ownLabels?: Record<string, string>;
  /** From scheduled to Ready. */
  startMs?: number;
  graceS?: number;
  /** A volume for each pod, in the zone of the node that it is on. */
  volume?: boolean;
  spec?: Json;
  /** Names of the nodes, one pod after the other; spread over all where absent. */
  on?: string[];
  ready?: boolean;
}

export interface ClusterOf {
  minor?: string;
  pools?: PoolOf[];
  groups?: GroupOf[];
  apps?: AppOf[];
  calls?: SnapshotCall[];
  /** Lists that could not be read: "policy/v1 poddisruptionbudgets". */
  unread?: string[];
  namespaces?: Record<string, Record<string, string>>;
}

const LISTS = [
  'v1 nodes',
  'v1 pods',
  'v1 namespaces',
  'v1 persistentvolumes',
  'v1 persistentvolumeclaims',
  'apps/v1 deployments',
  'apps/v1 replicasets',
  'apps/v1 statefulsets',
  'apps/v1 daemonsets',
  'policy/v1 poddisruptionbudgets',
  'karpenter.sh/v1 nodepools',
  'karpenter.sh/v1 nodeclaims',
  'autoscaling/v2 horizontalpodautoscalers',
];

/** `web-0` of a pool is node `web-0`; nodes of a group `g` are `g-0`. */
export function clusterSnapshot(of: ClusterOf): Snapshot {
  const { minor = '1.31', pools = [], groups = [], apps = [], calls = [], unread = [], namespaces = {} } = of;
  const objects = new Map<string, SnapshotKubeObject[]>(LISTS.map((key) => [key, []]));
  const put = (list: string, object: Json): void => void objects.get(list)?.push(object as unknown as SnapshotKubeObject);
  for (const pool of pools) addPool(put, pool, minor);
  for (const group of groups) addGroup(put, group, minor);
  for (const [name, labels] of Object.entries(namespaces))
    put('v1 namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: meta(name, { labels }) });
  const nodes = (objects.get('v1 nodes') ?? []).map(({ metadata }) => ({ name: metadata.name, zone: metadata.labels?.[ZONE] ?? '' }));
  let next = 0;
  for (const app of apps) {
    const count = app.kind === 'Pod' ? 1 : (app.replicas ?? 1);
    const on =
      app.kind === 'DaemonSet'
        ? nodes.map(({ name }) => name)
        : (app.on ?? Array.from({ length: count }, () => nodes[next++ % nodes.length]?.name ?? ''));
    addApp(put, app, on, (name) => nodes.find((node) => node.name === name)?.zone ?? '');
  }
  for (const list of unread) objects.delete(list);
  return {
    header: {
      kind: 'header',
      format: SNAPSHOT_FORMAT,
      version: SNAPSHOT_VERSION,
      takenAt: TAKEN_AT,
      belay: '0.1.0',
      cluster: CLUSTER,
      kubernetes: { minor, gitVersion: `v${minor}.1-eks-abc` },
      anonymized: false,
    },
    endedAt: TAKEN_AT,
    calls: [...calls, ...groups.map(describeGroup)],
    lists: LISTS.map((key) => {
      const [apiVersion = '', plural = ''] = key.split(' ');
      const list = { kind: 'list' as const, apiVersion, plural };
      return unread.includes(key)
        ? { ...list, outcome: 'unread' as const, why: 'Forbidden', denied: true as const }
        : { ...list, outcome: 'read' as const, count: objects.get(listKey(apiVersion, plural))?.length ?? 0 };
    }),
    objects,
    metrics: [],
    gaps: [],
  };
}

export const subnets = (free: Record<string, number>): SnapshotCall => ({
  kind: 'aws',
  service: 'ec2',
  operation: 'DescribeSubnets',
  input: {},
  output: {
    Subnets: Object.entries(free).map(([zone, count]) => ({
      SubnetId: `subnet-${zone}`,
      AvailabilityZone: zone,
      AvailableIpAddressCount: count,
    })),
  },
});

type Put = (list: string, object: Json) => void;
const ZONE = 'topology.kubernetes.io/zone';

const meta = (name: string, more: Json = {}): Json => ({ name, uid: `uid-${name}`, creationTimestamp: iso(LONG_AGO_MS), ...more });
const condition = (type: string, status: string, atMs = LONG_AGO_MS): Json => ({ type, status, lastTransitionTime: iso(atMs) });

function addPool(put: Put, of: PoolOf, minor: string): void {
  const { name, nodes, budgets, limits, cpu = '4', zones = ['eu-1a'], weight, startsMs = [40_000], terminationGracePeriod, taints } = of;
  put('karpenter.sh/v1 nodepools', {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: meta(name),
    spec: {
      weight,
      limits,
      ...(budgets === undefined ? {} : { disruption: { budgets } }),
      template: {
        spec: { terminationGracePeriod, taints, requirements: [{ key: ZONE, operator: 'In', values: zones }] },
      },
    },
  });
  for (let index = 0; index < nodes; index += 1) {
    const node = `${name}-${index}`;
    const startMs = startsMs[index % startsMs.length] ?? 0;
    const labels = { 'karpenter.sh/nodepool': name };
    put('karpenter.sh/v1 nodeclaims', {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: meta(`${node}-claim`, { labels }),
      status: { nodeName: node, conditions: [condition('Initialized', 'True', LONG_AGO_MS + startMs)] },
    });
    addNode(put, { name: node, minor, cpu, zone: zones[index % zones.length] ?? '', labels, taints });
  }
}

function addGroup(put: Put, { name, nodes, cpu = '4', zones = ['eu-1a'], startMs = 60_000 }: GroupOf, minor: string): void {
  for (let index = 0; index < nodes; index += 1) {
    const labels = { 'eks.amazonaws.com/nodegroup': name };
    addNode(put, { name: `${name}-${index}`, minor, cpu, zone: zones[index % zones.length] ?? '', labels, startMs });
  }
}

function describeGroup({ name, nodes, updateConfig = { maxUnavailable: 1 } }: GroupOf): SnapshotCall {
  const nodegroup = { nodegroupName: name, scalingConfig: { minSize: 0, maxSize: 100, desiredSize: nodes }, updateConfig };
  return {
    kind: 'aws',
    service: 'eks',
    operation: 'DescribeNodegroup',
    input: { clusterName: 'prod', nodegroupName: name },
    output: { nodegroup },
  };
}

function addNode(
  put: Put,
  of: { name: string; minor: string; cpu: string; zone: string; labels: Record<string, string>; startMs?: number; taints?: Json[] },
): void {
  const { name, minor, cpu, zone, labels, startMs = 0, taints } = of;
  put('v1 nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: meta(name, {
      labels: { ...labels, [ZONE]: zone, 'kubernetes.io/hostname': name, 'node.kubernetes.io/instance-type': `m5.${cpu}` },
    }),
    spec: { taints },
    status: {
      allocatable: { cpu, memory: `${Number(cpu) * 4}Gi`, pods: '58' },
      capacity: { cpu, memory: `${Number(cpu) * 4}Gi`, pods: '58' },
      nodeInfo: { kubeletVersion: `v${minor}.1-eks-abc` },
      conditions: [condition('Ready', 'True', LONG_AGO_MS + startMs)],
    },
  });
}

function addApp(put: Put, app: AppOf, on: readonly string[], zoneOf: (node: string) => string): void {
  const { name, namespace = 'shop', kind = 'Deployment', replicas = on.length, labels, ownLabels = {}, spec = {} } = app;
  const selected = { app: name, ...labels };
  const own = kind === 'Deployment' ? { kind: 'ReplicaSet', name: `${name}-5d8` } : { kind, name };
  const workload = (plural: string, of: string, as: string, owner?: Json): void =>
    put(`apps/v1 ${plural}`, {
      apiVersion: 'apps/v1',
      kind: of,
      metadata: meta(as, { namespace, labels: ownLabels, ...(owner === undefined ? {} : { ownerReferences: [owner] }) }),
      spec: { replicas },
    });
  if (kind === 'Deployment') {
    workload('deployments', 'Deployment', name);
    workload('replicasets', 'ReplicaSet', own.name, reference('Deployment', name));
  }
  if (kind === 'StatefulSet') workload('statefulsets', 'StatefulSet', name);
  for (const [index, budget] of [...(app.budget === undefined ? [] : [app.budget]), ...(app.budgets ?? [])].entries()) {
    put('policy/v1 poddisruptionbudgets', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: meta(index === 0 ? name : `${name}-${index}`, { namespace }),
      spec: { selector: { matchLabels: { app: name } }, ...budget },
      ...(app.budgetStatus === undefined ? {} : { status: app.budgetStatus }),
    });
  }
  for (const [index, node] of on.entries()) {
    const pod = kind === 'Pod' ? name : kind === 'StatefulSet' ? `${name}-${index}` : `${own.name}-${index}`;
    const volumes = app.volume === true ? [{ name: 'data', persistentVolumeClaim: { claimName: `data-${pod}` } }] : [];
    if (app.volume === true) addVolume(put, namespace, `data-${pod}`, zoneOf(node));
    put('v1 pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: meta(pod, {
        namespace,
        labels: selected,
        annotations: app.annotations,
        ...(kind === 'Pod' ? {} : { ownerReferences: [reference(own.kind, own.name)] }),
      }),
      spec: {
        nodeName: node === '' ? undefined : node,
        terminationGracePeriodSeconds: app.graceS ?? 30,
        containers: [{ name, resources: { requests: { cpu: app.cpu ?? '500m', memory: '512Mi' } } }],
        volumes,
        ...spec,
      },
      status: {
        phase: 'Running',
        conditions: [
          condition('PodScheduled', 'True'),
          condition('Ready', app.ready === false ? 'False' : 'True', LONG_AGO_MS + (app.startMs ?? 10_000)),
        ],
      },
    });
  }
}

const reference = (kind: string, name: string): Json => ({ apiVersion: 'apps/v1', kind, name, uid: `uid-${name}`, controller: true });

function addVolume(put: Put, namespace: string, claim: string, zone: string): void {
  put('v1 persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta(claim, { namespace }),
    spec: { volumeName: `pv-${claim}` },
  });
  put('v1 persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: meta(`pv-${claim}`),
    spec: {
      csi: { driver: 'ebs.csi.aws.com' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }] } },
    },
  });
}
