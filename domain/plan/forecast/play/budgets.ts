/** PodDisruptionBudgets while a play goes on, by the arithmetic of the disruption controller. */
import { at } from '../model/at.ts';
import type { Cluster } from '../model/cluster.ts';
import { desiredHealthy } from '../model/read-budgets.ts';

export type Refusal = { kind: 'budget' | 'several-budgets'; budgets: number[] };

export class Budgets {
  readonly #cluster: Cluster;
  readonly #healthy: number[];
  readonly #expected: number[];
  /** undefined: nothing is allowed. */
  readonly #desired: (number | undefined)[];
  /** Who waits for one to allow more. */
  readonly #waiting = new Map<number, Set<() => void>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#healthy = cluster.budgets.map(() => 0);
    this.#expected = cluster.budgets.map(({ expected }) => expected);
    this.#desired = cluster.budgets.map((budget) => desiredHealthy(budget, budget.expected));
  }

  /** A pod has become healthy, or is so no longer. */
  count(budgets: readonly number[], sign: 1 | -1): void {
    for (const budget of budgets) {
      this.#healthy[budget] = at(this.#healthy, budget) + sign;
      if (sign < 0) continue;
      const waiting = this.#waiting.get(budget);
      if (waiting === undefined) continue;
      this.#waiting.delete(budget);
      for (const act of waiting) act();
    }
  }

  /** A workload was scaled. */
  expect(budgets: readonly number[], change: number): void {
    for (const budget of budgets) {
      const expected = at(this.#expected, budget) + change;
      this.#expected[budget] = expected;
      this.#desired[budget] = desiredHealthy(at(this.#cluster.budgets, budget), expected);
    }
  }

  allowed(budget: number): number {
    const desired = this.#desired[budget];
    return desired === undefined ? 0 : Math.max(0, (this.#healthy[budget] ?? 0) - desired);
  }

  /** Every pod is healthy, so nothing is under way that would make it allow one. */
  isLasting(budget: number): boolean {
    return at(this.#healthy, budget) >= at(this.#cluster.budgets, budget).pods.length;
  }

  /** Would it allow a disruption with one more healthy replica? */
  helpedByOneMore(budget: number): boolean {
    const desired = desiredHealthy(at(this.#cluster.budgets, budget), at(this.#expected, budget) + 1);
    return desired !== undefined && at(this.#healthy, budget) + 1 > desired;
  }

  /** Why the eviction API says no (pkg/registry/core/pod/storage/eviction.go); undefined: it does not. */
  refusal(budgets: readonly number[], ready: boolean): Refusal | undefined {
    if (budgets.length === 0) return undefined;
    if (budgets.length > 1) return { kind: 'several-budgets', budgets: [...budgets] };
    const budget = at(budgets, 0);
    const { alwaysUnhealthy } = at(this.#cluster.budgets, budget);
    if (!ready) {
      const desired = this.#desired[budget];
      if (alwaysUnhealthy || (desired !== undefined && desired > 0 && at(this.#healthy, budget) >= desired)) return undefined;
    }
    return this.allowed(budget) > 0 ? undefined : { kind: 'budget', budgets: [budget] };
  }

  /** As Karpenter sees it before it chooses a node: one budget of many that allows nothing is enough (pkg/utils/pdb, CanEvictPods). */
  holds(budgets: readonly number[], ready: boolean): Refusal | undefined {
    // Asked of every pod in every loop: no list is taken apart for the usual answer.
    const budget = budgets[0];
    if (budget === undefined) return undefined;
    if (budgets.length > 1) return { kind: 'several-budgets', budgets: [...budgets] };
    if (this.allowed(budget) > 0) return undefined;
    return !ready && at(this.#cluster.budgets, budget).alwaysUnhealthy ? undefined : { kind: 'budget', budgets: [budget] };
  }

  /** `act` once one of them has a healthy pod more. */
  wait(budgets: readonly number[], act: () => void): void {
    for (const budget of budgets) {
      const waiting = this.#waiting.get(budget) ?? new Set();
      this.#waiting.set(budget, waiting.add(act));
    }
  }
}
