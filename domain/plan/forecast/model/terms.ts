/** Pods that count where others may run: required affinity, anti-affinity, and spreads that forbid. */
import { type LabelSelector, matches } from '../../../core/label-selectors.ts';
import { listIn } from './at.ts';
import type { Term } from './cluster.ts';
import type { PodSpec, PodTerm } from './objects.ts';
import { HOSTNAME, ZONE } from './selectors.ts';

interface Counted extends Term {
  /** undefined: of all namespaces. */
  namespaces: string[] | undefined;
  selector: LabelSelector | null | undefined;
}

interface OfPod {
  apart: number[];
  together: number[];
  spread: { term: number; maxSkew: number }[];
}

/** Terms are kept once however many pods have them; which classes of pods each selects is found at the end. */
export class Terms {
  readonly terms: Counted[] = [];
  readonly #byKey = new Map<string, number>();
  readonly #classes: { namespace: string; labels: Record<string, string> }[] = [];
  /** Topology keys that are not played. */
  readonly strange = new Set<string>();
  /** Namespace selectors are taken for "every namespace". */
  wide = false;

  ofPod({ affinity, topologySpreadConstraints = [] }: PodSpec, namespace: string): OfPod {
    const of = (terms: readonly PodTerm[] = []): number[] => terms.flatMap((term) => this.#indexOf(term, namespace));
    return {
      apart: of(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
      together: of(affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
      spread: topologySpreadConstraints
        .filter(({ whenUnsatisfiable = 'DoNotSchedule' }) => whenUnsatisfiable === 'DoNotSchedule')
        .flatMap(({ topologyKey, labelSelector, maxSkew = 1 }) =>
          this.#indexOf({ topologyKey, labelSelector }, namespace).map((term) => ({ term, maxSkew })),
        ),
    };
  }

  /** Classes in their order. */
  meet(index: number, namespace: string, labels: Record<string, string>): void {
    this.#classes[index] = { namespace, labels };
  }

  /** For each class, the terms that select it. */
  counted(): number[][] {
    const byNamespace = new Map<string, number[]>();
    const everywhere: number[] = [];
    for (const [index, { namespaces }] of this.terms.entries()) {
      if (namespaces === undefined) everywhere.push(index);
      else for (const namespace of namespaces) listIn(byNamespace, namespace).push(index);
    }
    return this.#classes.map(({ namespace, labels }) =>
      [...(byNamespace.get(namespace) ?? []), ...everywhere].filter((term) => matches(this.terms[term]?.selector, labels)),
    );
  }

  #indexOf({ topologyKey, labelSelector, namespaces, namespaceSelector }: PodTerm, own: string): number[] {
    const by = topologyKey === HOSTNAME ? 'host' : topologyKey === ZONE ? 'zone' : undefined;
    if (by === undefined) {
      this.strange.add(topologyKey);
      return [];
    }
    const wide = namespaceSelector !== undefined && namespaceSelector !== null;
    if (wide && Object.keys(namespaceSelector).length > 0) this.wide = true;
    const where = wide ? undefined : namespaces === undefined || namespaces.length === 0 ? [own] : namespaces;
    const key = JSON.stringify([by, where, labelSelector]);
    const known = this.#byKey.get(key);
    if (known !== undefined) return [known];
    const index = this.terms.push({ by, namespaces: where, selector: labelSelector }) - 1;
    this.#byKey.set(key, index);
    return [index];
  }
}
