/**
 * What a NodePool may still launch (sigs.k8s.io/karpenter pkg/apis/v1/nodepool.go: ExceededBy; pkg/controllers/provisioning/scheduling/scheduler.go:
 * filterByRemainingResources): nothing while its use is beyond a limit, and no instance that would take it there. The node that a replacement is
 * for does not count where the replacement is chosen, so a full pool goes beyond its limit by one replacement at a time.
 */
import { parseQuantity } from '../../../kubernetes/quantity.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';
import type { MachineKind, World } from '../../../world/world.ts';

type Amounts = Record<string, number>;

/** Capacity of its nodes, those that are coming or going included; `but`: without these claims. */
function usedBy(world: World, pool: KubeObject, but?: ReadonlySet<string>): Amounts {
  const claims = world.store.list('nodeclaims', { labels: { 'karpenter.sh/nodepool': pool.metadata.name } });
  const used: Amounts = { nodes: 0 };
  for (const claim of claims) {
    if (but?.has(claim.metadata.name) === true) continue;
    const node = world.store.get('nodes', String(claim.status?.nodeName ?? ''));
    add(used, node?.status?.capacity ?? claim.status?.capacity);
  }
  return used;
}

export function add(amounts: Amounts, capacity: Record<string, string> | undefined): void {
  amounts['nodes'] = (amounts['nodes'] ?? 0) + 1;
  for (const [name, amount] of Object.entries(capacity ?? {})) amounts[name] = (amounts[name] ?? 0) + (parseQuantity(amount) ?? 0);
}

/** What is left of each limited resource. */
export function leftOf(world: World, pool: KubeObject, but?: ReadonlySet<string>): Amounts {
  const limits = Object.entries<string>(pool.spec.limits ?? {});
  if (limits.length === 0) return {};
  const used = usedBy(world, pool, but);
  return Object.fromEntries(limits.map(([name, limit]) => [name, (parseQuantity(limit) ?? Number.POSITIVE_INFINITY) - (used[name] ?? 0)]));
}

/** May an instance of this kind come, as far as limits go? */
export const isWithin = (left: Amounts, { capacity }: Pick<MachineKind, 'capacity'>): boolean =>
  Object.entries(left).every(([name, amount]) => (name === 'nodes' ? 1 : (parseQuantity(capacity[name]) ?? 0)) <= amount + 1e-9);

/** Why a replacement cannot be launched; undefined: it can. */
export function exceeded(world: World, pool: KubeObject): string | undefined {
  const over = Object.entries(leftOf(world, pool)).find(([, left]) => left < -1e-9);
  return over === undefined ? undefined : `${over[0]} of NodePool ${pool.metadata.name} is beyond its limit`;
}
