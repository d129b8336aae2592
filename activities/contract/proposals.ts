/** What the look for campaigns that are due may ask of the world. */
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { FleetVersions } from '../../domain/run/fleet.ts';
import type { Looked, ProposalFacts } from '../../domain/run/proposals/proposal.ts';

/** What EKS answered of clusters of one region of one account. */
export type RegionRead = Pick<ClusterRef, 'account' | 'region'> & FleetVersions;

export interface ProposalActivities {
  /**
   * `proposals` of belay.yaml as it is now, with the next look after `after` (ISO 8601; absent: after now); undefined: none are made. `policy`: its
   * channel, and who may dismiss. Fails with `Configuration`.
   */
  loadProposals(input: { after?: string }): Promise<{ proposals?: { nextAt: string; policy: UpgradePolicy; clusters: ClusterRef[] } }>;
  /** What is due, from what was read of all clusters. Asks Temporal which campaigns are open; reads only. */
  judgeProposals(input: { read: RegionRead[] }): Promise<{ looked: Looked }>;
  /** Of one that is newly due: campaigns of belay.yaml that go to its target, or what could be written there. */
  describeProposal(input: { facts: ProposalFacts }): Promise<{ campaigns: string[]; snippet?: string }>;
}
