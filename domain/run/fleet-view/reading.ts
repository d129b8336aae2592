/** What was read of many clusters: the material of the fleet's overview. */
import type { SupportedVersion } from '../../facts/facts.ts';
import type { ClusterRef } from '../../core/cluster-ref.ts';
import type { OpenGate } from '../../gates/gate.ts';
import type { CampaignPlan } from '../../plan/campaign/types.ts';
import type { Actor } from '../../gates/actor.ts';
import type { CampaignState } from '../campaign/state.ts';
import type { SupportType } from '../fleet.ts';

/** Where a cluster is: clusters of one name in two accounts or regions are two. */
export type Place = Pick<ClusterRef, 'name' | 'account' | 'region'>;

/** "111122223333/eu-west-1/prod" */
export const placeId = ({ account, region, name }: Place): string => `${account}/${region}/${name}`;

export interface FleetMember {
  cluster: Place;
  environment?: string;
  /** undefined: it could not be read, and `why` says why. */
  version?: string;
  supportType?: SupportType;
  why?: string;
}

/** A region whose clusters could not be listed, and why, with the fix: nobody knows how many there are. */
export interface UnreadRegion {
  region: string;
  why: string;
}

/** A run that is open on a cluster, as Temporal has it. */
export interface FleetRun {
  cluster: Place;
  target?: string;
  phase?: string;
  /** ISO 8601 */
  startedAt: string;
  waitsFor?: FleetGate;
}

/** A freeze of Karpenter's drift that has outlived its run, until somebody decides; `startedAt`: when it froze. */
export type FleetFreeze = Omit<FleetRun, 'phase'>;

export interface FleetGate {
  id: string;
  /** What is asked; undefined: its workflow did not answer. */
  title?: string;
  /** Who has approved and who is missing: "platform 1 of 2". */
  progress?: string;
  /** ISO 8601 */
  expiresAt?: string;
  /** It continues without a decision, such as a bake. */
  byItself?: true;
}

/** What the workflow of an open campaign says of itself. */
export interface CampaignSaid {
  workflowId: string;
  requestedBy: Actor;
  plan: CampaignPlan;
  state: CampaignState;
  gates: OpenGate[];
  /** ISO 8601 */
  lookedAt?: string;
}

/** `open`: as its workflow says. `unread`: open, and its workflow did not say. `configured`: planned from belay.yaml and what was read. */
export type CampaignReading = { name: string } & (
  | { kind: 'open'; said: CampaignSaid }
  | { kind: 'unread'; why: string }
  | { kind: 'configured'; plan: CampaignPlan }
  /** Configured, and only some of the clusters were read. */
  | { kind: 'not-planned' }
);

export interface FleetSources {
  /** `aws`: this machine asked AWS itself, because of `why`. */
  versions: { from: 'worker' } | { from: 'aws'; why: string };
  /** `unread`: which runs are open and which freezes are kept is not known. */
  runs: { from: 'temporal' } | { from: 'unread'; why: string };
  /** `unread`: which campaigns are open is not known. */
  campaigns: { from: 'temporal' } | { from: 'unread'; why: string };
}

export interface FleetReading {
  /** EKS's own Date, ISO 8601. */
  readAt: string;
  members: FleetMember[];
  /** Without belay.yaml, which would name their clusters; absent: none. */
  unreadRegions?: UnreadRegion[];
  /** What EKS offers; empty where that could not be read. */
  offered: SupportedVersion[];
  runs: FleetRun[];
  /** Of clusters without an open run. */
  keptFreezes: FleetFreeze[];
  /** Each name once. */
  campaigns: CampaignReading[];
  sources: FleetSources;
}
