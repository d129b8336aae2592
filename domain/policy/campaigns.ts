/**
 * Campaigns as belay.yaml says them: which clusters go to which minor, in which rings, how many at once, what stops them, how long each ring soaks.
 * The words are those of AKS Fleet Manager's update runs and of GKE's rollout sequencing.
 */
import type { ApprovalPolicy } from '../gates/approvals.ts';
import type { Timing } from './policy.ts';
import type { WindowPolicy } from './windows.ts';

/** "3", or "20%" of the clusters of a ring. */
export type Share = { kind: 'count'; value: number } | { kind: 'percent'; value: number };

/** Which clusters: everything that is given has to hold, and of each list one entry. Nothing given: all. */
export interface ClusterSelection {
  environments?: string[];
  /** AWS account ids. */
  accounts?: string[];
  regions?: string[];
  /** Of the EKS cluster. */
  tags?: Record<string, string>;
  /** By their names in belay.yaml. */
  clusters?: string[];
}

export interface CampaignExclusion {
  clusters: string[];
  /** Shown in plan and board. */
  reason: string;
  /** A day, "2026-12-31", to its end in UTC; absent: for the whole campaign. */
  until?: string;
}

/** What red health does to a soak: it begins anew, or it waits until health is green again. */
export const SOAK_ON_RED = ['restart', 'hold'] as const;

/** Who lets the next ring begin: people at its gate, or the soak alone. The first ring always asks. */
export const PROMOTIONS = ['ask', 'after-soak'] as const;

/** Runs of a campaign tell channels what needs people and what went wrong, or all that other runs do. */
export const NOTIFY = ['exceptions', 'all'] as const;

export interface RingPolicy {
  name: string;
  select: ClusterSelection;
  /** May it be without clusters? */
  optional: boolean;
  /** One that fails or is rolled back stops the campaign, whatever the budget. */
  canary: boolean;
  /** Clusters that start first, by name; the others follow by theirs. */
  order?: string[];
  parallel: Share;
  failures: Share;
  /** So many have to arrive. Absent: all but those that may fail, and never none. */
  succeed?: Share;
  soakMs: number;
  soakOnRed: (typeof SOAK_ON_RED)[number];
  promotion: (typeof PROMOTIONS)[number];
  /** The ring's approval stands for the first gate of its runs, and for no other. */
  coversStart: boolean;
}

export interface CampaignPolicy {
  name: string;
  /** "1.34" */
  target: string;
  select: ClusterSelection;
  exclude: CampaignExclusion[];
  /** In their order. */
  rings: RingPolicy[];
  /** What a cluster of the selection means that is in no ring. */
  rest: 'refuse' | 'exclude';
  /** May a cluster move more than one minor? */
  hops: 'refuse' | 'allowed';
  /** Runs at the same time, over all rings; absent: as the rings say. */
  parallel?: number;
  perAccount?: number;
  perRegion?: number;
  /** Of one region of one account: each start opens with a burst of reads there. Absent: as many as there are slots. */
  startsPerMinute?: number;
  /** A run that makes no progress for so long is stuck, and counts as failed. */
  stuckAfterMs: number;
  /** A day. Passing it is an alarm, and changes nothing else. */
  finishBy?: string;
  approvals: ApprovalPolicy;
  /** Slack channel; absent: that of belay.yaml. */
  channel?: string;
  /** What holds for all clusters, and none of their own: of gates and messages. Absent: not of a file. */
  timing?: Timing;
  windows?: WindowPolicy;
  /** What its clusters' runs say outside of their own threads. Absent: exceptions. */
  notify?: (typeof NOTIFY)[number];
}

/** A share of `of` clusters: percentages are rounded down. `least`: 1 where none would never end, as with `parallel`. */
export function countOf(share: Share, of: number, least: 0 | 1): number {
  const wanted = share.kind === 'count' ? share.value : Math.floor((share.value * of) / 100);
  return Math.min(of, Math.max(least, wanted));
}

export const shareText = (share: Share): string => (share.kind === 'count' ? String(share.value) : `${share.value}%`);
