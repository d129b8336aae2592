/** May a pod run on a node: taints, selectors, affinity. Shared by the scheduler and by DaemonSets. */
import { isReady, isTerminating } from '../pods/pods.ts';
import { holds } from '../selectors.ts';
import type { KubeObject } from '../store.ts';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

function tolerates(tolerations: Toleration[] | undefined, taint: Taint): boolean {
  return (tolerations ?? []).some((toleration) => covers(toleration, taint));
}

function covers(toleration: Toleration, taint: Taint): boolean {
  return (
    (!toleration.effect || toleration.effect === taint.effect) &&
    (!toleration.key || toleration.key === taint.key) &&
    (toleration.operator === 'Exists' || (Boolean(toleration.key) && (toleration.value ?? '') === (taint.value ?? '')))
  );
}

/** How long a tolerated taint is tolerated, in milliseconds; undefined for good. */
export function toleratedForMs(tolerations: Toleration[] | undefined, taint: Taint): number | undefined {
  const limits = (tolerations ?? [])
    .filter((toleration) => covers(toleration, taint))
    .flatMap(({ tolerationSeconds }) => (tolerationSeconds === undefined ? [] : [tolerationSeconds]));
  return limits.length === 0 ? undefined : Math.min(...limits) * 1000;
}

/** The first taint with one of these effects that the pod does not tolerate. */
export function untolerated(podSpec: KubeObject['spec'], node: KubeObject, effects: string[]): Taint | undefined {
  const taints: Taint[] = node.spec?.taints ?? [];
  return taints.find((taint) => effects.includes(taint.effect) && !tolerates(podSpec?.tolerations, taint));
}

/** nodeSelector and required node affinity. */
export function selectsNode(podSpec: KubeObject['spec'], node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const wanted: Record<string, string> = podSpec?.nodeSelector ?? {};
  if (!Object.entries(wanted).every(([key, value]) => labels[key] === value)) return false;
  const terms: NodeSelectorTerm[] | undefined =
    podSpec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

export interface NodeSelectorTerm {
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
  matchFields?: { key: string; operator: string; values?: string[] }[];
}

export function matchesTerm(term: NodeSelectorTerm, node: KubeObject): boolean {
  const fields = { 'metadata.name': node.metadata.name };
  return (
    (term.matchExpressions ?? []).every((expression) => holds(expression, node.metadata.labels)) &&
    (term.matchFields ?? []).every((expression) => holds(expression, fields))
  );
}

/** Ready, not cordoned, not about to be removed. */
export function takesPods(node: KubeObject): boolean {
  return isReady(node) && node.spec?.unschedulable !== true && !isTerminating(node);
}
