/** What a campaign may ask of the world. */
import type { Actor } from '../../domain/gates/actor.ts';
import type { CampaignPlan, FleetMember, PlannedRing } from '../../domain/plan/campaign/types.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Look } from '../../domain/run/campaign/looks.ts';
import type { HealthReading } from '../../domain/run/campaign/soak.ts';
import type { StartResult } from '../../domain/run/campaign/starts.ts';
import type { WayBack } from '../../domain/facts/rollback-window.ts';
import type { RingPolicy } from '../../domain/policy/campaigns.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { Target } from './target.ts';

/** Which campaign's ring a run is started for. */
export interface CampaignOf {
  campaign: string;
  ring: string;
  attempt: number;
  /** The ring's approval stands for the run's first gate. */
  coversStart?: true;
}

/** A ring as its campaign knows it. `members`: each with why there is nothing to take back, if so. */
export interface KnownRing {
  of: Pick<CampaignPlan, 'campaign' | 'target' | 'limits'>;
  ring: Pick<PlannedRing, 'name' | 'parallel'>;
  members: { cluster: ClusterRef; environment: string; not?: string }[];
}

/** Until when EKS takes a cluster back, or why that could not be read. */
export type ReadWayBack = { back: WayBack } | { unread: string };

export interface CampaignActivities {
  /** The clusters that the campaign may be about, and the policy that its gates go by: belay.yaml as it is now. Fails with `Configuration`. */
  loadCampaign(input: { campaign: string }): Promise<{
    target: string;
    policy: UpgradePolicy;
    /** `rings`: in which it may be, by what they select. `excluded`: it is left out now. */
    clusters: { cluster: ClusterRef; environment: string; rings?: string[]; excluded?: true }[];
    /** Rings whose approval stands for the first gate of their runs. */
    covering?: string[];
    rings?: RingPolicy[];
    limits?: CampaignPlan['limits'];
  }>;
  /** What is known of some clusters, all of one network. Never fails because of one: what cannot be read says why. Reads only. */
  readFleet(input: { clusters: ClusterRef[]; target: string }): Promise<{ members: Omit<FleetMember, 'environment'>[] }>;
  /** The plan, from belay.yaml as it is now. `owners`: which campaign has a cluster, by its key. Reads records only. */
  planCampaign(input: { campaign: string; fleet: FleetMember[] }): Promise<CampaignPlan>;
  /**
   * May this cluster's run start now: version, offer, windows? `ready`, or what it comes to instead. Temporal is not asked: one that is at the target, or
   * beyond it, may have a run that is still open. Reads only.
   */
  examineMember(input: Target & { target: string; needMs: number; since: string }): Promise<{ kind: 'ready' } | StartResult>;
  /** Is a run of this cluster open? By Temporal alone. */
  findOpenRun(input: Target): Promise<{ isOpen: boolean }>;
  /**
   * Starts the cluster's run, or adopts the one that is open with the same target. Repeated, it starts no second one, even if the first has ended
   * meanwhile: a run to the same target that began after `askedAt` (ISO 8601, by Temporal's clock) is the answer. `back`: its way back, where one that is
   * open is adopted if it goes back, too.
   */
  startMember(input: Target & { target: string; of: CampaignOf; requestedBy: Actor; askedAt: string; back?: true }): Promise<StartResult>;
  /** How runs are getting on, by Temporal and the records. `back`: they go back to `target`, and have arrived there. */
  lookAtMembers(input: {
    target: string;
    campaign: string;
    /** `known`: a hash of what its gate was seen to ask. */
    members: { cluster: ClusterRef; runId: string; ring?: string; known?: string }[];
    back?: true;
  }): Promise<{ looks: Record<string, Look> }>;
  /** Of clusters that have arrived, all of one network: whether they are still at the target. Never fails because of one. Reads only. */
  lookAtArrived(input: { clusters: ClusterRef[]; target: string }): Promise<{ looks: Record<string, Look> }>;
  /** Alerts and nodes of clusters of one network, as they are now. */
  readSoakHealth(input: { clusters: ClusterRef[] }): Promise<HealthReading>;
  /** undefined: Temporal knows no such campaign any more. Fails with `Configuration` for a ring that it does not have. */
  findRing(input: { campaign: string; ring: string }): Promise<{ known?: KnownRing }>;
  /** Until when EKS takes clusters back, all of one network, by their keys. Never fails because of one. Reads only. */
  readWaysBack(input: { clusters: ClusterRef[] }): Promise<{ ways: Record<string, ReadWayBack> }>;
  /** May its way back begin now? Not while the campaign goes on, nor once EKS does not take it back any more, by `way`. Asks Temporal alone. */
  examineWayBack(input: Target & { campaign: string; target: string; way: ReadWayBack }): Promise<{ kind: 'ready' } | StartResult>;
}
