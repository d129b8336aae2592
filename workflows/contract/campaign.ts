/** Names and shapes of what is sent to a campaign's workflow. Values and types only: slack/ and cli/ import this too. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AuditEvent } from '../../domain/gates/audit.ts';
import type { DecisionReply, GateState } from '../../domain/gates/gate.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { Saying } from '../../domain/gates/identity-proof.ts';
import type { Signed } from '../../domain/gates/signed-message.ts';
import type { OpenGate } from '../../domain/gates/gate.ts';
import type { CarriedBundles } from './bundles.ts';
import type { CampaignPlan, FleetMember, MemberReadiness } from '../../domain/plan/campaign/types.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { CampaignState } from '../../domain/run/campaign/state.ts';
import type { Retry } from '../../domain/run/campaign/commands.ts';

export const campaignWorkflowId = (campaign: string): string => `eks-campaign/${campaign}`;
/** The campaign in the id of its workflow; undefined for another id. */
export const campaignNameOf = (workflowId: string): string | undefined => /^eks-campaign\/(.+)$/.exec(workflowId)?.[1];
export const ringRollbackPlanWorkflowId = ({ campaign, ring }: RingRollbackInput): string => `eks-campaign-plan/${campaign}/back/${ring}`;
export const campaignPlanWorkflowId = (campaign: string): string => `eks-campaign-plan/${campaign}`;

/** What a campaign's run hands on to the next: everything that is not asked anew. */
export interface CarriedCampaign {
  state: CampaignState;
  requestedBy: Actor;
  /** Who the first run has proved: what starts clusters needs it. */
  grant?: string;
  /** When the campaign began, ISO 8601. */
  startedAt: string;
  /** Keys of messages whose last state has not gone out. */
  untold?: string[];
  /** Events of the audit record that could not be written yet. */
  unwritten?: AuditEvent[];
  /** What is said once, by its key. */
  said?: string[];
  /** Open while the run was handed on, with its votes. */
  gate?: GateState;
  /** Ids of signed messages that were taken: none is taken again. */
  used?: string[];
  /** Equal gates that were offered together. */
  bundles?: CarriedBundles;
  /** What the run went by, for where belay.yaml cannot be read when the next one begins. */
  policy?: UpgradePolicy;
  /** Resumed a moment ago: what has arrived is looked at before anything starts. */
  looksAtAll?: true;
}

export interface CampaignInput extends Omit<Signed, 'run'> {
  campaign: string;
  plan: CampaignPlan;
  requestedBy: Actor;
  carried?: CarriedCampaign;
}

/** `readiness`: check every cluster, too, which takes minutes. */
export interface CampaignPlanInput {
  campaign: string;
  readiness: boolean;
}

/** Which ring of which campaign is to go back. */
export interface RingRollbackInput {
  campaign: string;
  ring: string;
}

export type CampaignVerb = 'pause' | 'resume' | 'stop' | 'retry' | 'beside';

/** What people ask of a campaign outside of its gates. */
export interface CampaignCommand extends Signed {
  verb: CampaignVerb;
  actor: Actor;
  reason?: string;
  /** With `retry`. */
  retry?: Retry;
  /** With `beside`: the cluster, as `account/region/name` or by its name alone. */
  cluster?: string;
}

/** What a command says beside who sent it and why: its proof is bound to that, on both sides. */
export const sayingOf = ({ verb, retry, cluster }: Pick<CampaignCommand, 'verb' | 'retry' | 'cluster'>): Saying['what'] => ({
  verb,
  ring: retry?.ring,
  only: retry?.only?.join(','),
  lift: retry?.lift?.join(','),
  without: retry?.without?.join(','),
  cluster,
});

export interface CampaignStatus {
  workflowId: string;
  runId: string;
  /** Of the first run of the chain, whose messages in Slack it goes on with; absent: it is this one. */
  firstRunId?: string;
  requestedBy: Actor;
  startedAt: string;
  plan: CampaignPlan;
  state: CampaignState;
  gates: OpenGate[];
  /** ISO 8601: the last look at the clusters. */
  lookedAt?: string;
}

export const campaignCommand = defineUpdate<DecisionReply, [CampaignCommand]>('campaignCommand');
/** The durable fallback when no worker answers. */
export const campaignCommandSent = defineSignal<[CampaignCommand]>('campaignCommandSent');
/** A run of the campaign has ended: it is looked at at once. Says nothing that is believed. */
export const memberEnded = defineSignal<[{ cluster: string }]>('memberEnded');
export const campaignStatus = defineQuery<CampaignStatus>('campaignStatus');

export interface CampaignPlanResult {
  plan: CampaignPlan;
  fleet: FleetMember[];
  readiness?: Record<string, MemberReadiness>;
}
