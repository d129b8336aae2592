/** Pods that are being removed and do not go: their grace period is over. */
import { agree, someOf } from '../../../domain/core/text.ts';
import { isTrue, nameOf, type Pod } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { nowOf } from '../objects/server-time.ts';

/** Kubernetes sets the time at which a pod is to be gone when it begins to remove it: the grace period is part of it. */
export function isOverdue(kubernetes: Pick<KubernetesPort, 'serverDate'>, { metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < nowOf(kubernetes);
}

/** Why it stays, as far as it can be seen, and how to end it. */
export function whyNotGone(node: Parameters<typeof isTrue>[0], pod: Pod): string {
  const { finalizers = [], name, namespace = '' } = pod.metadata;
  const why = [
    ...(finalizers.length === 0 ? [] : [`it still has ${agree(finalizers.length, 'finalizer', 'finalizers')} ${someOf(finalizers)}`]),
    ...(isTrue(node, 'Ready')
      ? []
      : [
          `its node is not Ready, so no kubelet confirms its end. If it no longer runs: kubectl delete pod ${name} --namespace ${namespace} --force`,
        ]),
  ];
  return `pod ${nameOf(pod)} is being removed and does not go${why.length === 0 ? '' : `: ${why.join('; ')}`}`;
}
