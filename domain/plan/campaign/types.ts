/** The plan of a campaign: what people approve, by its hash. */
import type { ClusterRef } from '../../core/cluster-ref.ts';
import type { RingPolicy } from '../../policy/campaigns.ts';

/** What is known of one cluster when the plan is made. */
export interface FleetMember {
  cluster: ClusterRef;
  environment: string;
  /** Of the EKS cluster; absent: not read. */
  tags?: Record<string, string>;
  /** "1.33"; absent: `why` says why it is not known. */
  version?: string;
  why?: string;
  /** What happens at the end of standard support: AWS upgrades the cluster, or charges for it. Absent: not read. */
  supportType?: 'STANDARD' | 'EXTENDED';
  /** Does EKS offer the target in its region? Absent: not read. */
  offered?: boolean;
  /** Absent: no check was made. */
  readiness?: MemberReadiness;
  /** How long 90 % of its recorded upgrades took at most, for one minor; absent: there are none. */
  p90Ms?: number;
  /** Another campaign has it, by its name. */
  owner?: string;
  /** Kinds of nodes, add-ons and AMI families, such as `node group bottlerocket`, `add-on vpc-cni`; absent: not read. */
  kinds?: string[];
}

export interface MemberReadiness {
  verdict: 'ready' | 'not-ready' | 'unknown';
  /** One line: the worst finding. */
  why?: string;
}

/** What the campaign does with a cluster. */
export type MemberVerdict =
  | { kind: 'upgrade'; minors: number }
  | { kind: 'done' }
  | { kind: 'ahead'; version: string }
  /** Not startable as it is now; it is looked at again. */
  | { kind: 'held'; why: string }
  | { kind: 'refused'; why: string };

export interface PlannedMember {
  cluster: ClusterRef;
  environment: string;
  from?: string;
  /** Of a rollback: until when EKS takes the control plane back; ISO 8601 by EKS's clock. */
  backUntil?: string;
  verdict: MemberVerdict;
  readiness?: MemberReadiness;
  p90Ms?: number;
  /** As read when the plan was made. */
  supportType?: FleetMember['supportType'];
}

/** Of a ring, with its shares as numbers: they stay as they are when the ring begins. */
export interface PlannedRing extends Pick<RingPolicy, 'name' | 'canary' | 'soakMs' | 'soakOnRed' | 'promotion' | 'coversStart'> {
  parallel: number;
  failures: number;
  succeed: number;
  members: PlannedMember[];
  /** Kinds that no earlier ring has: what goes wrong there has been tried nowhere. */
  untested: string[];
}

export interface ExcludedMember {
  cluster: ClusterRef;
  reason: string;
  until?: string;
}

export interface CampaignPlan {
  campaign: string;
  /** Its one ring is that ring of that campaign, whose clusters go back to `target`. */
  rollbackOf?: { campaign: string; ring: string };
  /** "1.34" */
  target: string;
  /** ISO 8601 */
  madeAt: string;
  rings: PlannedRing[];
  excluded: ExcludedMember[];
  /** Said before the approval; stop nothing. */
  warnings: string[];
  /** Why nothing may start; none: it may. */
  problems: string[];
  limits: { parallel?: number; perAccount?: number; perRegion?: number; startsPerMinute?: number; stuckAfterMs: number };
  finishBy?: string;
  /** Of all that is approved: rings, clusters, verdicts, limits. Not of the time at which it was made. */
  hash: string;
}

/** Which campaign's ring a run is of. */
export interface CampaignRun {
  name: string;
  ring: string;
  /** The ring's approval stands for the run's first gate. */
  coversStart?: true;
}

/** `account/region/name`: two clusters may have the same name. */
export const memberKey = ({ account, region, name }: ClusterRef): string => `${account}/${region}/${name}`;
