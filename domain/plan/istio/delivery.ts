/** How Istio's charts come to the cluster where GitOps delivers them. */
import type { DeliveredChart, IstioFact } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import type { GitOpsDelivery } from '../model/changes.ts';

/** undefined: Helm does it, or the change is asked for, since nothing in the cluster delivers istiod's chart in the way that belay.yaml says. */
export function istioDelivery(istio: IstioFact | undefined, { managedBy }: Pick<UpgradePolicy, 'managedBy'>): GitOpsDelivery | undefined {
  const kind = managedBy.istio === 'flux' ? 'HelmRelease' : managedBy.istio === 'argocd' ? 'Application' : undefined;
  const charts = (istio?.deliveredCharts ?? []).filter((each) => each.kind === kind);
  return kind !== undefined && charts.some(({ chart }) => chart === 'istiod') ? { kind, charts } : undefined;
}

/** In the plan people see whose hand it is. */
export function istioDeliveryWords({ charts }: GitOpsDelivery): string {
  const shown = (each: readonly DeliveredChart[]): string =>
    each.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join(', ');
  const own = charts.filter(({ owner }) => owner === undefined);
  const kept = charts.filter(({ owner }) => owner !== undefined);
  const made =
    own.length === 0
      ? ''
      : ` Belay changes ${shown(own)}, makes a copy of what delivers istiod for each new revision, and removes the old one behind a gate.`;
  return kept.length === 0
    ? made
    : `${made} ${shown(kept)}: kept as in Git by ${[...new Set(kept.map(({ owner }) => owner))].join(', ')}, so Belay asks for the merges.`;
}
