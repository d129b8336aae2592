/** Freeze, pace, check and restore NodePools of a cluster, all of them or those of a plan: by their disruption budgets, or node by node where those are kept as in Git. */
import { BUDGETS_ONLY, type FreezeMeans, meanOf } from '../../../domain/policy/freeze-means.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { FreezeState, KarpenterActivities } from '../../contract/karpenter.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { beat, currentSignal } from '../../runtime/context.ts';
import { isPermanent } from '../../runtime/translate-errors.ts';
import { type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import { sameJson } from '../../runtime/same-json.ts';
import type { NodePool } from '../../clients/kubernetes/objects.ts';
import { leftMs, renewed } from './expiry.ts';
import { type FreezeEntry, GUARD, isMarked, readBefore, readEntry } from './before-image.ts';
import { freezeNodes, listKarpenterNodes, nodeFreezeOf, paceNodes, poolsOfFrozenNodes, thawNodes } from './by-annotation.ts';
import { carries, entryStands, freezeOperations, paceOperations, restorePlan } from './budget-patch.ts';
import { isEditable, listPools, poolRef } from '../objects/node-pools.ts';
import { recoverFreeze, watchFreeze } from './watch-freeze.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { nowOf } from '../../kubernetes/objects/server-time.ts';

type Freezing = Pick<KarpenterActivities, 'freezeDrift' | 'checkFreeze' | 'watchFreeze' | 'setDriftPace' | 'restoreBudgets' | 'findFrozen'>;

/** Where nodes are let go one after the other, somebody looks this many of the shortest polls apart. */
const TURN_POLLS = 5;

/** How fast, for what, by which means. */
interface Wanted {
  nodes: string;
  reasons: string[];
  means: FreezeMeans;
  /** undefined: every pool. */
  onlyPools: readonly string[] | undefined;
  /** Written on nodes. */
  guard: string;
}

type Asked = { nodes: string; reasons: string[]; means?: FreezeMeans; onlyPools?: string[]; guard?: string };
const wantedOf = ({ means = BUDGETS_ONLY, onlyPools, guard = '', nodes, reasons }: Asked): Wanted => ({
  nodes,
  reasons,
  means,
  onlyPools,
  guard,
});

export function createFreezeActivities(deps: KubernetesDeps): Freezing {
  const portOf = async (cluster: ClusterRef): Promise<KubernetesPort> => (await deps.clusterPorts(cluster)).kubernetes;
  return {
    async freezeDrift({ cluster, guard, ...asked }) {
      return await freezeAll(await portOf(cluster), wantedOf({ ...asked, nodes: '0', guard }), guard);
    },
    async checkFreeze({ cluster, ...asked }) {
      return await look(await portOf(cluster), wantedOf(asked));
    },
    async watchFreeze({ cluster, timing, recover, ...asked }) {
      const wanted = wantedOf(asked);
      const { guard } = asked;
      if (recover === true && guard !== undefined) {
        return await recoverFreeze({ timing, nodes: wanted.nodes }, async () => {
          const port = await portOf(cluster);
          await freezeAll(port, { ...wanted, nodes: '0' }, guard);
          return wanted.nodes === '0' ? await look(port, wanted) : await paceAll(port, wanted);
        });
      }
      const everyMs = letsNodesGo(wanted) ? Math.min(timing.freezeCheckMs, TURN_POLLS * timing.pollMinMs) : timing.freezeCheckMs;
      return await watchFreeze({ timing, nodes: wanted.nodes }, everyMs, async () => await keep(await portOf(cluster), wanted));
    },
    async setDriftPace({ cluster, ...asked }) {
      return await paceAll(await portOf(cluster), wantedOf(asked));
    },
    async restoreBudgets({ cluster }) {
      const port = await portOf(cluster);
      const result = await restoreAll(port, await listPools(port));
      try {
        const told = new Set([...result.restored, ...result.changedByOthers, ...result.failed.map(({ pool }) => pool)]);
        return { ...result, restored: [...result.restored, ...(await thawNodes(port)).filter((pool) => !told.has(pool))] };
      } catch (error) {
        if (!isPermanent(error)) throw error;
        return { ...result, failed: [...result.failed, { pool: 'marks on nodes', why: messageOf(error) }] };
      }
    },
    async findFrozen({ cluster }) {
      const port = await portOf(cluster);
      const marked = (await listPools(port)).filter(isMarked).map(name);
      return { pools: [...new Set([...marked, ...(await poolsOfFrozenNodes(port))])].toSorted() };
    },
  };
}

/** Pools whose budgets are edited, and names of those whose nodes are held instead. */
async function poolsBy(port: KubernetesPort, { means, onlyPools }: Wanted): Promise<{ byBudget: NodePool[]; byNode: NodePool[] }> {
  const pools = (await listPools(port)).filter((pool) => isEditable(pool) && (onlyPools?.includes(name(pool)) ?? true));
  const byNode = pools.filter((pool) => meanOf(name(pool), means) === 'node-annotation');
  return { byBudget: pools.filter((pool) => !byNode.includes(pool)), byNode };
}

const letsNodesGo = ({ nodes, means: { usual, byNode = [] } }: Wanted): boolean =>
  nodes !== '0' && (usual === 'node-annotation' || byNode.length > 0);

/** Our entry as it is to stand on this pool: one that ends by itself is renewed in time. */
function entryFor(port: KubernetesPort, pool: NodePool, { nodes, reasons, means }: Wanted): FreezeEntry {
  const { usual, lastsMs } = means;
  if (usual !== 'self-expiring' || lastsMs === undefined) return { nodes, reasons };
  const written = readEntry(pool);
  return renewed({ nodes, reasons }, written.kind === 'read' ? written.value : undefined, nowOf(port), lastsMs);
}

/** Is the pool under our freeze, or at our pace? `lapsed`: the entry is there and has ended by itself. */
function stateOf(port: KubernetesPort, pool: NodePool, { nodes, reasons, means }: Wanted): 'stands' | 'reverted' | 'lapsed' {
  if (means.usual !== 'self-expiring') return carries(pool, { nodes, reasons }) ? 'stands' : 'reverted';
  const written = readEntry(pool);
  if (written.kind !== 'read' || !entryStands(pool) || readBefore(pool).kind === 'none') return 'reverted';
  if (written.value.nodes !== nodes || !sameJson(written.value.reasons, reasons)) return 'reverted';
  return leftMs(written.value, nowOf(port)) === 0 ? 'lapsed' : 'stands';
}

/** First the wanted means are in place, then what an earlier freeze did by other means goes. */
async function freezeAll(
  port: KubernetesPort,
  wanted: Wanted,
  guard: string,
): Promise<{ pools: string[]; adopted: string[]; previousGuards: string[] }> {
  const { byBudget, byNode } = await poolsBy(port, wanted);
  const pools = byNode.map(name);
  const held = await freezeNodes(port, pools, guard);
  const adopted = new Set(held.adopted);
  const previousGuards = new Set(held.guards);
  for (const pool of byBudget) {
    beat({ kind: 'freezing', pool: name(pool) });
    const freeze = (seen: NodePool): JsonOperation[] => freezeOperations(seen, entryFor(port, seen, wanted), guard);
    const result = await lookThenPatch(port, poolRef(name(pool)), freeze, pool);
    if (result.kind === 'gone') continue;
    pools.push(name(pool));
    if (readBefore(result.seen).kind !== 'none') adopted.add(name(pool));
    const previous = guardOf(result.seen);
    if (previous !== undefined) previousGuards.add(previous);
  }
  if (byNode.length > 0) {
    for (const previous of byNode.flatMap((pool) => guardOf(pool) ?? [])) previousGuards.add(previous);
    await restoreAll(port, byNode);
  }
  await thawNodes(port, byBudget.map(name));
  previousGuards.delete(guard);
  return { pools, adopted: [...adopted], previousGuards: [...previousGuards] };
}

/** `reverted` names pools whose entry or marks others had taken out (they are back now), and pools that are not under the freeze: those break `intact`. */
async function paceAll(port: KubernetesPort, wanted: Wanted): Promise<FreezeState> {
  const { byBudget, byNode } = await poolsBy(port, wanted);
  const pools = byNode.map(name);
  const reverted = await paceNodes(port, pools, wanted);
  let intact = true;
  for (const pool of byBudget) {
    beat({ kind: 'pacing', pool: name(pool) });
    const pace = (seen: NodePool): JsonOperation[] => paceOperations(seen, entryFor(port, seen, wanted));
    const result = await lookThenPatch(port, poolRef(name(pool)), pace, pool);
    if (result.kind === 'gone') continue;
    pools.push(name(pool));
    if (!entryStands(result.seen)) reverted.push(name(pool));
    intact &&= stateOf(port, result.object, wanted) === 'stands';
  }
  return { intact, reverted, pools };
}

/** Looks, and does what is due: entries that end by themselves are renewed, nodes are let go or held. What others took out is left to the guard. */
async function keep(port: KubernetesPort, wanted: Wanted): Promise<FreezeState> {
  const { byBudget, byNode } = await poolsBy(port, wanted);
  const reverted = await paceNodes(port, byNode.map(name), wanted);
  const lapsed: string[] = [];
  for (const pool of byBudget) {
    const state = stateOf(port, pool, wanted);
    if (state === 'reverted') reverted.push(name(pool));
    if (state === 'lapsed') lapsed.push(name(pool));
    if (state !== 'stands' || wanted.means.usual !== 'self-expiring') continue;
    currentSignal().throwIfAborted();
    await lookThenPatch(port, poolRef(name(pool)), (seen) => paceOperations(seen, entryFor(port, seen, wanted)), pool);
  }
  const intact = reverted.length + lapsed.length === 0;
  return { intact, reverted, ...(lapsed.length === 0 ? {} : { lapsed }), pools: [...byNode, ...byBudget].map(name) };
}

/** Goes over every pool before it reports; a transient failure of one of them makes the call fail only after the others have been restored. */
async function restoreAll(
  port: KubernetesPort,
  pools: readonly NodePool[],
): Promise<{ restored: string[]; changedByOthers: string[]; failed: { pool: string; why: string }[] }> {
  const restored: string[] = [];
  const changedByOthers: string[] = [];
  const failed: { pool: string; why: string }[] = [];
  let passing: unknown;
  for (const pool of pools) {
    beat({ kind: 'restoring', pool: name(pool) });
    try {
      const result = await lookThenPatch(port, poolRef(name(pool)), restoreOperations, pool);
      if (result.kind === 'gone') continue;
      const plan = restorePlan(result.seen);
      if (plan.kind === 'exact') restored.push(name(pool));
      if (plan.kind === 'entry-only') changedByOthers.push(name(pool));
      if (plan.kind === 'unreadable') failed.push({ pool: name(pool), why: plan.why });
    } catch (error) {
      if (!isPermanent(error)) passing ??= error;
      failed.push({ pool: name(pool), why: messageOf(error) });
    }
  }
  if (passing !== undefined) throw passing;
  return { restored, changedByOthers, failed };
}

async function look(port: KubernetesPort, wanted: Wanted): Promise<FreezeState> {
  const { byBudget, byNode } = await poolsBy(port, wanted);
  const nodes = byNode.length === 0 ? [] : await listKarpenterNodes(port);
  const reverted = [
    ...byNode.filter((pool) => nodeFreezeOf(name(pool), nodes)?.stands === false),
    ...byBudget.filter((pool) => stateOf(port, pool, wanted) !== 'stands'),
  ].map(name);
  return { intact: reverted.length === 0, reverted, pools: [...byNode, ...byBudget].map(name) };
}

function restoreOperations(pool: NodePool): JsonOperation[] | undefined {
  const plan = restorePlan(pool);
  return plan.kind === 'exact' || plan.kind === 'entry-only' ? plan.operations : undefined;
}

const guardOf = ({ metadata }: NodePool): string | undefined => metadata.annotations?.[GUARD];

function name(pool: NodePool): string {
  return pool.metadata.name;
}
