/** `belay campaign start|rollback|stop`: what posts, or cannot be taken back, asks once on a terminal. */
import type { Command } from 'commander';
import type { Campaigns } from '../../client/campaigns/campaigns.ts';
import { endedCampaign, openCampaign } from '../../client/campaigns/newest-campaign.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { defined } from '../../domain/core/defined.ts';
import { rollbackName } from '../../domain/plan/campaign/plan-rollback.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { campaignOf } from '../../domain/policy/config/of-cluster.ts';
import { type CampaignView, campaignView } from '../../domain/run/campaign/view.ts';
import { renderRollbackPlan } from '../render/campaign.ts';
import { campaignStartQuestion, campaignStopQuestion, ringRollbackQuestion } from '../render/questions.ts';
import { confirmFirst, withQuestion, type YesOptions } from '../shared/confirm.ts';
import {
  type CommonOptions,
  type FormatOptions,
  parseReason,
  printReply,
  readConfig,
  readConfigToStart,
  type Sender,
  show,
  withFormat,
  withUpgrades,
} from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { campaignStarted, rollbackOfRingStarted } from '../messages/outcomes.ts';
import { campaignPlanText } from './campaign-plan-text.ts';

type Options = CommonOptions & FormatOptions & YesOptions;

/** What all commands of a campaign share. `named`: the command with its argument. */
export interface CampaignCommands {
  named: (name: string) => Command;
  senderIn: (config: Config) => Promise<Sender>;
}

export function startCommand({ named, senderIn }: CampaignCommands): Command {
  return withQuestion(withFormat(named('start')))
    .description('plan with readiness, open a thread, and wait at the gate of the first ring')
    .action(async (name: string, options: Options) => {
      const config = readConfigToStart(options);
      const policy = campaignOf(config, name);
      const { actor: requestedBy, prove } = await senderIn(config);
      await withUpgrades(config, async (_, campaigns) => {
        await confirmFirst(options, async () => {
          await endedCampaign(campaigns, name);
          return campaignStartQuestion(policy);
        });
        const started = await campaigns.start({ campaign: name, requestedBy, ...defined({ prove }) });
        const text = await campaignPlanText(config);
        show(options, started, ({ plan, workflowId }) => `${text(plan)}\n\n${campaignStarted(workflowId, name)}`);
      });
    });
}

export function rollbackCommand({ named, senderIn }: CampaignCommands): Command {
  return withQuestion(withFormat(named('rollback')))
    .description('roll a ring back while EKS allows it (7 days): pauses the campaign, lists the clusters, and waits for one approval')
    .argument('<ring>', 'ring whose clusters are rolled back')
    .option('--dry-run', 'show which clusters can be rolled back and start nothing')
    .action(async (campaign: string, ring: string, options: Options & { dryRun?: true }) => {
      const config = options.dryRun === true ? readConfig(options) : readConfigToStart(options);
      campaignOf(config, campaign);
      if (options.dryRun === true)
        return await withUpgrades(config, async (_, campaigns) => {
          const plan = await campaigns.planRollback({ campaign, ring });
          show(options, plan, renderRollbackPlan);
          if (plan.problems.length > 0) throw new CliError(plan.problems.join(' '), EXIT.refused);
        });
      const { actor: requestedBy, prove } = await senderIn(config);
      await withUpgrades(config, async (_, campaigns) => {
        await confirmFirst(options, async () => {
          await endedCampaign(campaigns, rollbackName(campaign, ring));
          return ringRollbackQuestion(campaign, ring);
        });
        const started = await campaigns.rollBack({ campaign, ring, requestedBy, ...defined({ prove }) });
        show(
          options,
          started,
          ({ plan, workflowId }) => `${renderRollbackPlan(plan)}\n\n${rollbackOfRingStarted(workflowId, plan.campaign)}`,
        );
      });
    });
}

export function stopCommand({ named, senderIn }: CampaignCommands): Command {
  return withQuestion(named('stop'))
    .description('end the campaign; running upgrades finish on their own')
    .option('-r, --reason <text>', 'why; recorded with the command', parseReason)
    .action(async (campaign: string, options: CommonOptions & YesOptions & { reason?: string }) => {
      const config = readConfig(options);
      const { actor, prove } = await senderIn(config);
      await withUpgrades(config, async (_, campaigns) => {
        let run: string | undefined;
        await confirmFirst(options, async () => {
          run = await openCampaign(campaigns, campaign);
          return campaignStopQuestion(campaign, await viewOf(campaigns, campaign));
        });
        const { reason } = options;
        printReply(await campaigns.control({ campaign, verb: 'stop', actor, ...defined({ run, reason, prove }) }), config);
      });
    });
}

/** Temporal keeps a stop for a worker; only what it would end is not seen then. */
async function viewOf(campaigns: Campaigns, campaign: string): Promise<CampaignView | string> {
  try {
    return campaignView(await campaigns.status(campaign));
  } catch (error) {
    if (error instanceof UpgradesError) return error.message;
    throw error;
  }
}
