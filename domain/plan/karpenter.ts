/** Decides whether Karpenter has to change before a hop, and to what. */
import type { ComponentVersion } from '../component-version.ts';
import { karpenterSupport, type KarpenterChoice, preferredKarpenter } from '../tables/karpenter.ts';
import type { Hop } from './hops.ts';

/**
 * The Karpenter to change to before this hop's control plane moves; undefined when the running one supports both minors, is unknown to the
 * table, or when there is none to change to (the rule karpenter-supports-both-minors then refuses the plan).
 */
export function karpenterChange(hop: Hop, installed: ComponentVersion): KarpenterChoice | undefined {
  const fits = [hop.from, hop.to].every((minor) => karpenterSupport(installed, minor) !== 'unsupported');
  return fits ? undefined : preferredKarpenter(hop.ahead, installed);
}
