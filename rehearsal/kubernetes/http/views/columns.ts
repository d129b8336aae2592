/** The columns of built-in kinds, and of the twin's custom ones where no definition brings its own: kubernetes/pkg/printers/internalversion. */
import { conditionOf, isTerminating } from '../../pods/pods.ts';
import type { KubeObject } from '../../store.ts';

export type Cell = string | number | boolean | null;

export interface Column {
  name: string;
  /** "string" by default. */
  type?: string;
  format?: string;
  /** 1: only with -o wide. */
  priority?: number;
  cell: (object: KubeObject, now: Date) => Cell;
}

const NONE = '<none>';
const UNKNOWN = '<unknown>';

const AGE: Column = { name: 'Age', cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now) };
const column = (name: string, cell: Column['cell']): Column => ({ name, cell });
const count = (name: string, cell: Column['cell']): Column => ({ name, type: 'integer', cell });
const wide = (name: string, cell: Column['cell']): Column => ({ name, priority: 1, cell });
const condition = (name: string, type: string): Column => column(name, (object) => conditionOf(object, type)?.status ?? '');

interface Container {
  name: string;
  image?: string;
}
const containersOf = (object: KubeObject): Container[] => object.spec?.template?.spec?.containers ?? [];
const CONTAINERS = [
  wide('Containers', (object) =>
    containersOf(object)
      .map(({ name }) => name)
      .join(','),
  ),
  wide('Images', (object) =>
    containersOf(object)
      .map(({ image }) => image ?? '')
      .join(','),
  ),
];
const SELECTOR = wide('Selector', ({ spec }) => labelsText(spec?.selector?.matchLabels));
const replicas = ({ spec, status }: KubeObject): string => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;

export const COLUMNS: Record<string, Column[]> = {
  pods: [
    column('Ready', (pod) => `${statusesOf(pod).filter(({ ready }) => ready).length}/${pod.spec?.containers?.length ?? 0}`),
    column('Status', podStatus),
    column('Restarts', (pod) => String(statusesOf(pod).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0))),
    AGE,
    wide('IP', ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP ?? NONE),
    wide('Node', ({ spec }) => spec?.nodeName || NONE),
    wide('Nominated Node', ({ status }) => status?.nominatedNodeName || NONE),
    wide('Readiness Gates', () => NONE),
  ],
  nodes: [
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    AGE,
    column('Version', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
    wide('Internal-IP', (node) => nodeAddress(node, 'InternalIP')),
    wide('External-IP', (node) => nodeAddress(node, 'ExternalIP')),
    wide('OS-Image', ({ status }) => status?.nodeInfo?.osImage || UNKNOWN),
    wide('Kernel-Version', ({ status }) => status?.nodeInfo?.kernelVersion || UNKNOWN),
    wide('Container-Runtime', ({ status }) => status?.nodeInfo?.containerRuntimeVersion || UNKNOWN),
  ],
  namespaces: [column('Status', ({ status }) => status?.phase ?? ''), AGE],
  configmaps: [column('Data', ({ data, binaryData }) => Object.keys({ ...data, ...binaryData }).length), AGE],
  secrets: [column('Type', ({ type }) => type ?? ''), column('Data', ({ data }) => Object.keys(data ?? {}).length), AGE],
  serviceaccounts: [column('Secrets', ({ secrets }) => secrets?.length ?? 0), AGE],
  leases: [column('Holder', ({ spec }) => spec?.holderIdentity ?? ''), AGE],
  deployments: [
    column('Ready', replicas),
    column('Up-to-date', ({ status }) => status?.updatedReplicas ?? 0),
    column('Available', ({ status }) => status?.availableReplicas ?? 0),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  statefulsets: [column('Ready', replicas), AGE, ...CONTAINERS],
  replicasets: [
    count('Desired', ({ spec }) => spec?.replicas ?? 0),
    count('Current', ({ status }) => status?.replicas ?? 0),
    count('Ready', ({ status }) => status?.readyReplicas ?? 0),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  daemonsets: [
    count('Desired', ({ status }) => status?.desiredNumberScheduled ?? 0),
    count('Current', ({ status }) => status?.currentNumberScheduled ?? 0),
    count('Ready', ({ status }) => status?.numberReady ?? 0),
    count('Up-to-date', ({ status }) => status?.updatedNumberScheduled ?? 0),
    count('Available', ({ status }) => status?.numberAvailable ?? 0),
    column('Node Selector', ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector)),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  poddisruptionbudgets: [
    column('Min Available', ({ spec }) => String(spec?.minAvailable ?? 'N/A')),
    column('Max Unavailable', ({ spec }) => String(spec?.maxUnavailable ?? 'N/A')),
    count('Allowed Disruptions', ({ status }) => status?.disruptionsAllowed ?? 0),
    AGE,
  ],
  services: [
    column('Type', ({ spec }) => spec?.type ?? 'ClusterIP'),
    column('Cluster-IP', ({ spec }) => spec?.clusterIP ?? NONE),
    column('External-IP', () => NONE),
    column('Port(s)', ({ spec }) => portsText(spec?.ports)),
    AGE,
    wide('Selector', ({ spec }) => labelsText(spec?.selector)),
  ],
  events: [
    column('Last Seen', ({ lastTimestamp, metadata }, now) => ageOf(lastTimestamp ?? metadata.creationTimestamp, now)),
    column('Type', ({ type }) => type ?? ''),
    column('Reason', ({ reason }) => reason ?? ''),
    column('Object', ({ involvedObject }) => `${String(involvedObject?.kind ?? '').toLowerCase()}/${involvedObject?.name ?? ''}`),
    column('Message', ({ message }) => String(message ?? '').trim()),
  ],
  nodepools: [
    column('NodeClass', ({ spec }) => spec?.template?.spec?.nodeClassRef?.name ?? ''),
    column('Nodes', ({ status }) => String(status?.nodes ?? status?.resources?.nodes ?? '0')),
    condition('Ready', 'Ready'),
    AGE,
  ],
  nodeclaims: [
    column('Type', ({ metadata }) => metadata.labels?.['node.kubernetes.io/instance-type'] ?? ''),
    column('Node', ({ status }) => status?.nodeName ?? ''),
    condition('Ready', 'Ready'),
    AGE,
  ],
};

interface ContainerStatus {
  ready?: boolean;
  restartCount?: number;
  state?: { waiting?: { reason?: string }; terminated?: { reason?: string; exitCode?: number; signal?: number } };
}

function statusesOf(pod: KubeObject): ContainerStatus[] {
  return pod.status?.containerStatuses ?? [];
}

/** The word that people look for first: CrashLoopBackOff, Terminating, Completed. */
function podStatus(pod: KubeObject): string {
  if (isTerminating(pod)) return pod.status?.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
  const gated = conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated' ? 'SchedulingGated' : undefined;
  let word: string = gated ?? pod.status?.reason ?? pod.status?.phase ?? '';
  for (const { state = {} } of statusesOf(pod).toReversed()) {
    const { waiting, terminated } = state;
    if (waiting?.reason) word = waiting.reason;
    else if (terminated)
      word = terminated.reason ?? (terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`);
  }
  return word;
}

function nodeStatus(node: KubeObject): string {
  const ready = conditionOf(node, 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const ROLE = 'node-role.kubernetes.io/';

function nodeRoles({ metadata: { labels = {} } }: KubeObject): string {
  const roles = Object.entries(labels).flatMap(([key, value]) =>
    key.startsWith(ROLE) ? [key.slice(ROLE.length)] : key === 'kubernetes.io/role' ? [value] : [],
  );
  return (
    roles
      .filter((role) => role !== '')
      .sort()
      .join(',') || NONE
  );
}

function nodeAddress(node: KubeObject, type: string): string {
  const addresses: { type: string; address: string }[] = node.status?.addresses ?? [];
  return addresses.find((each) => each.type === type)?.address ?? NONE;
}

function labelsText(labels: Record<string, string> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(',') || NONE;
}

function portsText(ports: { port: number; nodePort?: number; protocol?: string }[] | undefined): string {
  const texts = (ports ?? []).map(({ port, nodePort, protocol = 'TCP' }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`);
  return texts.join(',') || NONE;
}

/** "45s", "12m", "3h20m", "8d": k8s.io/apimachinery/pkg/util/duration. */
export function ageOf(created: string | undefined, now: Date): string {
  if (!created) return UNKNOWN;
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(created)) / 1000));
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  const both = (whole: number, unit: string, rest: number, restUnit: string) => `${whole}${unit}${rest === 0 ? '' : `${rest}${restUnit}`}`;
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return both(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return both(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  return `${Math.floor(days / 365)}y`;
}
