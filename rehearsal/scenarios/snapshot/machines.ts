/** The kinds of instances that a recorded cluster has, by whom they are used. */
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import { parseQuantity } from '../../kubernetes/quantity.ts';
import type { MachineKind, Machines } from '../../world/world.ts';
import { map, record, text } from './aws/calls.ts';

const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
const ZONE = 'topology.kubernetes.io/zone';
/** Labels that belong to the kind and not to the node. */
const OF_KIND =
  /^(node\.kubernetes\.io\/instance-type|beta\.kubernetes\.io\/instance-type|kubernetes\.io\/(arch|os)|karpenter\.k8s\.aws\/instance-.+)$/;

/** `zones`: of subnets, where no node says one. */
export function machinesOf(snapshot: Snapshot, zones: readonly string[]): Machines {
  const nodes = objectsOf(snapshot, 'v1', 'nodes') ?? [];
  const kinds = new Map<string, MachineKind>();
  const pools = new Map<string, Map<MachineKind, number>>();
  const groups = new Map<string, Map<MachineKind, number>>();
  for (const node of nodes) {
    const labels = node.metadata.labels ?? {};
    const kind = kindOf(node);
    if (kind === undefined) continue;
    const type = labels[INSTANCE_TYPE] ?? '';
    const known = kinds.get(type) ?? kind;
    kinds.set(type, known);
    count(pools, labels['karpenter.sh/nodepool'], known);
    count(groups, labels['eks.amazonaws.com/nodegroup'], known);
  }
  const own = [...new Set(nodes.flatMap(({ metadata }) => metadata.labels?.[ZONE] ?? []))];
  return {
    kinds: [...kinds.values()].toSorted(bySize),
    pools: mostUsed(pools),
    groups: mostUsed(groups),
    zones: (own.length > 0 ? own : [...new Set(zones)]).toSorted(),
  };
}

function kindOf(node: SnapshotKubeObject): MachineKind | undefined {
  const labels = node.metadata.labels ?? {};
  const status = record(node['status']);
  if (labels[INSTANCE_TYPE] === undefined || !(text(record(node['spec'])['providerID']) ?? 'aws:///').startsWith('aws:///'))
    return undefined;
  return {
    labels: Object.fromEntries(Object.entries(labels).filter(([key]) => OF_KIND.test(key))),
    capacity: map(status['capacity']),
    allocatable: map(status['allocatable']),
  };
}

function count(owners: Map<string, Map<MachineKind, number>>, owner: string | undefined, kind: MachineKind): void {
  if (owner === undefined) return;
  const kinds = owners.get(owner) ?? new Map<MachineKind, number>();
  owners.set(owner, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
}

const mostUsed = (owners: Map<string, Map<MachineKind, number>>): Record<string, MachineKind[]> =>
  Object.fromEntries(
    [...owners].map(([owner, kinds]) => [owner, [...kinds].toSorted(([, a], [, b]) => b - a).map(([kind]) => kind)] as const),
  );

const amount = ({ capacity }: MachineKind, name: string): number => parseQuantity(capacity[name]) ?? 0;
const bySize = (a: MachineKind, b: MachineKind): number => amount(a, 'cpu') - amount(b, 'cpu') || amount(a, 'memory') - amount(b, 'memory');
