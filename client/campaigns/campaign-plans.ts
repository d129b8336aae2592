/** Plans of campaigns, and of rings that are to go back: each is a workflow that reads every cluster, and changes nothing. */
import { type Client, WorkflowFailedError } from '@temporalio/client';
import type { CampaignPlan } from '../../domain/plan/campaign/types.ts';
import {
  type CampaignPlanInput,
  campaignPlanWorkflowId,
  type RingRollbackInput,
  ringRollbackPlanWorkflowId,
} from '../../workflows/contract/campaign.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { UpgradesError } from '../calls/contract.ts';
import { noSuchCampaignYet } from '../calls/messages.ts';
import { FIRST_TASK_MS, isTimeout, refuseWithoutWorker, rootMessage, SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';

/** Reading a thousand clusters takes minutes, checking them longer. */
const PLAN_LIMIT_MS = 10 * 60_000;
const CHECKED_LIMIT_MS = 60 * 60_000;

export interface CampaignPlans {
  /** Reads every cluster; with `readiness` each is checked, which takes minutes. Changes nothing. */
  plan(campaign: string, options?: { readiness?: boolean }): Promise<CampaignPlan>;
  /** Which clusters of a ring EKS still takes back, and which not and why. Changes nothing. */
  planRollback(of: RingRollbackInput): Promise<CampaignPlan>;
}

export function createCampaignPlans(client: Client, taskQueue: string): CampaignPlans {
  const planned = async <T>(
    workflow: string,
    { workflowId, input, summary, limitMs, of }: { workflowId: string; input: T; summary: string; limitMs: number; of: string },
  ): Promise<CampaignPlan> => {
    try {
      const handle = await within(client, SERVER_LIMIT_MS, () =>
        client.workflow.start<(input: T) => Promise<CampaignPlan>>(workflow, {
          workflowId,
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowExecutionTimeout: limitMs,
          taskQueue,
          args: [input],
          staticSummary: summary,
          staticDetails: 'Reads every cluster and makes a plan. Changes nothing.',
        }),
      );
      const firstMs = Math.min(limitMs, FIRST_TASK_MS);
      for (const waitMs of [firstMs, limitMs - firstMs]) {
        try {
          return await within(client, waitMs, () => handle.result());
        } catch (error) {
          if (error instanceof WorkflowFailedError) throw new UpgradesError('invalid', rootMessage(error), { cause: error });
          if (!isTimeout(error)) throw error;
          await refuseWithoutWorker(client, await within(client, SERVER_LIMIT_MS, () => handle.describe()), taskQueue);
        }
      }
      throw new UpgradesError('failed', noSuchCampaignYet(of, Math.round(limitMs / 60_000)));
    } catch (error) {
      throw translate(client, error);
    }
  };
  const plan: CampaignPlans['plan'] = (campaign, { readiness = false } = {}) =>
    planned<CampaignPlanInput>(WORKFLOWS.campaignPlan, {
      workflowId: `${campaignPlanWorkflowId(campaign)}/${readiness ? 'checked' : 'read'}`,
      input: { campaign, readiness },
      summary: `Plan campaign ${campaign}`,
      limitMs: readiness ? CHECKED_LIMIT_MS : PLAN_LIMIT_MS,
      of: campaign,
    });
  const planRollback: CampaignPlans['planRollback'] = ({ campaign, ring }) =>
    planned<RingRollbackInput>(WORKFLOWS.ringRollbackPlan, {
      workflowId: ringRollbackPlanWorkflowId({ campaign, ring }),
      input: { campaign, ring },
      summary: `Plan the rollback of ring ${ring} of campaign ${campaign}`,
      limitMs: CHECKED_LIMIT_MS,
      of: campaign,
    });
  return { plan, planRollback };
}
