/**
 * NodePools that let none of their nodes be replaced, at times or at all: by a budget of their own, or because they are static without a node to spare.
 * Karpenter publishes nothing about a node then, and of budgets only what it publishes of Belay's own as well.
 */
import { openUntil } from '../../../domain/plan/forecast/model/schedule.ts';
import { parseQuantity } from '../../../domain/facts/quantity.ts';
import { stopsDriftForGood } from '../../../domain/facts/node-classes.ts';
import type { BudgetEntry } from '../../../domain/facts/facts.ts';
import { utcMinute } from '../../../domain/core/text.ts';
import type { NodePool } from '../../clients/kubernetes/objects.ts';
import { ourIndex, readEntry } from '../freeze/before-image.ts';
import type { DriftView, Hold } from '../../kubernetes/drain/draining-nodes.ts';

/** One node of each such pool, of those that nothing else holds: people decide about the pool. `nowMs`: of the API server's clock. */
export function closedPools(view: DriftView, pools: readonly NodePool[], held: ReadonlySet<string>, nowMs: number): Hold[] {
  return pools.flatMap((pool): Hold[] => {
    const { name } = pool.metadata;
    const closed = whyClosed(pool, nowMs);
    const waiting = view.old.filter(
      (node) => node.nodePool === name && node.drifted && !node.leaving && !node.heldByAnnotation && node.waits !== true,
    );
    const [node] = waiting.filter((each) => !held.has(each.name)).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    if (closed === undefined || node === undefined) return [];
    const { why, lasting } = closed;
    return [{ node, key: `pool ${name}`, lasting, reason: `NodePool ${name} lets Karpenter replace none of its nodes: ${why}` }];
  });
}

/** What a roll of this pool will meet, for people who decide whether it begins. */
export function stopsAhead(pool: NodePool): string[] {
  const scheduled = budgetsOf(pool).filter(
    (budget) => budget.schedule !== undefined && stopsDriftForGood({ ...budget, schedule: undefined }),
  );
  const times = scheduled.map(({ schedule, duration }) => `${pool.metadata.name}: no node for ${duration} from each "${schedule}" (UTC)`);
  const lack = lackOfStatic(pool);
  return lack === undefined ? times : [...times, `${pool.metadata.name}: ${lack}`];
}

function whyClosed(pool: NodePool, nowMs: number): { why: string; lasting: boolean } | undefined {
  for (const { schedule, duration = '', ...budget } of budgetsOf(pool)) {
    if (!stopsDriftForGood(budget)) continue;
    if (schedule === undefined)
      return { why: 'its own budget for drift is 0; remove that, or give it a schedule and a duration', lasting: true };
    const until = openUntil(schedule, duration, nowMs);
    const which = `schedule "${schedule}" for ${duration}`;
    if (until === undefined) return { why: `the ${which} of its own budget cannot be read, and Karpenter takes that for 0`, lasting: true };
    if (until !== 'closed')
      return {
        why: `its own budget is 0 until ${utcMinute(new Date(until).toISOString())} (${which}); wait, or change it`,
        lasting: false,
      };
  }
  const lack = lackOfStatic(pool);
  return lack === undefined ? undefined : { why: lack, lasting: true };
}

/** Karpenter launches a replacement first, within limits.nodes (disruption/staticdrift.go, ReserveNodeCount), and says nothing where it may not. */
function lackOfStatic({ spec }: NodePool): string | undefined {
  const { replicas, limits } = spec ?? {};
  const limit = limits?.['nodes'];
  const most = limit === undefined ? undefined : parseQuantity(String(limit));
  if (replicas === undefined || most === undefined || most > replicas) return undefined;
  return `it is static, and limits.nodes (${limit}) leaves no node for a replacement beside its ${replicas} replicas; raise limits.nodes`;
}

/** Without Belay's own entry, which may say 0 for a moment while the pace is being changed. */
function budgetsOf(pool: NodePool): BudgetEntry[] {
  const all = (pool.spec?.disruption?.budgets ?? []) as BudgetEntry[];
  const entry = readEntry(pool);
  const at = entry.kind === 'read' ? ourIndex(pool, entry.value) : -1;
  return at < 0 ? all : all.toSpliced(at, 1);
}
