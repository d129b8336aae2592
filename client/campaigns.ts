/** Plans, starts, steers and reports campaigns through the Temporal client: Slack actions and the CLI both call this. */
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import type { Prove } from '../domain/gates/identity-proof.ts';
import type { Actor } from '../domain/gates/actor.ts';
import type { CampaignPlan } from '../domain/plan/campaign/types.ts';
import type { Retry } from '../domain/run/campaign/commands.ts';
import { fleetSize } from '../domain/run/campaign/view.ts';
import {
  type CampaignInput,
  type CampaignPlanInput,
  campaignPlanWorkflowId,
  type CampaignStatus,
  campaignStatus,
  type CampaignVerb,
  campaignWorkflowId,
} from '../workflows/contract/campaign.ts';
import { TASK_QUEUE } from '../workflows/contract/ids.ts';
import { WORKFLOWS } from '../workflows/contract/messages.ts';
import { type Bundles, createBundles } from './bundles.ts';
import { type Answer, type Upgrades, UpgradesError, type UpgradesSettings } from './contract.ts';
import { campaignProblems, campaignRunning, noCampaign, noSuchCampaignYet } from './messages.ts';
import { readAgain } from './query-status.ts';
import { sendCampaignCommand } from './send-commands.ts';
import { campaignCommandOf, campaignStartOf } from './sign-commands.ts';
import {
  FIRST_TASK_MS,
  isNotFound,
  isTimeout,
  refuseWithoutWorker,
  rootMessage,
  SERVER_LIMIT_MS,
  translate,
  within,
} from './temporal-calls.ts';

export type { CampaignStatus, CampaignVerb } from '../workflows/contract/campaign.ts';

export interface CampaignRequest {
  campaign: string;
  requestedBy: Actor;
  prove?: Prove;
}

export interface CampaignControl {
  campaign: string;
  verb: CampaignVerb;
  actor: Actor;
  reason?: string;
  retry?: Retry;
  cluster?: string;
  /** The same press or command has the same id. */
  requestId?: string;
  prove?: Prove;
}

export interface StartedCampaign {
  workflowId: string;
  runId: string;
  plan: CampaignPlan;
}

/** Rejects with `UpgradesError` only; its message is for people. */
export interface Campaigns extends Bundles {
  /** Reads every cluster; with `readiness` each is checked, which takes minutes. Changes nothing. */
  plan(campaign: string, options?: { readiness?: boolean }): Promise<CampaignPlan>;
  /** Plans, with readiness, and starts; refuses where the plan has problems. It waits at the gate of its first ring. */
  start(request: CampaignRequest): Promise<StartedCampaign>;
  status(campaign: string): Promise<CampaignStatus>;
  /** Names of campaigns that are open. */
  list(): Promise<string[]>;
  control(request: CampaignControl): Promise<Answer>;
}

/** Reading a thousand clusters takes minutes, checking them longer. */
const PLAN_LIMIT_MS = 10 * 60_000;
const CHECKED_LIMIT_MS = 60 * 60_000;
const STATUS_LIMIT_MS = 5_000;

export function createCampaigns(client: Client, settings: UpgradesSettings, upgrades: Pick<Upgrades, 'decide'>): Campaigns {
  const taskQueue = settings.taskQueue ?? TASK_QUEUE;
  const plan: Campaigns['plan'] = async (campaign, { readiness = false } = {}) => {
    const limitMs = readiness ? CHECKED_LIMIT_MS : PLAN_LIMIT_MS;
    try {
      const handle = await within(client, SERVER_LIMIT_MS, () =>
        client.workflow.start<(input: CampaignPlanInput) => Promise<CampaignPlan>>(WORKFLOWS.campaignPlan, {
          workflowId: `${campaignPlanWorkflowId(campaign)}/${readiness ? 'checked' : 'read'}`,
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowExecutionTimeout: limitMs,
          taskQueue,
          args: [{ campaign, readiness }],
          staticSummary: `Plan campaign ${campaign}`,
          staticDetails: 'Reads every cluster of the campaign and makes a plan. Changes nothing.',
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
      throw new UpgradesError('failed', noSuchCampaignYet(campaign, Math.round(limitMs / 60_000)));
    } catch (error) {
      throw translate(client, error);
    }
  };
  return {
    ...createBundles(client, upgrades),
    plan,

    async start({ campaign, requestedBy, prove = settings.prove }) {
      const made = await plan(campaign, { readiness: true });
      if (made.problems.length > 0) throw new UpgradesError('refused', campaignProblems(campaign, made.problems));
      const workflowId = campaignWorkflowId(campaign);
      const input: CampaignInput = { campaign, plan: made, requestedBy };
      const signed = await campaignStartOf(prove, workflowId, input);
      try {
        const handle = await within(client, SERVER_LIMIT_MS, () =>
          client.workflow.start<(input: CampaignInput) => Promise<CampaignStatus>>(WORKFLOWS.campaign, {
            workflowId,
            workflowIdConflictPolicy: 'FAIL',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            taskQueue,
            args: [signed],
            staticSummary: `Campaign ${campaign} to ${made.target}: ${fleetSize(made)}`,
            staticDetails: `Plan ${made.hash}. Each ring waits for its approval; terminating the campaign touches no cluster's run.`,
          }),
        );
        return { workflowId, runId: handle.firstExecutionRunId, plan: made };
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) throw new UpgradesError('already-running', campaignRunning(campaign));
        throw translate(client, error);
      }
    },

    async status(campaign) {
      const handle = client.workflow.getHandle(campaignWorkflowId(campaign));
      try {
        return await readAgain(() => within(client, STATUS_LIMIT_MS, () => handle.query(campaignStatus)));
      } catch (error) {
        throw isNotFound(error) ? new UpgradesError('not-running', noCampaign(campaign)) : translate(client, error);
      }
    },

    async list() {
      const names: string[] = [];
      try {
        await within(client, SERVER_LIMIT_MS, async () => {
          for await (const { workflowId } of client.workflow.list({
            query: `WorkflowType = '${WORKFLOWS.campaign}' AND ExecutionStatus = 'Running'`,
          }))
            names.push(workflowId.replace(/^eks-campaign\//, ''));
        });
        return names.toSorted();
      } catch (error) {
        throw translate(client, error);
      }
    },

    async control(request) {
      const workflowId = campaignWorkflowId(request.campaign);
      const payload = await campaignCommandOf(client, settings, workflowId, request);
      return await sendCampaignCommand(client, settings, { workflowId, gone: noCampaign(request.campaign) }, payload);
    },
  };
}
