/** Freeze, pace, check and restore the disruption budgets of all NodePools of a cluster. */
import { ApplicationFailure } from '@temporalio/common';
import type { ClusterRef } from '../../../domain/facts.ts';
import type { FreezeState, KarpenterActivities } from './contract.ts';
import type { KubernetesDeps, KubernetesPort } from '../../ports.ts';
import { beat } from '../../context.ts';
import { waitUntil } from '../../wait-until.ts';
import { type JsonOperation, lookThenPatch } from '../look-then-patch.ts';
import type { NodePool } from '../shapes.ts';
import { type FreezeEntry, GUARD, readBefore } from './freeze-image.ts';
import { carries, entryStands, freezeOperations, paceOperations, restorePlan } from './freeze-patch.ts';
import { isAwsPool, listPools, poolRef } from './pools.ts';

type Freezing = Pick<KarpenterActivities, 'freezeDrift' | 'checkFreeze' | 'watchFreeze' | 'setDriftPace' | 'restoreBudgets'>;

export function createFreezeActivities(deps: KubernetesDeps): Freezing {
  const portOf = async (cluster: ClusterRef): Promise<KubernetesPort> => (await deps.clusterPorts(cluster)).kubernetes;
  return {
    async freezeDrift({ cluster, guard, reasons }) {
      return await freezeAll(await portOf(cluster), { nodes: '0', reasons }, guard);
    },
    async checkFreeze({ cluster, nodes, reasons }) {
      return await look(await portOf(cluster), { nodes, reasons });
    },
    async watchFreeze({ cluster, timing, nodes, reasons }) {
      const port = await portOf(cluster);
      const pace = { ...timing, pollMinMs: timing.freezeCheckMs, pollMaxMs: timing.freezeCheckMs };
      let last: FreezeState = { intact: true, reverted: [], pools: [] };
      await waitUntil<FreezeState>(
        {
          timing: pace,
          timeoutMs: Number.POSITIVE_INFINITY,
          doing: `guarding the freeze at ${nodes}`,
          details: () => ({ pools: last.pools.length }),
        },
        async () => {
          last = await look(port, { nodes, reasons });
          return last.intact ? { done: false, note: 'the freeze stands' } : { done: true, value: last };
        },
      );
      return last;
    },
    async setDriftPace({ cluster, nodes, reasons }) {
      return await paceAll(await portOf(cluster), { nodes, reasons });
    },
    async restoreBudgets({ cluster }) {
      return await restoreAll(await portOf(cluster));
    },
  };
}

async function freezeAll(
  port: KubernetesPort,
  entry: FreezeEntry,
  guard: string,
): Promise<{ pools: string[]; adopted: string[]; previousGuards: string[] }> {
  const pools: string[] = [];
  const adopted: string[] = [];
  const previousGuards = new Set<string>();
  for (const pool of (await listPools(port)).filter(isAwsPool)) {
    beat({ kind: 'freezing', pool: name(pool) });
    const result = await lookThenPatch(port, poolRef(name(pool)), (seen) => freezeOperations(seen, entry, guard), pool);
    if (result.kind === 'gone') continue;
    pools.push(name(pool));
    if (readBefore(result.seen).kind !== 'none') adopted.push(name(pool));
    const previous = result.seen.metadata.annotations?.[GUARD];
    if (previous !== undefined && previous !== guard) previousGuards.add(previous);
  }
  return { pools, adopted, previousGuards: [...previousGuards] };
}

/** `reverted` names pools whose entry others had taken out (it is back now), and pools that are not under the freeze: those break `intact`. */
async function paceAll(port: KubernetesPort, entry: FreezeEntry): Promise<FreezeState> {
  const pools: string[] = [];
  const reverted: string[] = [];
  let intact = true;
  for (const pool of (await listPools(port)).filter(isAwsPool)) {
    beat({ kind: 'pacing', pool: name(pool) });
    const result = await lookThenPatch(port, poolRef(name(pool)), (seen) => paceOperations(seen, entry), pool);
    if (result.kind === 'gone') continue;
    pools.push(name(pool));
    if (!entryStands(result.seen)) reverted.push(name(pool));
    intact &&= carries(result.object, entry);
  }
  return { intact, reverted, pools };
}

/** Goes over every pool before it reports; weather on one of them makes the call fail only after the others have been restored. */
async function restoreAll(
  port: KubernetesPort,
): Promise<{ restored: string[]; changedByOthers: string[]; failed: { pool: string; why: string }[] }> {
  const restored: string[] = [];
  const changedByOthers: string[] = [];
  const failed: { pool: string; why: string }[] = [];
  let weather: ApplicationFailure | undefined;
  for (const pool of await listPools(port)) {
    beat({ kind: 'restoring', pool: name(pool) });
    try {
      const result = await lookThenPatch(port, poolRef(name(pool)), restoreOperations, pool);
      if (result.kind === 'gone') continue;
      const plan = restorePlan(result.seen);
      if (plan.kind === 'exact') restored.push(name(pool));
      if (plan.kind === 'entry-only') changedByOthers.push(name(pool));
      if (plan.kind === 'unreadable') failed.push({ pool: name(pool), why: plan.why });
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      if (error.nonRetryable !== true) weather ??= error;
      failed.push({ pool: name(pool), why: error.message });
    }
  }
  if (weather !== undefined) throw weather;
  return { restored, changedByOthers, failed };
}

async function look(port: KubernetesPort, entry: FreezeEntry): Promise<FreezeState> {
  const pools = (await listPools(port)).filter(isAwsPool);
  const reverted = pools.filter((pool) => !carries(pool, entry)).map(name);
  return { intact: reverted.length === 0, reverted, pools: pools.map(name) };
}

function restoreOperations(pool: NodePool): JsonOperation[] | undefined {
  const plan = restorePlan(pool);
  return plan.kind === 'exact' || plan.kind === 'entry-only' ? plan.operations : undefined;
}

function name(pool: NodePool): string {
  return pool.metadata.name;
}
