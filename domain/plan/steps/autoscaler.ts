/** The Cluster Autoscaler while groups are moved: whether it is paused, and how that is said. */
import { type AutoscalerFact, type ClusterFacts, eachAutoscaler } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { count } from '../../core/text.ts';

/** undefined: there is none, or belay.yaml leaves it alone. It removes the surge nodes of an update (EKS user guide, "Managed node group update"). */
export function autoscalerToPause(facts: ClusterFacts, policy: UpgradePolicy): AutoscalerFact | undefined {
  return policy.nodeGroups.clusterAutoscaler === 'pause' ? facts.clusterAutoscaler : undefined;
}

/** Sentences with a space before them, for a gate. */
export function pauseWords(autoscaler: AutoscalerFact | undefined): string {
  return autoscaler === undefined ? '' : eachAutoscaler(autoscaler).map(wordsOf).join('');
}

function wordsOf({ namespace, name, replicas, deliveredBy }: AutoscalerFact): string {
  const which = `Cluster Autoscaler ${namespace}/${name}`;
  return deliveredBy === undefined
    ? ` Meanwhile ${which} is scaled to 0, and back to ${count(replicas, 'replica')} afterwards.`
    : ` Before it you are asked to scale ${which} to 0 through ${deliveredBy}, which would undo it otherwise, and back afterwards.`;
}
