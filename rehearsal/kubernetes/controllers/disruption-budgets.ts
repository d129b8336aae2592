/** PodDisruptionBudgets: how many of their pods may go now. */
import { controllerOf, isReady, isTerminating, kubeTime, setCondition } from '../pods/pods.ts';
import { scaledValue } from '../quantity.ts';
import { matchesSelector } from '../selectors.ts';
import type { KubeObject, ObjectStore } from '../store.ts';
import { type Key, keyed, keyOf } from './keyed.ts';
import { earliest } from './readiness.ts';
import { writeStatus } from './workloads/templates.ts';

/** An eviction that was allowed but has not shown in two minutes counts no more. */
const DISRUPTION_KNOWN_MS = 120_000;

/** Of a workload whose scale has changed any budget of its namespace may be. */
const budgetsBeside = ({ metadata: { namespace = 'default' } }: KubeObject, store: ObjectStore): Key[] =>
  store.list('poddisruptionbudgets', { namespace }).map(keyOf);

const budgetsOver = ({ metadata: { namespace = 'default', labels } }: KubeObject, store: ObjectStore): Key[] =>
  store
    .list('poddisruptionbudgets', { namespace })
    .filter((budget) => matchesSelector(budget.spec?.selector, labels))
    .map(keyOf);

export const disruptionBudgets = keyed({
  name: 'disruption-budgets',
  plural: 'poddisruptionbudgets',
  concerns: { pods: budgetsOver, replicasets: budgetsBeside, deployments: budgetsBeside, statefulsets: budgetsBeside },
  reconcile({ store, clock }, budget) {
    if (isTerminating(budget)) return undefined;
    const nowMs = clock.nowMs();
    const counts = countsOf(store, budget, nowMs);
    const copy: KubeObject = { ...budget, status: { ...budget.status, ...counts.status, observedGeneration: budget.metadata.generation } };
    if (Object.keys(counts.status.disruptedPods).length === 0) delete copy.status.disruptedPods;
    const allowed = counts.status.disruptionsAllowed > 0;
    const reason = allowed ? 'SufficientPods' : 'InsufficientPods';
    const observedGeneration = budget.metadata.generation ?? 1;
    const condition = { type: 'DisruptionAllowed', status: allowed ? 'True' : 'False', reason, message: '', observedGeneration };
    setCondition(copy, condition, kubeTime(nowMs));
    writeStatus(store, 'poddisruptionbudgets', budget, copy.status);
    return counts.dueMs;
  },
});

/** The numbers that a budget's status should have now. */
export const budgetStatus = (store: ObjectStore, budget: KubeObject, nowMs: number): BudgetStatus => countsOf(store, budget, nowMs).status;

function countsOf(store: ObjectStore, budget: KubeObject, nowMs: number): ReturnType<typeof budgetCounts> {
  const namespace = budget.metadata.namespace ?? 'default';
  const pods = store.list('pods', { namespace }).filter((pod) => matchesSelector(budget.spec?.selector, pod.metadata.labels));
  return budgetCounts({ budget, pods, expected: expectedPods(store, budget, pods), nowMs });
}

export interface BudgetStatus {
  expectedPods: number;
  currentHealthy: number;
  desiredHealthy: number;
  disruptionsAllowed: number;
  disruptedPods: Record<string, string>;
}

/** The numbers of a budget's status, without a store. */
function budgetCounts(input: { budget: KubeObject; pods: KubeObject[]; expected: number; nowMs: number }): {
  status: BudgetStatus;
  dueMs?: number;
} {
  const { budget, pods, expected, nowMs } = input;
  const disruptedPods: Record<string, string> = {};
  let dueMs: number | undefined;
  for (const [name, at] of Object.entries<string>(budget.status?.disruptedPods ?? {})) {
    const pod = pods.find((candidate) => candidate.metadata.name === name);
    const untilMs = Date.parse(at) + DISRUPTION_KNOWN_MS;
    if (!pod || isTerminating(pod) || untilMs <= nowMs) continue;
    disruptedPods[name] = at;
    dueMs = earliest(dueMs, untilMs);
  }
  const currentHealthy = pods.filter((pod) => isReady(pod) && !isTerminating(pod) && !(pod.metadata.name in disruptedPods)).length;
  const desiredHealthy = desired(budget, expected);
  const disruptionsAllowed = expected > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const status = { expectedPods: expected, currentHealthy, desiredHealthy, disruptionsAllowed, disruptedPods };
  return { status, ...(dueMs === undefined ? {} : { dueMs }) };
}

function desired(budget: KubeObject, expected: number): number {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable !== undefined) return Math.max(0, expected - scaledValue(maxUnavailable, expected, 'up'));
  return minAvailable === undefined ? 1 : scaledValue(minAvailable, expected, 'up');
}

const PLURAL_OF_KIND: Record<string, string> = {
  ReplicaSet: 'replicasets',
  StatefulSet: 'statefulsets',
  ReplicationController: 'replicationcontrollers',
  Deployment: 'deployments',
};

/** The scale of the pods' controllers; for a plain minAvailable, the pods themselves. */
function expectedPods(store: ObjectStore, budget: KubeObject, pods: KubeObject[]): number {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable !== 'string') return pods.length;
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const owner = rootOf(store, pod);
    if (owner?.metadata.uid) scales.set(owner.metadata.uid, Number(owner.spec?.replicas ?? 0));
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

/** The Deployment behind the ReplicaSet behind the pod. */
function rootOf(store: ObjectStore, object: KubeObject): KubeObject | undefined {
  const reference = controllerOf(object);
  const plural = PLURAL_OF_KIND[reference?.kind ?? ''];
  const owner = reference && plural ? store.get(plural, reference.name, object.metadata.namespace) : undefined;
  return owner ? (rootOf(store, owner) ?? owner) : undefined;
}
