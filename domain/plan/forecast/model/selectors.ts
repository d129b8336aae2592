/** Which nodes a pod may run on by its own words: node selector, required node affinity, tolerations. */
import { matchesExpression } from '../../../core/label-selectors.ts';
import { type Taint, tolerates } from '../../../facts/disruption/tolerations.ts';
import { at } from './at.ts';
import type { NodeTerm, PodSpec } from './objects.ts';

export type Labels = Readonly<Record<string, string>>;

/** NodeSelectorRequirement, as the scheduler reads it (k8s.io/component-helpers/scheduling/corev1/nodeaffinity). */
export function meets(labels: Labels, term: NodeTerm): boolean {
  const { key, operator, values = [] } = term;
  if (operator === 'Gt') return Number(labels[key]) > Number(values[0]);
  if (operator === 'Lt') return Number(labels[key]) < Number(values[0]);
  return matchesExpression(term, labels);
}

/** Terms are alternatives; within one, all expressions hold. A term without any matches nothing. */
export function meetsAny(labels: Labels, terms: readonly { matchExpressions?: NodeTerm[]; matchFields?: NodeTerm[] }[]): boolean {
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    const named = (term: NodeTerm): boolean => term.key !== 'metadata.name' || meets({ 'metadata.name': labels[HOSTNAME] ?? '' }, term);
    return matchExpressions.every((term) => meets(labels, term)) && matchFields.every(named);
  });
}

export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';

/** By itself: neither room nor other pods are looked at. */
export function mayRunOn(spec: PodSpec, labels: Labels, taints: readonly Taint[]): boolean {
  const selected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!selected || (terms !== undefined && !meetsAny(labels, terms))) return false;
  return taints.every((taint) => taint.effect === 'PreferNoSchedule' || tolerates(spec.tolerations ?? [], taint));
}

/** Keys of labels that any of these specs look at. */
export function keysOf(specs: Iterable<PodSpec>): Set<string> {
  const keys = new Set<string>();
  for (const { nodeSelector = {}, affinity } of specs) {
    for (const key of Object.keys(nodeSelector)) keys.add(key);
    for (const { matchExpressions = [], matchFields = [] } of affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? []) {
      for (const { key } of matchExpressions) keys.add(key);
      if (matchFields.length > 0) keys.add(HOSTNAME);
    }
  }
  return keys;
}

/** Nodes that no pod can tell apart are of one kind: whether a class of pods may run there is found once. */
export class NodeKinds {
  readonly #keys: readonly string[];
  readonly #byKey = new Map<string, number>();
  readonly #labels: Labels[] = [];
  readonly #taints: (readonly Taint[])[] = [];
  readonly #allowed: (boolean | undefined)[][] = [];

  constructor(keys: ReadonlySet<string>) {
    this.#keys = [...keys].toSorted();
  }

  kindOf(labels: Labels, taints: readonly Taint[]): number {
    const key = JSON.stringify([this.#keys.map((each) => labels[each] ?? null), taints]);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const kind = this.#labels.push(labels) - 1;
    this.#taints.push(taints);
    this.#byKey.set(key, kind);
    return kind;
  }

  /** `classIndex`: what is found is kept under it. */
  allows(kind: number, classIndex: number, spec: PodSpec): boolean {
    const known = (this.#allowed[classIndex] ??= []);
    return (known[kind] ??= mayRunOn(spec, at(this.#labels, kind), at(this.#taints, kind)));
  }
}
