/** What stands in the way of Karpenter replacing a node: PodDisruptionBudgets, do-not-disrupt, or what Karpenter's events say. */
import type { KubernetesPort } from '../../contract/ports.ts';
import { matches, toQuery } from '../../../domain/core/label-selectors.ts';
import {
  controllerOf,
  type DisruptionBudget,
  isFalse,
  isLive,
  type KubeEvent,
  nameOf,
  needsEviction,
  type Pod,
} from '../../clients/kubernetes/objects.ts';
import { whyNever } from '../../../domain/facts/disruption/disruption-budget.ts';
import { whyUncounted } from '../../../domain/facts/disruption/uncounted-pods.ts';
import { findVolumeHolds } from './volume-blockers.ts';
import { nowOf } from '../objects/server-time.ts';
import { karpenterEvicts, protectionOf } from './pod-marks.ts';
import { DO_NOT_DISRUPT, type DriftView, type Hold, type OldNode } from './draining-nodes.ts';

/** Pods of so many nodes are read at one look, at most. */
const NODES_PER_LOOK = 10;
/** While nodes are being replaced many budgets are used up for a moment: so many are looked into, and all when nothing moves. */
const BUDGETS_PER_LOOK = 25;

/**
 * Holds by node name. Cheap: budgets and events are two lists; pods are read for exhausted budgets, for nodes that events name, and for the
 * first few nodes when nothing moves at all (`stalled`), and for those that people were `asked` about. An event alone counts only when stalled: events outlive their cause by an hour.
 */
export async function findBlockers(
  port: KubernetesPort,
  view: DriftView,
  stalled: boolean,
  asked: ReadonlySet<string> = new Set(),
): Promise<Map<string, Hold>> {
  const nodes = view.old.filter((node) => node.drifted && node.waits !== true);
  const holds = new Map<string, Hold>();
  const add = (hold: Hold | undefined): void => {
    if (hold !== undefined && !holds.has(hold.node.name)) holds.set(hold.node.name, hold);
  };
  for (const node of nodes.filter((candidate) => candidate.heldByAnnotation)) {
    add({ node, key: 'node', lasting: true, reason: `the node has annotation ${DO_NOT_DISRUPT}` });
  }
  const budgets = (await port.list<DisruptionBudget>({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' })) ?? [];
  const byName = new Map(nodes.filter((node) => !goesAnyway(node)).map((node) => [node.name, node]));
  const exhausted = budgets.filter((budget) => isExhausted(budget) && hasPods(budget));
  for (const budget of stalled || asked.size > 0 ? exhausted : exhausted.slice(0, BUDGETS_PER_LOOK)) {
    const pods = await podsOf(port, budget);
    const leftCount = pods.filter(({ spec }) => byName.has(spec?.nodeName ?? '')).length;
    for (const pod of pods) add(unlessItReturns(inTurn(heldByBudget(byName.get(pod.spec?.nodeName ?? ''), pod, budget), leftCount)));
  }
  const said = await readEvents(port, nodes);
  const known = nodes.filter(({ name }) => asked.has(name));
  const suspects = [...known, ...nodes.filter(({ name }) => said.has(name)), ...(stalled ? nodes : [])];
  for (const node of [...new Set(suspects)].filter(({ name }) => !holds.has(name)).slice(0, Math.max(NODES_PER_LOOK, known.length))) {
    if (!goesAnyway(node)) add(await heldByPods(port, node, budgets));
    const message = said.get(node.name);
    const counts = (stalled || asked.has(node.name)) && !(goesAnyway(node) && OF_PODS.test(message ?? ''));
    if (counts && message !== undefined) add({ node, key: 'event', lasting: false, reason: `Karpenter says: ${message}` });
    if (counts && node.leaving) add({ node, key: 'leaving', lasting: false, reason: 'the node is being removed and does not go' });
  }
  for (const hold of await findVolumeHolds(port, view)) add(hold);
  return holds;
}

/** What Karpenter says of a node whose pods keep it from being consolidated (state/statenode.go, ValidatePodsDisruptable). */
const OF_PODS = /^(?:pod has|pdb prevents|eviction does not support)/i;

/** Its pods keep no node from being chosen that has a terminationGracePeriod; once it drains they do, until that ends. */
const goesAnyway = ({ forced, leaving }: OldNode): boolean => forced !== undefined && !leaving;

function isExhausted({ status }: DisruptionBudget): boolean {
  return status?.disruptionsAllowed === 0;
}

/** One without pods allows nothing either, and is not worth a look; one whose pods cannot be counted looks alike. */
function hasPods({ status }: DisruptionBudget): boolean {
  return status?.expectedPods !== 0 || whyUncounted(status) !== undefined;
}

async function podsOf(port: KubernetesPort, { metadata, spec }: DisruptionBudget): Promise<Pod[]> {
  if (spec?.selector === undefined || spec.selector === null) return [];
  const labelSelector = toQuery(spec.selector);
  const query = { apiVersion: 'v1', plural: 'pods', namespace: metadata.namespace };
  const pods = await port.list<Pod>(labelSelector === undefined ? query : { ...query, labelSelector });
  return (pods ?? []).filter(karpenterEvicts);
}

function heldByBudget(node: OldNode | undefined, pod: Pod, budget: DisruptionBudget): Hold | undefined {
  if (node === undefined || goesDespite(node, pod, budget)) return undefined;
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = budget.status ?? {};
  const uncounted = whyUncounted(budget.status);
  const pdb = {
    namespace: budget.metadata.namespace ?? '',
    name: budget.metadata.name,
    disruptionsAllowed,
    // Numbers of pods that cannot be counted would mislead.
    ...(uncounted === undefined ? { currentHealthy, desiredHealthy } : {}),
  };
  const never = uncounted === undefined ? neverWithOneMore(budget) : undefined;
  const noUseScaling = uncounted !== undefined || never !== undefined;
  const until = uncounted === undefined ? 'now' : `unless minAvailable is a whole number (${uncounted})`;
  const how = never === undefined ? `allows no disruption ${until}` : `never allows a disruption: ${never}`;
  const reason = `pod ${nameOf(pod)} is blocked by PodDisruptionBudget ${nameOf(budget)}, which ${how}`;
  // With every pod healthy nothing is under way that would make it allow one.
  const isWell = currentHealthy !== undefined && expectedPods !== undefined && currentHealthy >= expectedPods;
  const lasting = isWell || noUseScaling;
  return { node, key: `${nameOf(pod)} ${nameOf(budget)}`, lasting, reason, pod, pdb, ...(noUseScaling ? { noUseScaling } : {}) };
}

/**
 * The eviction API asks no budget about a pod that has not begun, nor about one that is not Ready where its policy is AlwaysAllow, or enough others are
 * healthy (kubernetes pkg/registry/core/pod/storage/eviction.go). Karpenter, as long as it only chooses a node, knows AlwaysAllow alone (utils/pdb/pdb.go).
 */
function goesDespite({ leaving }: OldNode, pod: Pod, { spec, status }: DisruptionBudget): boolean {
  if (leaving && hasNotBegun(pod)) return true;
  if (!isFalse(pod, 'Ready')) return false;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (leaving && desiredHealthy > 0 && currentHealthy >= desiredHealthy);
}

const hasNotBegun = ({ status }: Pod): boolean => status?.phase === 'Pending';

/** Why a budget lets no pod go even with one healthy pod more than there are; undefined: it then does, or nobody can tell. */
function neverWithOneMore({ spec, status }: DisruptionBudget): string | undefined {
  const { expectedPods = 0 } = status ?? {};
  const helps = expectedPods === 0 || whyNever(spec ?? {}, expectedPods + 1) === undefined;
  return helps ? undefined : whyNever(spec ?? {}, expectedPods);
}

/** A budget that lets its pods go one after the other holds those whose turn has not come for as long as nothing of it moves, and no longer. */
function inTurn(hold: Hold | undefined, leftCount: number): Hold | undefined {
  return hold === undefined || hold.lasting ? hold : { ...hold, key: `${hold.key}, ${leftCount} to go` };
}

async function heldByPods(port: KubernetesPort, node: OldNode, budgets: readonly DisruptionBudget[]): Promise<Hold | undefined> {
  const pods = (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', fieldSelector: `spec.nodeName=${node.name}` })) ?? [];
  return holdOfPods(node, pods, budgets, nowOf(port));
}

/** The first of a node's pods that Karpenter may not evict now, and why; undefined: nothing forbids any. `nowMs`: of the API server's clock. */
export function holdOfPods(node: OldNode, pods: readonly Pod[], budgets: readonly DisruptionBudget[], nowMs: number): Hold | undefined {
  for (const pod of pods.filter(isLive)) {
    const hold = holdOfMark(node, pod, nowMs) ?? (karpenterEvicts(pod) ? unlessItReturns(holdOfBudgets(node, pod, budgets)) : undefined);
    if (hold !== undefined) return hold;
  }
  return undefined;
}

/** Until Karpenter has tainted the node, a pod of a DaemonSet that is deleted comes back to it, cordoned or not: that is offered to nobody. */
function unlessItReturns(hold: Hold | undefined): Hold | undefined {
  if (hold?.pod === undefined || hold.node.leaving || controllerOf(hold.pod)?.kind !== 'DaemonSet') return hold;
  const { pod: _pod, ...rest } = hold;
  return rest;
}

/** Of Karpenter alone: the eviction API does not know the annotation. It counts on pods of DaemonSets and static pods as well (state/statenode.go). */
function holdOfMark(node: OldNode, pod: Pod, nowMs: number): Hold | undefined {
  const mark = protectionOf(pod, nowMs);
  if (mark === undefined) return undefined;
  const has = `has annotation ${DO_NOT_DISRUPT}: "${mark}"`;
  const key = `${nameOf(pod)} annotation`;
  const lasting = mark === 'true';
  if (needsEviction(pod)) return { node, key, lasting, reason: `pod ${nameOf(pod)} ${has}`, pod, noUseScaling: true };
  // One that is deleted comes back to the same node.
  const { kind = 'Node', name = '' } = controllerOf(pod) ?? {};
  const whose = kind === 'DaemonSet' ? `of DaemonSet ${pod.metadata.namespace ?? ''}/${name}` : 'of the node itself';
  return { node, key, lasting, reason: `pod ${nameOf(pod)} ${whose} ${has}, which blocks Karpenter: remove it where the pod is defined` };
}

/** Why the eviction API refuses a pod now; undefined: no budget does. */
export function holdOfBudgets(node: OldNode, pod: Pod, budgets: readonly DisruptionBudget[]): Hold | undefined {
  const matching = budgets.filter(
    (budget) => budget.metadata.namespace === pod.metadata.namespace && matches(budget.spec?.selector, pod.metadata.labels),
  );
  if (matching.length > 1 && !matching.some(isExhausted) && !(node.leaving && hasNotBegun(pod))) {
    const names = matching.map((budget) => budget.metadata.name).join(' and ');
    return {
      node,
      key: `${nameOf(pod)} budgets`,
      lasting: true,
      reason: `pod ${nameOf(pod)} is matched by PodDisruptionBudgets ${names}: eviction refuses more than one`,
      pod,
      noUseScaling: true,
    };
  }
  const exhausted = matching.find(isExhausted);
  const hold = exhausted === undefined ? undefined : heldByBudget(node, pod, exhausted);
  return hold === undefined || matching.length === 1 ? hold : { ...hold, noUseScaling: true };
}

/** DisruptionBlocked events by node name. Those about budgets of the NodePool are Karpenter keeping our own pace. */
async function readEvents(port: KubernetesPort, nodes: readonly OldNode[]): Promise<Map<string, string>> {
  const events = await port.list<KubeEvent>({
    apiVersion: 'v1',
    plural: 'events',
    namespace: 'default',
    fieldSelector: 'reason=DisruptionBlocked',
  });
  const names = new Map(
    nodes.flatMap((node) => [[node.name, node.name] as const, ...(node.claim === undefined ? [] : [[node.claim, node.name] as const])]),
  );
  const said = new Map<string, string>();
  for (const { reason, message, involvedObject } of events ?? []) {
    const node = names.get(involvedObject?.name ?? '');
    if (reason !== 'DisruptionBlocked' || node === undefined || involvedObject?.kind === 'NodePool') continue;
    // About a node's own annotation: those that still have it are found without events, from the others a freeze or a wave has taken it.
    if (/blocking budget|blocked through the "karpenter.sh\/do-not-disrupt" annotation/i.test(message ?? '')) continue;
    said.set(node, (message ?? 'disruption is blocked').slice(0, 200));
  }
  return said;
}
