/** What a campaign may ask of the world. */
import type { Actor } from '../../domain/gates/actor.ts';
import type { CampaignPlan, FleetMember } from '../../domain/plan/campaign/types.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Look } from '../../domain/run/campaign/looks.ts';
import type { HealthReading } from '../../domain/run/campaign/soak.ts';
import type { StartResult } from '../../domain/run/campaign/starts.ts';
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

export interface CampaignActivities {
  /** The clusters that the campaign may be about, and the policy that its gates go by: belay.yaml as it is now. Fails with `Configuration`. */
  loadCampaign(input: { campaign: string }): Promise<{
    target: string;
    policy: UpgradePolicy;
    clusters: { cluster: ClusterRef; environment: string }[];
  }>;
  /** What is known of some clusters, all of one network. Never fails because of one: what cannot be read says why. Reads only. */
  readFleet(input: { clusters: ClusterRef[]; target: string }): Promise<{ members: Omit<FleetMember, 'environment'>[] }>;
  /** The plan, from belay.yaml as it is now. `owners`: which campaign has a cluster, by its key. Reads records only. */
  planCampaign(input: { campaign: string; fleet: FleetMember[] }): Promise<CampaignPlan>;
  /** May this cluster's run start now: version, offer, windows? `ready`, or what it comes to instead. Reads only. */
  examineMember(input: Target & { target: string; needMs: number; since: string }): Promise<{ kind: 'ready' } | StartResult>;
  /** Starts the cluster's run, or adopts the one that is open with the same target. Repeated, it starts no second one. */
  startMember(input: Target & { target: string; of: CampaignOf; requestedBy: Actor }): Promise<StartResult>;
  /** How runs are getting on; of those that have arrived, whether they are still there. */
  lookAtMembers(input: {
    target: string;
    campaign: string;
    /** `known`: a hash of what its gate was seen to ask. */
    members: { cluster: ClusterRef; runId?: string; ring?: string; known?: string }[];
  }): Promise<{ looks: Record<string, Look> }>;
  /** Alerts and nodes of clusters of one network, as they are now. */
  readSoakHealth(input: { clusters: ClusterRef[] }): Promise<HealthReading>;
}
