/** Decides whether Karpenter has to change before a hop, to what, and how. */
import type { ComponentVersion } from '../../core/component-version.ts';
import type { KarpenterFact } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { karpenterSupport, type KarpenterChoice, preferredKarpenter } from '../../tables/karpenter.ts';
import type { Hop } from '../model/hops.ts';
import type { Delivery } from '../model/changes.ts';

/**
 * The Karpenter to change to before this hop's control plane moves; undefined when the running one supports both minors, is unknown to the
 * table, or when there is none to change to (the rule karpenter-supports-both-minors then refuses the plan).
 */
export function karpenterChange(hop: Hop, installed: ComponentVersion): KarpenterChoice | undefined {
  const fits = [hop.from, hop.to].every((minor) => karpenterSupport(installed, minor) !== 'unsupported');
  return fits ? undefined : preferredKarpenter(hop.ahead, installed);
}

/**
 * How Belay itself makes the change; undefined where it asks for it: Terraform and people do it, or nothing in the cluster delivers the
 * controller's chart in the way that belay.yaml says.
 */
export function karpenterDelivery({ deliveredCharts = [] }: KarpenterFact, { managedBy }: UpgradePolicy): Delivery | undefined {
  if (managedBy.karpenter === 'helm') return { kind: 'helm' };
  const kind = managedBy.karpenter === 'flux' ? 'HelmRelease' : managedBy.karpenter === 'argocd' ? 'Application' : undefined;
  const charts = deliveredCharts.filter((each) => each.kind === kind);
  return charts.some(({ chart }) => chart === 'karpenter') ? { kind: 'gitops', charts } : undefined;
}

/** Nobody else has a part in the change: it is made at a moment that Belay chooses. */
export function isOwnChange(delivery: Delivery | undefined): boolean {
  return delivery !== undefined && (delivery.kind === 'helm' || delivery.charts.every(({ owner }) => owner === undefined));
}
