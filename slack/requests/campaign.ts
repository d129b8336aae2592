/** `/eks-upgrade campaign`: plan, start and steer campaigns; their gates are buttons as all others are. */
import type { SlackDeps } from '../interaction/deps.ts';
import { sentenceOf } from '../interaction/failure-text.ts';
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import { campaignBlocks, campaignPlanBlocks, openCampaignsBlocks } from '../blocks/campaigns/campaign.ts';
import { defined } from '../../domain/core/defined.ts';
import type { CampaignCommandText } from './commands/parse-campaign.ts';
import type { CampaignVerb } from '../../client/campaigns/campaigns.ts';
import { runsCommanded } from '../../client/calls/messages.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { campaignView } from '../../domain/run/campaign/view.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { campaignBegun, campaignPlanning, ringGoesBack, ringPlanningBack } from '../messages/answers.ts';

export async function runCampaignCommand(
  deps: SlackDeps,
  command: CampaignCommandText,
  actor: Actor,
  requestId: string,
  listener: Listener,
): Promise<void> {
  const { verb, campaign, retry, beside: cluster, ring = '', reason } = command;
  const steer = (what: CampaignVerb): Promise<void> =>
    sendAndTell(deps, listener, () =>
      deps.campaigns.control({ campaign, verb: what, actor, requestId, ...defined({ retry, cluster, reason }) }),
    );
  try {
    switch (verb) {
      case 'list':
        return await tell(listener, openCampaignsBlocks(await deps.campaigns.list(), deps.clusters.campaigns().length > 0));
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
      case 'rollback': {
        await tell(listener, says(ringPlanningBack(campaign, ring)));
        const { plan } = await deps.campaigns.rollBack({ campaign, ring, requestedBy: actor });
        return await tell(listener, marked(ringGoesBack(campaign, ring, plan.hash)));
      }
      case 'pause':
      case 'resume':
        if (command.runs === true) {
          const answer = await deps.campaigns.controlAll({ campaign, verb, actor, requestId, ...defined({ reason }) });
          const said = [answer.campaign?.reply.message, answer.runs === undefined ? undefined : runsCommanded(answer.runs)];
          return await tell(listener, says(said.filter((each) => each !== undefined).join('\n')));
        }
        return await steer(verb);
      case 'stop':
      case 'beside':
      case 'retry':
        return await steer(verb);
    }
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    await tell(listener, says(sentenceOf(error)));
  }
}
