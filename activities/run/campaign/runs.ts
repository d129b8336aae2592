/** What a campaign's activities need of Temporal: the run of a cluster, and starting one. The worker answers with its own client. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import type { CampaignPlan } from '../../../domain/plan/campaign/types.ts';
import type { Offered } from '../../../domain/run/campaign/bundles.ts';
import type { EndedAs } from '../../../domain/run/campaign/looks.ts';
import type { CampaignState } from '../../../domain/run/campaign/state.ts';
import type { CampaignOf } from '../../contract/campaign.ts';

/** The newest run of a cluster that Temporal knows. `startedAt`: ISO 8601, by Temporal's clock. `byItself`: a gate that closes once its time has come. */
export type FoundRun = { runId: string; startedAt: string; target?: string } & (
  | { state: 'open'; phase?: string; gate?: string; byItself?: string; progressAt?: string }
  | { state: 'ended'; outcome: EndedAs; why: string }
);

/** `held`: refused before anything was changed, and why. */
export type Started = { kind: 'started'; runId: string } | { kind: 'running' } | { kind: 'held'; why: string };

export interface CampaignRuns {
  /** Of that run where it is named. undefined: Temporal knows none. Rejects where it cannot be asked. */
  find(cluster: ClusterRef, runId?: string): Promise<FoundRun | undefined>;
  /** Does the open run take its cluster back to an earlier minor? Its workflow says; rejects where it does not. */
  goesBack(cluster: ClusterRef): Promise<boolean>;
  /** What the open gate of the ring's run asks for. Rejects where the run does not say. */
  asks(cluster: ClusterRef, of: { name: string; ring: string }): Promise<Offered>;
  /** Rejects where it is not known whether one was started. */
  start(request: { cluster: ClusterRef; target: string; of: CampaignOf; requestedBy: Actor; back?: true }): Promise<Started>;
  /** The newest of that name; undefined: Temporal knows none. Rejects where it cannot be asked. */
  campaign(name: string): Promise<{ plan: CampaignPlan; state: CampaignState; isOpen: boolean } | undefined>;
  /** Which campaigns are open, by cluster: `account/region/name`. */
  owners(): Promise<Record<string, string>>;
}
