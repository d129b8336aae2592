/** What of a forecast is kept beside the records: enough for the gate of the plan to quote, and for a record to compare with what happened. */
import type { ClusterRef } from '../../core/cluster-ref.ts';
import { field, isRecord } from '../../core/unknown.ts';
import type { BlockerForecast, BlockReason, DowntimeForecast, Forecast, Spread, WorkloadRef } from '../../plan/forecast/types.ts';
import type { NodeStrategy, NodeWaves } from '../../policy/policy.ts';

/** Of the text. A newer Belay reads older ones. */
export const STORED_FORECAST_FORMAT = 1;

/** Blocked pods and workloads with downtime that are named; beyond them only counts are kept. */
export const NAMED_AT_MOST = 500;

/** What happens in at least so many of the simulations is said to happen; the page has what is rarer. */
export const LIKELY = 0.5;

/** Times are milliseconds. */
export interface StoredForecast {
  format: typeof STORED_FORECAST_FORMAT;
  cluster: ClusterRef;
  from: string;
  /** The version that it goes to, "1.34". */
  target: string;
  strategy: NodeStrategy;
  pace?: string;
  waves?: NodeWaves;
  /** Of the plan that was played. A run with another plan does something else. */
  planHash: string;
  /** ISO 8601. */
  snapshotTakenAt: string;
  /** ISO 8601. */
  madeAt: string;
  runs: number;
  total: Spread;
  steps: StoredStep[];
  /** Likely ones. `pods`: the first NAMED_AT_MOST of them; `nodes`: that at least one of them blocks. */
  blockers: { count: number; nodes: number; pods: StoredBlocker[] };
  downtimes: { count: number; workloads: StoredDowntime[] };
  nodesReplaced: Spread;
  /** What was not played, or not read. */
  limits: number;
}

export interface StoredStep {
  id: string;
  takes: Spread;
}

export interface StoredBlocker {
  namespace: string;
  name: string;
  node: string;
  workload?: WorkloadRef;
  reason: BlockReason;
  budgets: string[];
}

export interface StoredDowntime {
  workload: WorkloadRef;
  down: Spread;
}

/** Names beyond NAMED_AT_MOST are left out; counts are whole. */
export function storedForecast(forecast: Forecast): StoredForecast {
  const { cluster, from, to, strategy, pace, waves, planHash, snapshotTakenAt, madeAt, runs, total } = forecast;
  const blockers = forecast.blockers.filter(isLikely);
  const downtimes = forecast.downtimes.filter(isLikely);
  return {
    format: STORED_FORECAST_FORMAT,
    cluster,
    from,
    target: to,
    strategy,
    ...(pace === undefined ? {} : { pace }),
    ...(waves === undefined ? {} : { waves }),
    planHash,
    snapshotTakenAt,
    madeAt,
    runs,
    total,
    steps: forecast.steps.map(({ id, takes }) => ({ id, takes })),
    blockers: {
      count: blockers.length,
      nodes: new Set(blockers.map(({ node }) => node)).size,
      pods: blockers.slice(0, NAMED_AT_MOST).map(storedBlocker),
    },
    downtimes: { count: downtimes.length, workloads: downtimes.slice(0, NAMED_AT_MOST).map(storedDowntime) },
    nodesReplaced: nodesReplacedIn(forecast),
    limits: forecast.limits.length,
  };
}

export const isLikely = ({ share }: { share: number }): boolean => share >= LIKELY;

const storedBlocker = ({ pod, node, workload, reason, budgets }: BlockerForecast): StoredBlocker => ({
  ...pod,
  node,
  ...(workload === undefined ? {} : { workload }),
  reason,
  budgets,
});

const storedDowntime = ({ workload, down }: DowntimeForecast): StoredDowntime => ({ workload, down });

/** Of all owners together. Their p90s add up to an upper bound: they need not fall into one play. */
export function nodesReplacedIn({ nodesReplaced }: Pick<Forecast, 'nodesReplaced'>): Spread {
  return nodesReplaced.reduce((sum, { count }) => ({ p50: sum.p50 + count.p50, p90: sum.p90 + count.p90 }), { p50: 0, p90: 0 });
}

/** undefined: it is none, or one of a newer Belay's. */
export function parseStoredForecast(json: unknown): StoredForecast | undefined {
  const whole =
    field(json, 'format') === STORED_FORECAST_FORMAT &&
    ['name', 'account', 'region'].every((key) => typeof field(field(json, 'cluster'), key) === 'string') &&
    ['target', 'planHash', 'snapshotTakenAt', 'madeAt'].every((key) => typeof field(json, key) === 'string') &&
    isSpread(field(json, 'total')) &&
    isSpread(field(json, 'nodesReplaced')) &&
    Array.isArray(field(json, 'steps')) &&
    Array.isArray(field(field(json, 'blockers'), 'pods')) &&
    Array.isArray(field(field(json, 'downtimes'), 'workloads'));
  // Each of its fields that is used to decide something was looked at.
  return whole ? (json as StoredForecast) : undefined;
}

const isSpread = (value: unknown): value is Spread =>
  isRecord(value) && typeof value['p50'] === 'number' && typeof value['p90'] === 'number';
