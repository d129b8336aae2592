/** What a plan says of the newest forecast of its cluster: beside the plan, never part of it, nor of its hash. Bounded, since it goes into a history. */
import type { BlockReason, Spread } from './types.ts';

/** Absent from a plan: none was made for that target. */
export type PlanForecast = QuotedForecast | { kind: 'unread'; why: string };

/** Times are milliseconds. */
export interface QuotedForecast {
  kind: 'made';
  /** ISO 8601. */
  snapshotTakenAt: string;
  madeAt: string;
  /** Of the snapshot when the plan was made. */
  ageMs: number;
  /** What differs, in a few words: another plan was played. Absent: it was this one. */
  another?: string;
  total: Spread;
  steps: { id: string; takes: Spread }[];
  /** `pods`: the first of them; `nodeCount`: that at least one of them blocks. */
  blockers: { count: number; nodeCount: number; pods: QuotedBlocker[] };
  downtimes: { count: number; workloads: QuotedDowntime[] };
  nodesReplaced: Spread;
  /** What was not played, or not read. */
  limitCount: number;
}

export interface QuotedBlocker {
  /** "shop/web-0" */
  pod: string;
  node: string;
  /** "StatefulSet shop/web" */
  workload?: string;
  team?: string;
  reason: BlockReason;
  budgets: string[];
}

export interface QuotedDowntime {
  workload: string;
  team?: string;
  down: Spread;
}
