/** Tables for `kubectl get`: the columns that people know, by kind. */
import { conditionOf, isReady, isTerminating } from '../pods.ts';
import type { KubeObject } from '../store.ts';
import type { ResourceRequest } from './request.ts';

export interface Table {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: object;
  columnDefinitions: object[];
  rows: object[];
}

type Cell = string | number;
type Column = [name: string, cell: (object: KubeObject) => Cell];

/** Makes Tables when the Accept header asks for them; undefined otherwise. */
export function tableRenderer(
  accept: string | undefined,
  request: ResourceRequest,
  now: () => Date,
): ((objects: KubeObject[]) => Table) | undefined {
  if (!/as=Table/.test(accept ?? '')) return undefined;
  if (request.verb !== 'get' && request.verb !== 'list' && request.verb !== 'watch') return undefined;
  if (request.subresource !== undefined) return undefined;
  const columns: Column[] = [
    ['Name', (object) => object.metadata.name],
    ...(COLUMNS[request.type.plural] ?? []),
    ['Age', (object) => age(object.metadata.creationTimestamp, now())],
  ];
  const include = request.query.get('includeObject') ?? 'Metadata';
  return (objects) => ({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: objects.at(-1)?.metadata.resourceVersion ?? '' },
    columnDefinitions: columns.map(([name, cell]) => ({
      name,
      type: typeof cell(PROBE) === 'number' ? 'integer' : 'string',
      format: name === 'Name' ? 'name' : '',
      description: name,
      priority: 0,
    })),
    rows: objects.map((object) => ({ cells: columns.map(([, cell]) => cell(object)), ...rowObject(object, include) })),
  });
}

const PROBE: KubeObject = { apiVersion: 'v1', kind: 'Probe', metadata: { name: 'probe' } };

function rowObject(object: KubeObject, include: string): object {
  if (include === 'None') return {};
  if (include === 'Object') return { object };
  return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata } };
}

const COLUMNS: Record<string, Column[]> = {
  pods: [
    ['Ready', (pod) => `${containersReady(pod)}/${pod.spec?.containers?.length ?? 0}`],
    ['Status', (pod) => (isTerminating(pod) ? 'Terminating' : (pod.status?.reason ?? pod.status?.phase ?? 'Pending'))],
    [
      'Restarts',
      (pod) =>
        (pod.status?.containerStatuses ?? []).reduce(
          (sum: number, status: { restartCount?: number }) => sum + (status.restartCount ?? 0),
          0,
        ),
    ],
  ],
  nodes: [
    ['Status', (node) => (isReady(node) ? 'Ready' : 'NotReady') + (node.spec?.unschedulable ? ',SchedulingDisabled' : '')],
    ['Roles', () => '<none>'],
    ['Version', (node) => node.status?.nodeInfo?.kubeletVersion ?? ''],
  ],
  namespaces: [['Status', (namespace) => namespace.status?.phase ?? 'Active']],
  deployments: [
    ['Ready', (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`],
    ['Up-to-date', (object) => object.status?.updatedReplicas ?? 0],
    ['Available', (object) => object.status?.availableReplicas ?? 0],
  ],
  statefulsets: [['Ready', (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`]],
  replicasets: [
    ['Desired', (object) => object.spec?.replicas ?? 0],
    ['Current', (object) => object.status?.replicas ?? 0],
    ['Ready', (object) => object.status?.readyReplicas ?? 0],
  ],
  daemonsets: [
    ['Desired', (object) => object.status?.desiredNumberScheduled ?? 0],
    ['Current', (object) => object.status?.currentNumberScheduled ?? 0],
    ['Ready', (object) => object.status?.numberReady ?? 0],
    ['Up-to-date', (object) => object.status?.updatedNumberScheduled ?? 0],
    ['Available', (object) => object.status?.numberAvailable ?? 0],
  ],
  poddisruptionbudgets: [
    ['Min Available', (object) => String(object.spec?.minAvailable ?? 'N/A')],
    ['Max Unavailable', (object) => String(object.spec?.maxUnavailable ?? 'N/A')],
    ['Allowed Disruptions', (object) => object.status?.disruptionsAllowed ?? 0],
  ],
  services: [
    ['Type', (object) => object.spec?.type ?? 'ClusterIP'],
    ['Cluster-IP', (object) => object.spec?.clusterIP ?? '<none>'],
  ],
  events: [
    ['Type', (object) => object.type ?? ''],
    ['Reason', (object) => object.reason ?? ''],
    ['Object', (object) => `${String(object.involvedObject?.kind ?? '').toLowerCase()}/${object.involvedObject?.name ?? ''}`],
    ['Message', (object) => object.message ?? ''],
  ],
  nodepools: [
    ['NodeClass', (object) => object.spec?.template?.spec?.nodeClassRef?.name ?? ''],
    ['Nodes', (object) => String(object.status?.nodes ?? object.status?.resources?.nodes ?? '0')],
    ['Ready', (object) => conditionOf(object, 'Ready')?.status ?? ''],
  ],
  nodeclaims: [
    ['Type', (object) => object.metadata.labels?.['node.kubernetes.io/instance-type'] ?? ''],
    ['Node', (object) => object.status?.nodeName ?? ''],
    ['Ready', (object) => conditionOf(object, 'Ready')?.status ?? ''],
  ],
};

function containersReady(pod: KubeObject): number {
  return (pod.status?.containerStatuses ?? []).filter((status: { ready?: boolean }) => status.ready).length;
}

/** "45s", "12m", "3h", "8d" */
function age(created: string | undefined, now: Date): string {
  if (!created) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(created)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 3 * 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
