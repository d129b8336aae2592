/** A forecast in short: small enough for a history and a message. Whole, it is a page in the thread. */
import type { ClusterRef } from '../../core/cluster-ref.ts';
import type { Basis, Forecast, GateForecast, NodesReplaced, Peak, Spread } from '../../plan/forecast/types.ts';
import type { QuotedBlocker, QuotedDowntime } from '../../plan/forecast/quoted.ts';
import type { NodeStrategy } from '../../policy/policy.ts';
import { quotedBlocker, quotedDowntime } from './quote.ts';
import { nodesReplacedIn, storedForecast } from './stored.ts';

/** The first of so many. */
export interface Some<T> {
  count: number;
  first: T[];
}

/** Times are milliseconds. */
export interface ForecastSummary {
  cluster: ClusterRef;
  from: string;
  to: string;
  strategy: NodeStrategy;
  planHash: string;
  /** ISO 8601. */
  snapshotTakenAt: string;
  madeAt: string;
  runs: number;
  /** With the time that people take, as far as it is assumed. */
  total: Spread;
  blockers: Some<QuotedBlocker> & { nodeCount: number };
  downtimes: Some<QuotedDowntime>;
  gates: Some<Pick<GateForecast, 'title' | 'share'>>;
  nodes: Some<NodesReplaced> & { replaced: Spread };
  peak: Peak;
  limits: Some<string>;
  /** How many lengths stand on what. */
  calibration: Partial<Record<Basis, number>>;
}

const NAMED = 8;
const MAX_TEXT = 300;

export function summarizeForecast(forecast: Forecast): ForecastSummary {
  const { cluster, from, to, strategy, planHash, snapshotTakenAt, madeAt, runs, total, peak } = forecast;
  const { gates, limits, nodesReplaced } = forecast;
  const { blockers, downtimes } = storedForecast(forecast);
  return {
    cluster,
    from,
    to,
    strategy,
    planHash,
    snapshotTakenAt,
    madeAt,
    runs,
    total,
    blockers: { count: blockers.count, nodeCount: blockers.nodes, first: blockers.pods.slice(0, NAMED).map(quotedBlocker) },
    downtimes: { count: downtimes.count, first: downtimes.workloads.slice(0, NAMED).map(quotedDowntime) },
    gates: some(gates.map(({ title, share }) => ({ title: short(title), share }))),
    nodes: { ...some(nodesReplaced), replaced: nodesReplacedIn(forecast) },
    peak: { ...peak, shortOfAddresses: peak.shortOfAddresses.slice(0, NAMED) },
    limits: some(limits.map(short)),
    calibration: basesOf(forecast),
  };
}

const some = <T>(all: readonly T[]): Some<T> => ({ count: all.length, first: all.slice(0, NAMED) });

const short = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…`);

function basesOf({ calibration }: Pick<Forecast, 'calibration'>): ForecastSummary['calibration'] {
  const counts: ForecastSummary['calibration'] = {};
  for (const { basis } of calibration) counts[basis] = (counts[basis] ?? 0) + 1;
  return counts;
}
