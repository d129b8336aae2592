/** New nodes for pods that the scheduler cannot place. */
import { conditionOf, isTerminating } from '../../kubernetes/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { isTrue } from '../conditions.ts';
import { recordEvent } from './events.ts';
import { launchClaim, poolOf } from './claims.ts';

/** One node per pool at a time: pods that fit on it need no second one. */
export function provision(world: World, replacements: ReadonlySet<string>): void {
  const pending = world.store.list('pods').filter((pod) => {
    const scheduled = conditionOf(pod, 'PodScheduled');
    return !pod.spec?.nodeName && !isTerminating(pod) && scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
  });
  if (pending.length === 0) return;
  const coming = new Set(
    world.store
      .list('nodeclaims')
      .filter((c) => !isTrue(c, 'Initialized') && !isTerminating(c) && !replacements.has(c.metadata.name))
      .map(poolOf),
  );
  for (const pod of pending) {
    const pool = world.store.list('nodepools').find((p) => isTrue(p, 'Ready') && fits(p, pod));
    if (pool === undefined || coming.has(pool.metadata.name)) continue;
    const claim = launchClaim(world, pool);
    if (claim === undefined) continue;
    coming.add(pool.metadata.name);
    recordEvent(world, pod, 'Normal', 'Nominated', `Pod should schedule on: nodeclaim/${claim.metadata.name}`);
    world.journal.tell(`Karpenter launches ${claim.metadata.name} for pod ${pod.metadata.namespace}/${pod.metadata.name}`);
  }
}

function fits(pool: KubeObject, pod: KubeObject): boolean {
  const labels: Record<string, string> = {
    ...pool.spec.template.metadata?.labels,
    'karpenter.sh/nodepool': pool.metadata.name,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
  };
  return Object.entries(pod.spec?.nodeSelector ?? {}).every(
    ([key, value]) => labels[key] === value || key.startsWith('topology.kubernetes.io/'),
  );
}
