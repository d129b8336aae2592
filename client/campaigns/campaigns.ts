/** Plans, starts, steers and reports campaigns through the Temporal client: Slack actions and the CLI both call this. */
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defined } from '../../domain/core/defined.ts';
import type { Prove } from '../../domain/gates/identity-proof.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { CampaignPlan } from '../../domain/plan/campaign/types.ts';
import type { Retry } from '../../domain/run/campaign/commands.ts';
import { mayStart } from '../../domain/run/campaign/starts.ts';
import { fleetSize } from '../../domain/run/campaign/view.ts';
import {
  type CampaignInput,
  type CampaignStatus,
  campaignStatus,
  type CampaignVerb,
  campaignWorkflowId,
} from '../../workflows/contract/campaign.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { type Bundles, createBundles } from './bundles.ts';
import { type CampaignPlans, createCampaignPlans } from './campaign-plans.ts';
import { type CampaignRunControl, createRunControl } from './campaign-run-control.ts';
import { type Answer, type KnownRun, type Upgrades, UpgradesError, type UpgradesSettings } from '../calls/contract.ts';
import { campaignNotPaused, campaignProblems, campaignRunning, noCampaign } from '../calls/messages.ts';
import { createProposals, type Proposals } from './proposals.ts';
import { listOpen } from './open-campaigns.ts';
import { newestRun } from '../reading/newest-run.ts';
import { ask } from '../reading/query-status.ts';
import { sendCampaignCommand } from '../steering/send-commands.ts';
import { campaignCommandOf, campaignStartOf } from '../calls/sign-commands.ts';
import { SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';

export type { CampaignStatus, CampaignVerb } from '../../workflows/contract/campaign.ts';

export interface CampaignRequest {
  campaign: string;
  requestedBy: Actor;
  prove?: Prove;
}

/** A ring that is to go back. */
export interface RollbackRequest extends CampaignRequest {
  ring: string;
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
  /** The first of the runs that it is meant for; another one refuses it. */
  run?: string;
  prove?: Prove;
}

export interface StartedCampaign {
  workflowId: string;
  runId: string;
  plan: CampaignPlan;
}

/** Rejects with `UpgradesError` only; its message is for people. */
export interface Campaigns extends CampaignPlans, Bundles, CampaignRunControl {
  /** Plans, with readiness, and starts; refuses where the plan has problems. It waits at the gate of its first ring. */
  start(request: CampaignRequest): Promise<StartedCampaign>;
  /** Pauses the campaign where it goes on, plans, and starts what takes the ring back: a campaign of its own, which waits at its gate. */
  rollBack(request: RollbackRequest): Promise<StartedCampaign>;
  status(campaign: string): Promise<CampaignStatus>;
  /** As Temporal alone knows it; undefined: it knows none. */
  newestRun(campaign: string): Promise<KnownRun | undefined>;
  /** Names of campaigns that are open. */
  list(): Promise<string[]>;
  control(request: CampaignControl): Promise<Answer>;
  /** Those that Belay proposes. */
  proposals: Proposals;
}

export function createCampaigns(
  client: Client,
  settings: UpgradesSettings,
  upgrades: Pick<Upgrades, 'decide' | 'pause' | 'resume'>,
): Campaigns {
  const taskQueue = settings.taskQueue ?? TASK_QUEUE;
  const plans = createCampaignPlans(client, taskQueue);
  const begin = async (made: CampaignPlan, requestedBy: Actor, prove: Prove | undefined): Promise<StartedCampaign> => {
    const { campaign } = made;
    refuseProblems(made);
    const workflowId = campaignWorkflowId(campaign);
    const signed = await campaignStartOf(prove, workflowId, { campaign, plan: made, requestedBy });
    const what = made.rollbackOf === undefined ? 'Campaign' : 'Rollback';
    try {
      const handle = await within(client, SERVER_LIMIT_MS, () =>
        client.workflow.start<(input: CampaignInput) => Promise<CampaignStatus>>(WORKFLOWS.campaign, {
          workflowId,
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          taskQueue,
          args: [signed],
          staticSummary: `${what} ${campaign} to ${made.target}: ${fleetSize(made)}`,
          staticDetails: `Plan ${made.hash}. Each ring waits for its approval; terminating the campaign touches no cluster's run.`,
        }),
      );
      return { workflowId, runId: handle.firstExecutionRunId, plan: made };
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) throw new UpgradesError('already-running', campaignRunning(campaign));
      throw translate(client, error);
    }
  };
  const status: Campaigns['status'] = (campaign) =>
    ask(client, { workflowId: campaignWorkflowId(campaign), gone: noCampaign(campaign) }, campaignStatus);
  const control: Campaigns['control'] = async (request) => {
    const workflowId = campaignWorkflowId(request.campaign);
    const payload = await campaignCommandOf(client, settings, workflowId, request);
    return await sendCampaignCommand(client, settings, { workflowId, run: request.run, gone: noCampaign(request.campaign) }, payload);
  };
  const list: Campaigns['list'] = async () => {
    try {
      return (await listOpen(client)).map(({ name }) => name).toSorted();
    } catch (error) {
      throw translate(client, error);
    }
  };
  /** A campaign that goes on would start clusters while others go back. */
  const pauseFirst = async ({ campaign, ring, requestedBy: actor, prove }: RollbackRequest): Promise<void> => {
    if (!(await list()).includes(campaign) || !mayStart((await status(campaign)).state)) return;
    const { reply } = await control({ campaign, verb: 'pause', actor, reason: `ring ${ring} goes back`, ...defined({ prove }) });
    if (!reply.accepted) throw new UpgradesError('refused', campaignNotPaused(campaign, ring, reply.message));
  };
  return {
    ...plans,
    ...createBundles(client, upgrades),
    ...createRunControl({ status, control, upgrades }),
    proposals: createProposals(client, settings),

    async start({ campaign, requestedBy, prove = settings.prove }) {
      return await begin(await plans.plan(campaign, { readiness: true }), requestedBy, prove);
    },

    async rollBack({ campaign, ring, requestedBy, prove = settings.prove }) {
      const made = await plans.planRollback({ campaign, ring });
      // Nothing is paused for a rollback that cannot begin.
      refuseProblems(made);
      await pauseFirst({ campaign, ring, requestedBy, ...defined({ prove }) });
      return await begin(made, requestedBy, prove);
    },

    status,
    newestRun: (campaign) => newestRun(client, campaignWorkflowId(campaign)),
    list,
    control,
  };
}

function refuseProblems({ campaign, problems }: CampaignPlan): void {
  if (problems.length > 0) throw new UpgradesError('refused', campaignProblems(campaign, problems));
}
