/** Cuts the way from one minor to another into hops of one minor. */
import type { KubernetesVersion } from '../../core/version.ts';
import { minorDistance, minorsBetween } from '../../core/version.ts';
import type { NodeStrategy } from '../../policy/policy.ts';

export interface Hop {
  from: KubernetesVersion;
  to: KubernetesVersion;
  /** Every minor from this hop's start to the end of the upgrade. */
  ahead: KubernetesVersion[];
  first: boolean;
  last: boolean;
  /** Nodes are replaced, and add-ons brought to the target's versions, in this hop. */
  rollsNodes: boolean;
}

/** Hops from `from` to `target`; empty unless the target is newer. */
export function hopsBetween(from: KubernetesVersion, target: KubernetesVersion, strategy: NodeStrategy): Hop[] {
  return minorsBetween(from, target)
    .slice(1)
    .map((to) => {
      const start = { major: to.major, minor: to.minor - 1 };
      const last = minorDistance(to, target) === 0;
      return {
        from: start,
        to,
        ahead: minorsBetween(start, target),
        first: minorDistance(from, start) === 0,
        last,
        rollsNodes: last || strategy === 'every-hop',
      };
    });
}
