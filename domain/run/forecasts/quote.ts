/** What a plan says of a stored forecast: of which plan it is, how old, and the first of who blocks and what is down. */
import { defined } from '../../core/defined.ts';
import { objectTitle, someOf } from '../../core/text.ts';
import type { QuotedBlocker, QuotedDowntime, QuotedForecast } from '../../plan/forecast/quoted.ts';
import type { UpgradePlan } from '../../plan/model/types.ts';
import type { StoredBlocker, StoredDowntime, StoredForecast } from './stored.ts';

/** They go into the history of a run, and a gate is read on a phone. */
const PODS = 50;
const WORKLOADS = 20;

/** The same steps: versions, numbers of nodes or findings have changed since. */
export const OTHER_DETAILS = 'other versions or nodes';

type Planned = Pick<UpgradePlan, 'from' | 'to' | 'strategy' | 'steps' | 'hash'>;

/** undefined: it is of another target, so it says nothing of this plan. `now`: ISO 8601. */
export function quoteForecast(stored: StoredForecast, plan: Planned, now: string): QuotedForecast | undefined {
  if (stored.target !== plan.to) return undefined;
  const { snapshotTakenAt, madeAt, total, steps, blockers, downtimes, nodesReplaced, limits } = stored;
  return {
    kind: 'made',
    snapshotTakenAt,
    madeAt,
    ageMs: Math.max(0, Date.parse(now) - Date.parse(snapshotTakenAt)),
    ...defined({ another: whatDiffers(stored, plan) }),
    total,
    steps,
    blockers: { count: blockers.count, nodeCount: blockers.nodes, pods: blockers.pods.slice(0, PODS).map(quotedBlocker) },
    downtimes: { count: downtimes.count, workloads: downtimes.workloads.slice(0, WORKLOADS).map(quotedDowntime) },
    nodesReplaced,
    limitCount: limits,
  };
}

/** In a few words; undefined: it is the same plan. */
function whatDiffers({ from, strategy, pace, planHash, steps }: StoredForecast, plan: Planned): string | undefined {
  if (planHash === plan.hash) return undefined;
  if (from !== plan.from) return `from ${from}`;
  if (strategy !== plan.strategy) return `strategy ${strategy}`;
  if (pace !== undefined) return `pace ${pace}`;
  const [played, planned] = [steps.map(({ id }) => id), plan.steps.map(({ id }): string => id)];
  const [gone, come] = [played.filter((id) => !planned.includes(id)), planned.filter((id) => !played.includes(id))];
  if (gone.length > 0) return `with ${someOf(gone, 2)}`;
  if (come.length > 0) return `without ${someOf(come, 2)}`;
  return OTHER_DETAILS;
}

export const quotedBlocker = ({ namespace, name, node, workload, reason, budgets }: StoredBlocker): QuotedBlocker => ({
  pod: `${namespace}/${name}`,
  node,
  ...(workload === undefined ? {} : { workload: objectTitle(workload), ...defined({ team: workload.team }) }),
  reason,
  budgets,
});

export const quotedDowntime = ({ workload, down }: StoredDowntime): QuotedDowntime => ({
  workload: objectTitle(workload),
  ...defined({ team: workload.team }),
  down,
});
