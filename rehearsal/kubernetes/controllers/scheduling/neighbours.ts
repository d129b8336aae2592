/**
 * Which domains a pod may go to for the sake of other pods: required affinity and anti-affinity, and spread with DoNotSchedule. As the real
 * plugins do it (kubernetes pkg/scheduler/framework/plugins: interpodaffinity/filtering.go, podtopologyspread/filtering.go).
 */
import { isTerminating } from '../../pods/pods.ts';
import { matchesSelector } from '../../selectors.ts';
import type { KubeObject, ObjectStore } from '../../store.ts';
import { selectsNode, untolerated } from '../placement.ts';
import type { Rooms } from './rooms.ts';

type Selector = Parameters<typeof matchesSelector>[0];

interface Term {
  labelSelector?: Selector;
  topologyKey: string;
  namespaces?: string[];
  namespaceSelector?: Selector;
}

interface Spread {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: Selector;
  minDomains?: number;
  matchLabelKeys?: string[];
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const termsOf = (pod: KubeObject, kind: 'podAffinity' | 'podAntiAffinity'): Term[] => pod.spec?.affinity?.[kind]?.[REQUIRED] ?? [];
const spreadsOf = (pod: KubeObject): Spread[] =>
  (pod.spec?.topologySpreadConstraints ?? []).filter((each: Spread) => each.whenUnsatisfiable === 'DoNotSchedule');

/** Whether other pods decide where it may go: then it may fit after one has come. */
export const looksAtOthers = (pod: KubeObject): boolean => termsOf(pod, 'podAffinity').length > 0 || spreadsOf(pod).length > 0;

/** Why a pod may not go to a node, or nothing. */
export type Verdict = (node: KubeObject) => string | undefined;

const free: Verdict = () => undefined;

/** Looks at other pods once; the answer is for any number of nodes. `store` is asked for pods and namespaces. */
export function neighbourhood(store: ObjectStore, rooms: Rooms, pod: KubeObject): Verdict {
  const verdicts = [...againstOthers(store, rooms, pod), ...besideOthers(store, rooms, pod), ...spreads(store, rooms, pod)];
  if (verdicts.length === 0) return free;
  return (node) => {
    for (const verdict of verdicts) {
      const why = verdict(node);
      if (why !== undefined) return why;
    }
    return undefined;
  };
}

const domainOf = (node: KubeObject | undefined, key: string): string | undefined => node?.metadata.labels?.[key];

function againstOthers(store: ObjectStore, rooms: Rooms, pod: KubeObject): Verdict[] {
  const own = termsOf(pod, 'podAntiAffinity').map((term): Verdict => {
    const taken = domains(rooms, matching(store, term, pod), term.topologyKey);
    return (node) => (taken.has(domainOf(node, term.topologyKey) ?? '') ? "node(s) didn't match pod anti-affinity rules" : undefined);
  });
  const theirs = guardedFrom(store, rooms, pod);
  if (theirs.size === 0) return own;
  const refused: Verdict = (node) =>
    [...theirs].some(([key, taken]) => taken.has(domainOf(node, key) ?? ''))
      ? "node(s) didn't satisfy existing pods anti-affinity rules"
      : undefined;
  return [...own, refused];
}

/** Domains by key that pods which are there keep this one out of. */
function guardedFrom(store: ObjectStore, rooms: Rooms, pod: KubeObject): Map<string, Set<string>> {
  const guarded = new Map<string, Set<string>>();
  for (const guard of rooms.guards.values()) {
    if (isTerminating(guard)) continue;
    for (const term of termsOf(guard, 'podAntiAffinity')) {
      if (!namespacesOf(store, term, guard).includes(pod.metadata.namespace ?? '')) continue;
      if (!matchesSelector(term.labelSelector, pod.metadata.labels)) continue;
      const domain = domainOf(rooms.of(guard.spec.nodeName)?.node, term.topologyKey);
      if (domain !== undefined) guarded.set(term.topologyKey, (guarded.get(term.topologyKey) ?? new Set()).add(domain));
    }
  }
  return guarded;
}

/** The first of a group that wants to be together goes anywhere. */
function besideOthers(store: ObjectStore, rooms: Rooms, pod: KubeObject): Verdict[] {
  return termsOf(pod, 'podAffinity').map((term): Verdict => {
    const with_ = domains(rooms, matching(store, term, pod), term.topologyKey);
    const ofItself =
      namespacesOf(store, term, pod).includes(pod.metadata.namespace ?? '') && matchesSelector(term.labelSelector, pod.metadata.labels);
    const first = with_.size === 0 && ofItself;
    return (node) => {
      const domain = domainOf(node, term.topologyKey);
      if (domain !== undefined && (first || with_.has(domain))) return undefined;
      return "node(s) didn't match pod affinity rules";
    };
  });
}

function spreads(store: ObjectStore, rooms: Rooms, pod: KubeObject): Verdict[] {
  return spreadsOf(pod).map((spread): Verdict => {
    const { topologyKey, maxSkew } = spread;
    const selector = withLabelKeys(spread, pod);
    const counts = new Map<string, number>();
    for (const { node } of rooms.all) {
      const domain = domainOf(node, topologyKey);
      if (domain !== undefined && countsFor(spread, pod, node) && !counts.has(domain)) counts.set(domain, 0);
    }
    for (const other of store.list('pods', { namespace: pod.metadata.namespace ?? '' })) {
      if (isTerminating(other) || !matchesSelector(selector, other.metadata.labels)) continue;
      const node = rooms.of(other.spec?.nodeName)?.node;
      const domain = domainOf(node, topologyKey);
      if (node !== undefined && domain !== undefined && countsFor(spread, pod, node)) counts.set(domain, (counts.get(domain) ?? 0) + 1);
    }
    const least = counts.size < (spread.minDomains ?? 1) ? 0 : Math.min(...counts.values());
    const itself = matchesSelector(selector, pod.metadata.labels) ? 1 : 0;
    return (node) => {
      const domain = domainOf(node, topologyKey);
      if (domain === undefined) return "node(s) didn't match pod topology spread constraints (missing required label)";
      return (counts.get(domain) ?? 0) + itself - least > maxSkew ? "node(s) didn't match pod topology spread constraints" : undefined;
    };
  });
}

/** Its revision, mostly. */
function withLabelKeys({ labelSelector, matchLabelKeys = [] }: Spread, pod: KubeObject): Selector {
  const own = matchLabelKeys.flatMap((key) => {
    const value = pod.metadata.labels?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return labelSelector === undefined
    ? undefined
    : { ...labelSelector, matchLabels: { ...labelSelector.matchLabels, ...Object.fromEntries(own) } };
}

/** Nodes that the pod could not go to anyhow do not count; by default taints do not matter. */
function countsFor({ nodeAffinityPolicy, nodeTaintsPolicy }: Spread, pod: KubeObject, node: KubeObject): boolean {
  if (nodeAffinityPolicy !== 'Ignore' && !selectsNode(pod.spec, node)) return false;
  return nodeTaintsPolicy !== 'Honor' || untolerated(pod.spec, node, ['NoSchedule', 'NoExecute']) === undefined;
}

function domains(rooms: Rooms, pods: readonly KubeObject[], key: string): Set<string> {
  return new Set(pods.flatMap((pod) => domainOf(rooms.of(pod.spec.nodeName)?.node, key) ?? []));
}

/** Pods on nodes that a term means. */
function matching(store: ObjectStore, term: Term, pod: KubeObject): KubeObject[] {
  return namespacesOf(store, term, pod).flatMap((namespace) =>
    store
      .list('pods', { namespace })
      .filter((other) => other.spec?.nodeName && !isTerminating(other) && matchesSelector(term.labelSelector, other.metadata.labels)),
  );
}

/** The pod's own, unless the term says others. */
function namespacesOf(store: ObjectStore, { namespaces = [], namespaceSelector }: Term, pod: KubeObject): string[] {
  if (namespaceSelector === undefined) return namespaces.length > 0 ? namespaces : [pod.metadata.namespace ?? ''];
  const selected = store.list('namespaces').filter(({ metadata }) => matchesSelector(namespaceSelector, metadata.labels));
  return [...new Set([...namespaces, ...selected.map(({ metadata }) => metadata.name)])];
}
