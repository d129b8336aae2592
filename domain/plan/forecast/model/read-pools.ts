/** NodePools and node groups of a snapshot: how many nodes may be away at a time, and what the next node may be. */
import { parseDurationMs } from '../../../core/parse-duration.ts';
import { isRecord } from '../../../core/unknown.ts';
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import { allowedNodes } from '../../../policy/freeze-means.ts';
import type { ClusterNode, Group, Pool, Shape } from './cluster.ts';
import { conditionOf, type NodeObject, type PoolObject, read } from './objects.ts';
import { CPU, MEMORY, PODS, quantity } from './resources.ts';
import { groupName, isPlausible, ownerOf } from './read-nodes.ts';
import { ZONE } from './selectors.ts';

/** Where the field is absent, by the NodePool's CRD. */
const DEFAULT_BUDGETS = [{ nodes: '10%' }];

export const poolObjects = (snapshot: Snapshot): PoolObject[] =>
  read<PoolObject>(snapshot, 'karpenter.sh/v1', 'nodepools') ?? read<PoolObject>(snapshot, 'karpenter.sh/v1beta1', 'nodepools') ?? [];

export function readPools(
  objects: readonly PoolObject[],
  nodes: readonly ClusterNode[],
  zones: readonly string[],
  starts: ReadonlyMap<string, number[]>,
): Pool[] {
  return objects.map(({ metadata: { name }, spec }, index) => {
    const own = nodes.filter(({ pool }) => pool === index);
    const wanted = spec?.template?.spec?.requirements?.find(({ key, operator }) => key === ZONE && operator === 'In')?.values;
    const known = wanted?.map((zone) => zones.indexOf(zone)).filter((zone) => zone >= 0) ?? zones.map((_, zone) => zone);
    const grace = spec?.template?.spec?.terminationGracePeriod;
    return {
      name,
      auto: own.some(({ owner }) => owner === 'auto-mode'),
      budgets: spec?.disruption?.budgets ?? DEFAULT_BUDGETS,
      weight: spec?.weight ?? 0,
      limits: (['cpu', 'memory', 'nodes'] as const).flatMap((resource) => {
        const text = spec?.limits?.[resource];
        return text === undefined ? [] : [{ resource, most: quantity(text) * (resource === 'cpu' ? 1_000 : 1) }];
      }),
      zones: known.length > 0 ? known : [0],
      shapes: shapesOf(own),
      terminationGraceMs: grace === undefined ? undefined : parseDurationMs(grace),
      starts: starts.get(name) ?? [],
      nodeCount: own.length,
    };
  });
}

/** One for each instance type, the smallest first: prices are not known, and rise with size. DaemonSets take the most that they take on any of them. */
function shapesOf(nodes: readonly ClusterNode[]): Shape[] {
  const byType = new Map<string, Shape>();
  for (const { type, vcpus, room, labels, taints, addresses } of nodes) {
    const known = byType.get(type);
    if (known === undefined) byType.set(type, { type, vcpus, room: room.slice(), labels, taints, addresses });
    else for (const [index, value] of room.entries()) known.room[index] = Math.min(known.room[index] ?? value, value);
  }
  const size = ({ room }: Shape): number => (room[CPU] ?? 0) / 1_000 + (room[MEMORY] ?? 0) / 2 ** 32 + (room[PODS] ?? 0) / 1e6;
  return [...byType.values()].toSorted((a, b) => size(a) - size(b));
}

/** Node groups as EKS describes them, and groups of one's own as far as nodes name them. */
export function readGroups(snapshot: Snapshot): { groups: Group[]; indexOf: Map<string, number> } {
  const described = new Map<string, Record<string, unknown>>();
  for (const { service, operation, output } of snapshot.calls) {
    const group = service === 'eks' && operation === 'DescribeNodegroup' ? output?.['nodegroup'] : undefined;
    if (isRecord(group) && typeof group['nodegroupName'] === 'string') described.set(group['nodegroupName'], group);
  }
  const groups: Group[] = [];
  const indexOf = new Map<string, number>();
  for (const node of read<NodeObject>(snapshot, 'v1', 'nodes') ?? []) {
    const labels = node.metadata.labels ?? {};
    const owner = ownerOf(labels);
    if (owner !== 'node-group' && owner !== 'self-managed') continue;
    const name = groupName(labels);
    const key = `${owner} ${name}`;
    const index = indexOf.get(key) ?? groups.push(groupOf(name, owner, owner === 'node-group' ? described.get(name) : undefined)) - 1;
    indexOf.set(key, index);
    // A Ready that came long after the Node is no boot.
    const ready = conditionOf(node, 'Ready');
    const ms = Date.parse(ready?.lastTransitionTime ?? '') - Date.parse(node.metadata.creationTimestamp ?? '');
    if (ready?.status === 'True' && isPlausible(ms, 10)) groups[index]?.starts.push(ms);
  }
  return { groups, indexOf };
}

function groupOf(name: string, owner: Group['owner'], described: Record<string, unknown> = {}): Group {
  const scaling = isRecord(described['scalingConfig']) ? described['scalingConfig'] : {};
  const update = isRecord(described['updateConfig']) ? described['updateConfig'] : {};
  const desired = Number(scaling['desiredSize'] ?? 0);
  const percentage = update['maxUnavailablePercentage'];
  // "The default value is one node", at most 100 (EKS user guide, "Understand each phase of node updates").
  const most = typeof percentage === 'number' ? allowedNodes(`${percentage}%`, desired) : Number(update['maxUnavailable'] ?? 1);
  return {
    name,
    owner,
    desired,
    maxUnavailable: Math.min(100, Math.max(1, most)),
    minimal: update['updateStrategy'] === 'MINIMAL',
    zones: [],
    shape: undefined,
    starts: [],
  };
}

/** What only its nodes tell. */
export function completeGroups(groups: readonly Group[], nodes: readonly ClusterNode[]): void {
  for (const [index, group] of groups.entries()) {
    const own = nodes.filter((node) => node.group === index);
    group.zones = [...new Set(own.map(({ zone }) => zone))].toSorted((a, b) => a - b);
    group.shape = shapesOf(own).at(-1);
    if (group.desired === 0) group.desired = own.length;
  }
}
