/** PodDisruptionBudgets of a snapshot, and which pods each covers. */
import { matches } from '../../../core/label-selectors.ts';
import { whyUncounted } from '../../../facts/disruption/uncounted-pods.ts';
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import { at, listIn } from './at.ts';
import type { Budget, ClusterPod, Workload } from './cluster.ts';
import { type BudgetObject, nameOf, type PodObject, read } from './objects.ts';
import { isScaled } from './read-workloads.ts';

export const readBudgetObjects = (snapshot: Snapshot): BudgetObject[] | undefined =>
  read<BudgetObject>(snapshot, 'policy/v1', 'poddisruptionbudgets');

export function readBudgets(
  objects: readonly BudgetObject[],
  { pods, podObjects, workloads }: { pods: ClusterPod[]; podObjects: readonly PodObject[]; workloads: readonly Workload[] },
): Budget[] {
  const byNamespace = new Map<string, number[]>();
  for (const [index, { namespace }] of pods.entries()) listIn(byNamespace, namespace).push(index);
  return objects.map(({ metadata: { namespace = '', name }, spec = {}, status }, index) => {
    const own = (byNamespace.get(namespace) ?? []).filter((pod) => matches(spec.selector, podObjects[pod]?.metadata.labels));
    const owners = new Set<number>();
    for (const pod of own) {
      at(pods, pod).budgets.push(index);
      owners.add(at(pods, pod).workload);
    }
    const covered = [...owners].map((owner) => at(workloads, owner));
    return {
      namespace,
      name,
      ...(spec.minAvailable === undefined ? {} : { minAvailable: spec.minAvailable }),
      ...(spec.maxUnavailable === undefined ? {} : { maxUnavailable: spec.maxUnavailable }),
      alwaysUnhealthy: spec.unhealthyPodEvictionPolicy === 'AlwaysAllow',
      pods: own,
      // Pods without a controller count for nothing here (pkg/controller/disruption, getExpectedScale).
      expected: covered.filter(({ recreates }) => recreates).reduce((sum, { replicas }) => sum + replicas, 0),
      unscalable: covered.some(({ ref }) => ref.kind === 'Job' && !isScaled(ref.kind)) || whyUncounted(status) !== undefined,
    };
  });
}

/** How many pods have to be healthy (pkg/controller/disruption, getExpectedPodCount). Percentages round up. undefined: nothing is allowed at all. */
export function desiredHealthy({ minAvailable, maxUnavailable, pods, unscalable }: Budget, expected: number): number | undefined {
  const uncounted = unscalable || expected === 0;
  if (maxUnavailable !== undefined) return uncounted ? undefined : Math.max(0, expected - scaled(maxUnavailable, expected));
  if (typeof minAvailable === 'string' && minAvailable.endsWith('%')) return uncounted ? undefined : scaled(minAvailable, expected);
  return pods.length === 0 ? 0 : Number(minAvailable ?? 0);
}

function scaled(value: number | string, of: number): number {
  return typeof value === 'string' && value.endsWith('%') ? Math.ceil((Number.parseInt(value, 10) * of) / 100) : Number(value);
}

/** "PodDisruptionBudget shop/web allows 1 by its status and 0 by its pods" for those that differ. */
export function differences(objects: readonly BudgetObject[], budgets: readonly Budget[], pods: readonly ClusterPod[]): string[] {
  return objects.flatMap((object, index) => {
    const recorded = object.status?.disruptionsAllowed;
    const budget = at(budgets, index);
    if (recorded === undefined || budget.pods.length === 0) return [];
    const healthy = budget.pods.filter((pod) => at(pods, pod).ready).length;
    const desired = desiredHealthy(budget, budget.expected);
    const allowed = desired === undefined ? 0 : Math.max(0, healthy - desired);
    return allowed === recorded ? [] : [`${nameOf(object)} allows ${recorded} by its status and ${allowed} by its pods`];
  });
}
