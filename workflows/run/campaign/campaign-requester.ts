/** Who asked for a campaign is whom the proof shows, and the plan is the one that was shown. */
import { workflowInfo } from '@temporalio/workflow';
import { campaignText, isTimely } from '../../../domain/gates/identity-proof.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import { hashOfPlan } from '../../../domain/plan/campaign/plan-campaign.ts';
import type { CampaignInput } from '../../contract/campaign.ts';
import { type ApprovalContext, readRight, senderIn } from '../../gates/authorize.ts';
import { planAltered, planHasProblems } from '../../messages/campaigns.ts';
import { requesterUnread, startSignedAtOtherTime } from '../../messages/run.ts';
import { useGrant } from '../../runtime/messages/grant.ts';

/** `refused`: why the campaign does not begin. */
export async function whyNotBegun(
  input: CampaignInput,
  context: ApprovalContext,
): Promise<{ requestedBy: Actor; grant?: string; refused?: string }> {
  const { requestedBy, proof, at, plan } = input;
  const { workflowId, startTime } = workflowInfo();
  const claim = { proof, words: campaignText(workflowId, input) };
  const right = await readRight(context, requestedBy, requesterUnread(), { claim, as: 'requester', starts: true });
  const asked = senderIn(right, requestedBy);
  if (!right.allowed) return { requestedBy: asked, refused: right.why };
  if (proof !== undefined && !isTimely(at, startTime.getTime())) return { requestedBy: asked, refused: startSignedAtOtherTime() };
  if (hashOfPlan(plan) !== plan.hash) return { requestedBy: asked, refused: planAltered() };
  if (plan.problems.length > 0) return { requestedBy: asked, refused: planHasProblems(plan.problems) };
  useGrant(right.grant);
  return { requestedBy: asked, ...(right.grant === undefined ? {} : { grant: right.grant }) };
}
