/** `/eks-upgrade campaign`: plan, start and steer campaigns; their gates are buttons as all others are. */
import type { SlackDeps } from '../interaction/deps.ts';
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import { campaignBlocks, campaignPlanBlocks } from '../blocks/campaign.ts';
import type { CampaignCommandText } from '../commands/parse-campaign.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { campaignView } from '../../domain/run/campaign/view.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { campaignBegun, campaignPlanning, campaignsOpen } from '../messages/answers.ts';

export async function runCampaignCommand(
  deps: SlackDeps,
  command: CampaignCommandText,
  actor: Actor,
  requestId: string,
  listener: Listener,
): Promise<void> {
  const { verb, campaign, ring } = command;
  try {
    switch (verb) {
      case 'list':
        return await tell(listener, says(campaignsOpen(await deps.campaigns.list())));
      case 'status':
        return await tell(listener, campaignBlocks(campaignView(await deps.campaigns.status(campaign))));
      case 'plan':
        await tell(listener, says(campaignPlanning(campaign)));
        return await tell(listener, campaignPlanBlocks(await deps.campaigns.plan(campaign)));
      case 'start': {
        await tell(listener, says(campaignPlanning(campaign)));
        const { plan } = await deps.campaigns.start({ campaign, requestedBy: actor });
        return await tell(listener, marked(campaignBegun(campaign, plan.hash)));
      }
      case 'pause':
      case 'resume':
      case 'stop':
      case 'retry': {
        const retry = verb === 'retry' ? { retry: ring === undefined ? {} : { ring } } : {};
        return await sendAndTell(deps, listener, () => deps.campaigns.control({ campaign, verb, actor, requestId, ...retry }));
      }
    }
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, says(error.message));
  }
}
