/** What a hold by ids does to nodes that are not there yet: NodePools may launch other architectures, and instances whose images are a variant. */
import { matchesExpression } from '../../../domain/core/label-selectors.ts';
import type { NodeClass, NodePool, Requirement } from '../../clients/kubernetes/objects.ts';

const ARCH = 'kubernetes.io/arch';
const CATEGORY = 'karpenter.k8s.aws/instance-category';
const FAMILY = 'karpenter.k8s.aws/instance-family';
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';

interface Accelerator {
  /** Karpenter's label of such instances, by which it chooses among the images of an alias (karpenter-provider-aws, amifamily/types.go). */
  count: string;
  /** All labels that only such instances have begin so. */
  labels: string;
  /** Their instance categories: the letters that their types begin with. */
  categories: ReadonlySet<string>;
}

const ACCELERATORS: readonly Accelerator[] = [
  {
    count: 'karpenter.k8s.aws/instance-gpu-count',
    labels: 'karpenter.k8s.aws/instance-gpu-',
    categories: new Set(['g', 'gr', 'p', 'dl']),
  },
  {
    count: 'karpenter.k8s.aws/instance-accelerator-count',
    labels: 'karpenter.k8s.aws/instance-accelerator-',
    categories: new Set(['inf', 'trn']),
  },
];

/** Does a node with these labels boot a variant? */
export const isAccelerated = (labels: Readonly<Record<string, string>>): boolean =>
  ACCELERATORS.some(({ count }) => labels[count] !== undefined);

export interface OtherImages {
  /** Standard images of architectures that have no node, for pools that may launch one. */
  ids: string[];
  /** A pool that names accelerators in its requirements and would get an image without their drivers, or none. */
  acceleratedPool?: string;
  /** Pools that do not exclude accelerators: where a pod asks for them, its node gets an image without their drivers. */
  openPools: string[];
}

/**
 * By id Karpenter tells images apart by architecture alone. `running`: what is pinned for the architectures that have nodes; `variant`: all of these
 * are accelerated. `pools`: those of the class. A pool that names no accelerators launches none for other pods (Karpenter prefers instances
 * without), so it is no reason to refuse.
 */
export function otherImages(
  { status }: NodeClass,
  pools: readonly NodePool[],
  running: ReadonlyMap<string, 'standard' | 'variant'>,
): OtherImages {
  const amis = (status?.amis ?? []).flatMap(({ id, requirements = [] }) => (id === undefined ? [] : [{ id, requirements }]));
  const isFor = (count: string) => (ami: { requirements: Requirement[] }) =>
    ami.requirements.some(({ key, operator }) => key === count && operator === 'Exists');
  const archOf = ({ requirements }: { requirements: Requirement[] }): string | undefined =>
    requirements.find(({ key }) => key === ARCH)?.values?.[0];
  const standard = amis.filter((ami) => !ACCELERATORS.some(({ count }) => isFor(count)(ami)));
  const ordinary = pools.filter((pool) => !ACCELERATORS.some((accelerator) => reachOf(pool, accelerator) === 'named'));
  const added = new Map<string, string>();
  for (const ami of standard) {
    const arch = archOf(ami);
    if (arch !== undefined && !running.has(arch) && !added.has(arch) && ordinary.some((pool) => mayHave(pool, arch)))
      added.set(arch, ami.id);
  }
  const pinned = new Map([...[...added.keys()].map((arch) => [arch, 'standard'] as const), ...running]);
  const openPools = new Set<string>();
  for (const accelerator of ACCELERATORS) {
    // Bottlerocket's standard image serves Neuron as well, and Windows has no variants.
    const special = amis.filter((ami) => isFor(accelerator.count)(ami) && !standard.some(({ id }) => id === ami.id));
    for (const pool of pools) {
      const { name } = pool.metadata;
      const archs = special.flatMap((ami) => archOf(ami) ?? []).filter((arch) => mayHave(pool, arch));
      const wrong = archs.some((arch) => pinned.get(arch) === 'standard');
      const reach = reachOf(pool, accelerator);
      if (reach === 'open' && wrong) openPools.add(name);
      const none = archs.length > 0 && !archs.some((arch) => pinned.has(arch));
      if (reach === 'named' && (wrong || none)) return { ids: [...added.values()], acceleratedPool: name, openPools: [] };
    }
  }
  return { ids: [...added.values()], openPools: [...openPools] };
}

/** Requirements of a pool and labels of its template, which Karpenter takes for requirements. */
function requirementsOf({ spec }: NodePool): Requirement[] {
  const { requirements = [] } = spec?.template?.spec ?? {};
  const labels = Object.entries(spec?.template?.metadata?.labels ?? {});
  return [...requirements, ...labels.map(([key, value]) => ({ key, operator: 'In', values: [value] }))];
}

const mayHave = (pool: NodePool, arch: string): boolean =>
  requirementsOf(pool).every((requirement) => requirement.key !== ARCH || matchesExpression(requirement, { [ARCH]: arch }));

/** May the pool launch such instances? `named`: its requirements say so. `open`: they do not speak of it. */
function reachOf(pool: NodePool, { labels, categories }: Accelerator): 'named' | 'open' | 'excluded' {
  const says = requirementsOf(pool).map(({ key, operator, values = [] }): 'named' | 'open' | 'excluded' => {
    if (key.startsWith(labels)) return operator === 'DoesNotExist' ? 'excluded' : operator === 'NotIn' ? 'open' : 'named';
    if (![CATEGORY, FAMILY, INSTANCE_TYPE].includes(key)) return 'open';
    const named = new Set(values.map((value) => /^[a-z]+/.exec(value)?.[0] ?? ''));
    if (operator === 'In') return [...named].some((category) => categories.has(category)) ? 'named' : 'excluded';
    // Families and types are too many for anybody to exclude them all.
    return operator === 'NotIn' && key === CATEGORY && ['g', 'p', 'inf', 'trn'].every((one) => named.has(one) || !categories.has(one))
      ? 'excluded'
      : 'open';
  });
  return says.includes('excluded') ? 'excluded' : says.includes('named') ? 'named' : 'open';
}
