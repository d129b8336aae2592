/** A proposed campaign: which clusters are one minor below a version that EKS offers, until when they are supported, and what waiting costs. */
import type { AccountCost } from '../fleet-view/view.ts';
import type { Cost } from '../fleet-view/money.ts';

/** What a look has found for one target. All its clusters are at one minor, the one below. */
export interface ProposalFacts {
  /** "1.35", and the minor that its clusters are at. */
  target: string;
  from: string;
  /** EKS's own Date, ISO 8601. */
  readAt: string;
  withinDays: number;
  /** Clusters that could start now. */
  clusterCount: number;
  /** In the order in which they would be upgraded. */
  environments: { name: string; clusterCount: number }[];
  /** Of `from`, ISO dates; absent: not known. */
  endOfStandardSupport?: string;
  endOfExtendedSupport?: string;
  /** AWS upgrades these by itself at the end of standard support: their upgrade policy is STANDARD. */
  forcedCount: number;
  /** The dearest first. */
  accounts: Pick<AccountCost, 'account' | 'clusterCount' | 'unknownCount' | 'usdPerDay' | 'usdWithin'>[];
  total: Cost;
  /** Clusters in regions to which EKS does not offer the target yet. */
  lacking: PlaceCount[];
  /** Clusters in regions of which it is not known. */
  offersUnread: PlaceCount[];
  /** Clusters of which no version is known: they may be due as well. */
  unread: Unread;
}

export interface PlaceCount {
  account: string;
  region: string;
  clusterCount: number;
}

/** `why`: the first few reasons, each once. */
export interface Unread {
  count: number;
  why: string[];
}

/** A campaign of belay.yaml that goes to the target. */
export interface ProposedCampaign {
  name: string;
  /** Absent: no plan could be made, and `why` says why. */
  plan?: { hash: string; ringCount: number; clusterCount: number; problems: string[] };
  why?: string;
}

export interface CampaignProposal extends ProposalFacts {
  /** Of belay.yaml; none: `snippet` is what could be written there. */
  campaigns: ProposedCampaign[];
  snippet?: string;
}

/** What a look at all clusters came to. */
export type Looked =
  /** Nothing at all is known, which is never "nothing to do". */
  | { kind: 'unread'; why: string[] }
  | {
      kind: 'read';
      readAt: string;
      /** The most urgent first: the oldest minor. */
      due: ProposalFacts[];
      /** Targets that EKS does not offer to all of their clusters yet. */
      waiting: { target: string; clusterCount: number; lacking: PlaceCount[] }[];
      unread: Unread;
      /** Clusters that open campaigns have; absent: none. */
      underWayCount?: number;
      /** Which campaigns are open is not known, so that proposals may be about their clusters. */
      campaignsUnread?: string;
    };
