/** Is the cluster as the scenario expects it to be after a completed upgrade? */
import { kubeletMinor } from '../controllers/nodes.ts';
import { unmetByKarpenter } from '../controllers/karpenter/migration/migrated.ts';
import { stableJson } from '../kubernetes/json.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { World } from './world.ts';

/** One sentence for each expectation that is not met. */
export function unmetExpectations(world: World, { expectations }: Scenario): string[] {
  const { eks, store } = world;
  const unmet: string[] = [];
  if (eks.cluster.version !== expectations.controlPlane)
    unmet.push(`the control plane is at ${eks.cluster.version}, not ${expectations.controlPlane}`);
  const { kubelets } = expectations;
  const behind = kubelets === undefined ? [] : store.list('nodes').filter((n) => kubeletMinor(n) !== kubelets);
  if (behind.length > 0) unmet.push(`nodes that are not at ${kubelets}: ${behind.length}, the first is ${behind[0]?.metadata.name}`);
  for (const group of eks.nodeGroups)
    if (kubelets !== undefined && group.version !== kubelets) unmet.push(`node group ${group.name} is at ${group.version}`);
  for (const addOn of eks.addOns) {
    const offered = eks.addOnCatalogue[addOn.name]?.find((v) => v.version === addOn.version);
    if (offered?.minors.includes(expectations.controlPlane) !== true)
      unmet.push(`add-on ${addOn.name} ${addOn.version} does not support ${expectations.controlPlane}`);
  }
  for (const [name, terms] of Object.entries(expectations.amiSelectors ?? {})) {
    const chosen = stableJson(store.get('ec2nodeclasses', name)?.spec?.amiSelectorTerms ?? null);
    if (chosen !== stableJson(terms)) unmet.push(`EC2NodeClass ${name} chooses ${chosen}, not ${stableJson(terms)}`);
  }
  for (const [pool, nodeClass] of Object.entries(expectations.nodeClasses ?? {})) {
    const claims = store.list('nodeclaims', { labels: { 'karpenter.sh/nodepool': pool } });
    const others = claims.filter(({ spec }) => spec.nodeClassRef.name !== nodeClass);
    if (claims.length === 0 || others.length > 0)
      unmet.push(`${others.length} of ${claims.length} nodes of NodePool ${pool} are not of EC2NodeClass ${nodeClass}`);
  }
  if (expectations.karpenter !== undefined) unmet.push(...unmetByKarpenter(world, expectations.karpenter));
  const old = expectations.istioRevisionGone;
  if (old !== undefined) {
    if (store.list('deployments', { labels: { app: 'istiod', 'istio.io/rev': old } }).length > 0)
      unmet.push(`Istio revision ${old} is still installed`);
    const revisions = new Set(
      (expectations.meshNamespaces ?? []).flatMap((namespace) =>
        store.list('pods', { namespace }).map((p) => p.metadata.annotations?.['istio.io/rev'] ?? 'none'),
      ),
    );
    if (revisions.size !== 1 || revisions.has(old) || revisions.has('none'))
      unmet.push(`meshed pods run revisions ${[...revisions].join(', ')}`);
  }
  return unmet;
}
