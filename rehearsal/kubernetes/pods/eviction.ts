/** Eviction as the API server does it: a pod goes only if its PodDisruptionBudget allows one more disruption. */
import { DetailedError, notFound, unexpected } from '../failures.ts';
import { isFinished, isReady, isTerminating, kubeTime, setCondition } from './pods.ts';
import { matchesSelector } from '../selectors.ts';
import type { EvictionResult, KubeObject, ObjectStore } from '../store.ts';

const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
const SEVERAL = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** What eviction needs of the world. */
export interface EvictionWorld {
  store: ObjectStore;
  clock: { now(): Date };
}

/** Evicts a pod, or says which budget forbids it. Never throws for a refusal. */
export function evictPod(
  world: EvictionWorld,
  name: string,
  namespace: string,
  options: { gracePeriodSeconds?: number; dryRun?: boolean } = {},
): EvictionResult {
  const { store } = world;
  if (store.evict !== undefined) return store.evict(name, namespace);
  const pod = store.get('pods', name, namespace);
  if (!pod) return { ok: false, blockedBy: [], error: notFound({ group: '', plural: 'pods' }, name) };
  if (!ignoresBudgets(pod)) {
    const refusal = claimDisruption(world, pod, namespace, options.dryRun);
    if (refusal) return refusal;
  }
  if (options.dryRun) return { ok: true };
  if (!isTerminating(pod)) markDisruption(world, pod, namespace);
  const { gracePeriodSeconds } = options;
  store.delete('pods', name, namespace, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
  return { ok: true };
}

/** Budgets whose selector matches the pod. */
export function budgetsOf(store: ObjectStore, pod: KubeObject): KubeObject[] {
  const namespace = pod.metadata.namespace;
  if (namespace === undefined) return [];
  return store.list('poddisruptionbudgets', { namespace }).filter((budget) => matchesSelector(budget.spec?.selector, pod.metadata.labels));
}

/** Pods that have ended, or have not begun, disturb nobody. */
function ignoresBudgets(pod: KubeObject): boolean {
  return isFinished(pod) || pod.status?.phase === 'Pending' || isTerminating(pod);
}

function claimDisruption(world: EvictionWorld, pod: KubeObject, namespace: string, dryRun = false): EvictionResult | undefined {
  const [budget, ...others] = budgetsOf(world.store, pod);
  if (!budget) return undefined;
  if (others.length > 0) {
    const blockedBy = [budget, ...others].map((each) => each.metadata.name);
    return { ok: false, blockedBy, error: unexpected(SEVERAL) };
  }
  const name = budget.metadata.name;
  const status = budget.status ?? {};
  if (!isReady(pod)) {
    if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return undefined;
    if (status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0) return undefined;
  }
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 1)) {
    return refuse(name, `The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (!(status.disruptionsAllowed > 0)) {
    const needs = `needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`;
    return refuse(name, `The disruption budget ${name} ${needs}`);
  }
  if (dryRun) return undefined;
  world.store.update('poddisruptionbudgets', name, namespace, (copy) => {
    copy.status.disruptionsAllowed -= 1;
    copy.status.disruptedPods = { ...copy.status.disruptedPods, [pod.metadata.name]: kubeTime(world.clock.now().getTime()) };
    if (copy.status.disruptionsAllowed > 0) return;
    setCondition(
      copy,
      { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '', observedGeneration: copy.metadata.generation },
      kubeTime(world.clock.now().getTime()),
    );
  });
  return undefined;
}

function refuse(budget: string, why: string, retryAfterSeconds?: number): EvictionResult {
  const details = { causes: [{ reason: 'DisruptionBudget', message: why }], ...(retryAfterSeconds ? { retryAfterSeconds } : {}) };
  return { ok: false, blockedBy: [budget], error: new DetailedError(429, 'TooManyRequests', REFUSED, details) };
}

function markDisruption(world: EvictionWorld, pod: KubeObject, namespace: string): void {
  world.store.update('pods', pod.metadata.name, namespace, (copy) => {
    const message = 'Eviction API: evicting';
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message };
    setCondition(copy, condition, kubeTime(world.clock.now().getTime()));
  });
}
