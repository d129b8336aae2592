/** What instances a cluster that was loaded has: their sizes, labels and zones, for those that are launched beside them. */
import type { Ami } from '../aws/eks/nodes/ami.ts';
import { holds } from '../kubernetes/selectors.ts';
import type { KubeObject } from '../kubernetes/store.ts';
import type { MachineKind, World } from '../world/world.ts';

export const ZONE = 'topology.kubernetes.io/zone';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';

/** An instance to be launched. */
export interface Machine {
  kind: MachineKind;
  zone: string;
  capacityType: string;
}

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

export const requirementsOf = (pool: KubeObject): Requirement[] => pool.spec.template.spec.requirements ?? [];

/** Labels that a kind's node has whatever its owner. */
export const labelsOf = ({ kind, zone, capacityType }: Machine): Record<string, string> => ({
  ...kind.labels,
  [ZONE]: zone,
  [CAPACITY_TYPE]: capacityType,
});

/** Labels of a pool's nodes beside those of their kind: its template's, and requirements that leave one value (Karpenter, NodePools: spec.template.spec.requirements). */
export function poolLabels(pool: KubeObject): Record<string, string> {
  const single = requirementsOf(pool).filter(({ operator, values }) => operator === 'In' && values?.length === 1);
  return {
    ...Object.fromEntries(single.map(({ key, values }) => [key, values?.[0] ?? ''])),
    ...pool.spec.template.metadata?.labels,
    'karpenter.sh/nodepool': pool.metadata.name,
  };
}

/** Those of the loaded cluster that the pool may launch, its own first and the smallest of them first. None: the cluster was not loaded, or has none that fits. */
export function machinesFor(world: World, pool: KubeObject): Machine[] {
  const { machines } = world;
  if (machines === undefined) return [];
  const own = machines.pools[pool.metadata.name] ?? [];
  const kinds = [...own, ...machines.kinds.filter((kind) => !own.includes(kind))];
  const requirements = requirementsOf(pool);
  const wantsSpot = requirements.some(({ key, values }) => key === CAPACITY_TYPE && values?.includes('spot') === true);
  // Where both are allowed Karpenter asks for Spot (karpenter.sh, NodePools: capacity type).
  const capacityType = wantsSpot ? 'spot' : 'on-demand';
  return kinds.flatMap((kind) =>
    machines.zones
      .map((zone) => ({ kind, zone, capacityType }))
      .filter((machine) => requirements.every((requirement) => isMet(requirement, { ...poolLabels(pool), ...labelsOf(machine) }))),
  );
}

/** What a recorded node has no label for is not held against it: older releases of Karpenter set fewer. */
const isMet = (requirement: Requirement, labels: Record<string, string>): boolean =>
  labels[requirement.key] === undefined || holds(requirement, labels);

/** The same instance once more: that of a node which is replaced. */
export function machineOf(world: World, node: KubeObject): Machine | undefined {
  const kind = world.machines?.kinds.find(({ labels }) => labels[INSTANCE_TYPE] === node.metadata.labels?.[INSTANCE_TYPE]);
  if (kind === undefined) return undefined;
  return {
    kind,
    zone: node.metadata.labels?.[ZONE] ?? world.machines?.zones[0] ?? '',
    capacityType: node.metadata.labels?.[CAPACITY_TYPE] ?? 'on-demand',
  };
}

/** For another node beside those that an owner has: of their kind, in that of their zones which has the fewest. */
export function machineBeside(world: World, nodes: readonly KubeObject[], kind: MachineKind | undefined): Machine | undefined {
  const { machines } = world;
  if (machines === undefined || kind === undefined) return undefined;
  const used = nodes.map(({ metadata }) => metadata.labels?.[ZONE] ?? '');
  const zones = [...new Set(used)].filter((zone) => zone !== '');
  const count = (zone: string): number => used.filter((each) => each === zone).length;
  const [zone = ''] = (zones.length > 0 ? zones : machines.zones).toSorted((a, b) => count(a) - count(b) || (a < b ? -1 : 1));
  return { kind, zone, capacityType: 'on-demand' };
}

export const archOf = ({ kind }: Machine): Ami['arch'] => (kind.labels['kubernetes.io/arch'] === 'arm64' ? 'arm64' : 'x86_64');
