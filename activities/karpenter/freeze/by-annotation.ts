/**
 * Drift frozen node by node: karpenter.sh/do-not-disrupt on every Node of a NodePool that is kept as in Git. No GitOps manages Nodes, and Karpenter
 * replaces no node that carries it, for drift or consolidation (karpenter.sh, Disruption, "Node-Level Controls"). The pace is how many are let go.
 */
import { allowedNodes } from '../../../domain/policy/freeze-means.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { listServed, slimNode } from '../../kubernetes/objects/lists.ts';
import { annotate } from '../../kubernetes/objects/patch-object.ts';
import { type ClusterNode, conditionOf, isTrue, type NodeClaim, type NodePool } from '../../clients/kubernetes/objects.ts';
import { isMarked } from '../objects/drift-marks.ts';
import { GUARD, readEntry } from './before-image.ts';
import { entryStands } from './budget-patch.ts';
import { changeNodes, heldFor, holdAnnotations, releaseAnnotations } from '../objects/node-annotations.ts';
import { KARPENTER_NODES, NODE_CLAIMS } from '../objects/node-pools.ts';
import { DO_NOT_DISRUPT } from '../../kubernetes/drain/draining-nodes.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';

/** Karpenter's taint on a node that it is replacing (since 1.0; before: karpenter.sh/disruption). */
const DISRUPTED = ['karpenter.sh/disrupted', 'karpenter.sh/disruption'];

const nameOf = (node: ClusterNode): string => node.metadata.name;
const poolOf = (node: ClusterNode): string => node.metadata.labels?.[POOL] ?? '';
const saysNo = (node: ClusterNode): boolean => node.metadata.annotations?.[DO_NOT_DISRUPT] === 'true';
const isFrozen = (node: ClusterNode): boolean => heldFor(node, 'freeze') !== undefined;

export function listKarpenterNodes(port: KubernetesPort): Promise<ClusterNode[]> {
  return listServed<ClusterNode>(port, KARPENTER_NODES, slimNode);
}

/** Holds every node of these pools. Gives the pools whose nodes an earlier freeze has held, and the guards that its marks name. */
export async function freezeNodes(
  port: KubernetesPort,
  pools: readonly string[],
  guard: string,
): Promise<{ adopted: string[]; guards: string[] }> {
  const nodes = await nodesOf(port, pools);
  const frozen = nodes.filter(isFrozen);
  await changeNodes(port, nodes, (node) => annotate(node, holdAnnotations(node, 'freeze', guard)));
  return { adopted: unique(frozen.map(poolOf)), guards: unique(frozen.flatMap((node) => heldFor(node, 'freeze') ?? [])) };
}

export interface NodePace {
  /** As in a budget: "0", "1", "10%". */
  nodes: string;
  /** Written on nodes that are held from now on. */
  guard: string;
}

/**
 * Brings these pools to the pace: lets as many drifted nodes go as it allows of each pool at a time, those that drifted first before others, and
 * holds what is too many, and at 0 every node, new ones included. The same look gives the same answer, so a repeated call changes nothing.
 * Gives the pools on whose nodes others have taken the annotation off; it is back then.
 */
export async function paceNodes(port: KubernetesPort, pools: readonly string[], { nodes: pace, guard }: NodePace): Promise<string[]> {
  const nodes = await nodesOf(port, pools);
  if (nodes.length === 0) return [];
  const loose = nodes.filter((node) => isFrozen(node) && !saysNo(node));
  const turns = allowedNodes(pace, 1) === 0 ? { hold: nodes, letGo: [] } : await turnsAt(port, pools, nodes, pace);
  const going = new Set(turns.letGo.map(nameOf));
  const hold = new Set([...turns.hold, ...loose].map(nameOf));
  const kept = nodes.filter((node) => hold.has(nameOf(node)) && !going.has(nameOf(node)));
  await changeNodes(port, kept, (node) => annotate(node, holdAnnotations(node, 'freeze', guard)));
  await changeNodes(port, turns.letGo, (node) => (isFrozen(node) ? annotate(node, releaseAnnotations(node, 'freeze')) : []));
  return unique(loose.map(poolOf));
}

/** Every node that a freeze holds, or those of these pools: annotations exactly as before. Gives their pools. */
export async function thawNodes(port: KubernetesPort, pools?: readonly string[]): Promise<string[]> {
  const nodes = pools === undefined ? await listKarpenterNodes(port) : await nodesOf(port, pools);
  const frozen = nodes.filter(isFrozen);
  await changeNodes(port, frozen, (node) => (isFrozen(node) ? annotate(node, releaseAnnotations(node, 'freeze')) : []));
  return unique(frozen.map(poolOf));
}

/** Pools of all nodes that a freeze holds. */
export async function poolsOfFrozenNodes(port: KubernetesPort): Promise<string[]> {
  return unique((await listKarpenterNodes(port)).filter(isFrozen).map(poolOf));
}

/** How the nodes of this pool are frozen. undefined: none is. `stands` false: others have taken the annotation off some. */
export function nodeFreezeOf(pool: string, nodes: readonly ClusterNode[]): { guard: string; stands: boolean } | undefined {
  const frozen = nodes.filter((node) => poolOf(node) === pool && isFrozen(node));
  const guard = frozen.flatMap((node) => heldFor(node, 'freeze') ?? [])[0];
  return guard === undefined ? undefined : { guard, stands: frozen.every(saysNo) };
}

/** What a plan and checks know of a pool's freeze, by whichever means. */
export function freezeFacts(pool: NodePool, nodes: readonly ClusterNode[]): { frozenBy?: string; freezeStands?: boolean } {
  const byNode = nodeFreezeOf(pool.metadata.name, nodes);
  if (byNode !== undefined) return { frozenBy: byNode.guard, freezeStands: byNode.stands };
  const guard = pool.metadata.annotations?.[GUARD];
  const written = readEntry(pool);
  if (guard === undefined) return {};
  return { frozenBy: guard, freezeStands: written.kind === 'read' && written.value.nodes === '0' && entryStands(pool) };
}

async function nodesOf(port: KubernetesPort, pools: readonly string[]): Promise<ClusterNode[]> {
  if (pools.length === 0) return [];
  const wanted = new Set(pools);
  return (await listKarpenterNodes(port)).filter((node) => wanted.has(poolOf(node)));
}

interface Turns {
  hold: ClusterNode[];
  letGo: ClusterNode[];
}

async function turnsAt(port: KubernetesPort, pools: readonly string[], nodes: readonly ClusterNode[], pace: string): Promise<Turns> {
  const claims = await listServed<NodeClaim>(port, NODE_CLAIMS);
  const claimOf = new Map(claims.map((claim) => [claim.status?.nodeName ?? '', claim]));
  const each = pools.map((pool) =>
    turnsOf(
      nodes.filter((node) => poolOf(node) === pool),
      claimOf,
      pace,
    ),
  );
  return { hold: each.flatMap(({ hold }) => hold), letGo: each.flatMap(({ letGo }) => letGo) };
}

/** Of one pool. A node that is let go counts until it is gone, also while something is in its way: people decide about it, then the next one goes. */
function turnsOf(nodes: readonly ClusterNode[], claimOf: ReadonlyMap<string, NodeClaim>, pace: string): Turns {
  const drifted = (node: ClusterNode): boolean => {
    const claim = claimOf.get(nameOf(node));
    return claim !== undefined && isMarked(claim);
  };
  const leaving = (node: ClusterNode): boolean =>
    node.metadata.deletionTimestamp !== undefined ||
    claimOf.get(nameOf(node))?.metadata.deletionTimestamp !== undefined ||
    (node.spec?.taints ?? []).some(({ key }) => DISRUPTED.includes(key));
  const loose = nodes.filter((node) => drifted(node) && !leaving(node) && !isFrozen(node) && !saysNo(node));
  // As Karpenter counts: what is NotReady or on its way out is disrupted already.
  const away = nodes.filter((node) => leaving(node) || !isTrue(node, 'Ready') || loose.includes(node)).length;
  const room = allowedNodes(pace, nodes.length) - away;
  if (room < 0) return { hold: loose.slice(room), letGo: [] };
  const waiting = nodes.filter(
    (node) =>
      drifted(node) && !leaving(node) && isFrozen(node) && heldFor(node, 'wave') === undefined && heldFor(node, 'skipped') === undefined,
  );
  const since = (node: ClusterNode): string => conditionOf(claimOf.get(nameOf(node)) ?? {}, 'Drifted')?.lastTransitionTime ?? '';
  const next = waiting.toSorted((one, other) => (`${since(one)} ${nameOf(one)}` < `${since(other)} ${nameOf(other)}` ? -1 : 1));
  return { hold: [], letGo: next.slice(0, room) };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}
