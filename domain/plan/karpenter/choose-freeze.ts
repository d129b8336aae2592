/** Chooses by which means drift is frozen on each pool, and says why. */
import type { Deliverer } from '../../facts/facts.ts';
import type { FreezeMeans } from '../../policy/freeze-means.ts';
import { KEEPERS, keeper } from '../../facts/owners.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { duration, someOf } from '../../core/text.ts';

const DAY_MS = 24 * 60 * 60_000;

/** A pool whose budgets may be edited. */
export interface FreezablePool {
  name: string;
  deliveredBy?: Deliverer;
  frozenBy?: string;
}

/** Who puts an edit of the pool back: at once, or with the next apply. undefined: nobody. */
export function keeperOf({ deliveredBy }: FreezablePool): string | undefined {
  const by = keeper(deliveredBy);
  return by === undefined ? undefined : KEEPERS[by];
}

/** undefined: by budgets alone. */
export function freezeMeans(pools: readonly FreezablePool[], { karpenter, timing }: UpgradePolicy): FreezeMeans | undefined {
  const { freezeBy = 'auto' } = karpenter;
  if (freezeBy === 'self-expiring') return { usual: 'self-expiring', lastsMs: timing.freezeExpiryMs ?? DAY_MS };
  if (freezeBy === 'node-annotation') return { usual: 'node-annotation' };
  const kept = freezeBy === 'auto' ? pools.filter((pool) => keeperOf(pool) !== undefined).map(({ name }) => name) : [];
  return kept.length === 0 ? undefined : { usual: 'budget', byNode: kept };
}

/** One or two sentences for the step: " By a budget entry, …". */
export function meansText(pools: readonly FreezablePool[], means: FreezeMeans | undefined): string {
  if (means === undefined) return '';
  if (means.usual === 'self-expiring') {
    return ` By a budget entry that ends by itself after ${duration(means.lastsMs ?? DAY_MS)} unless Belay renews it, as belay.yaml says.`;
  }
  if (means.usual === 'node-annotation') return ` By karpenter.sh/do-not-disrupt on every node, as belay.yaml says.`;
  const kept = pools.filter(({ name }) => means.byNode?.includes(name) === true);
  const owners = [...new Set(kept.flatMap((pool) => keeperOf(pool) ?? []))].join(' and ');
  return ` ${owners} would put a changed budget of ${someOf(kept.map(({ name }) => name))} back, so their nodes are held by karpenter.sh/do-not-disrupt instead, new ones included; nodes are let go by Belay as the pace says.`;
}
