/** Buttons of a proposed campaign: Plan, or How to start, and Dismiss. */
import type { App } from '@slack/bolt';
import { says, tell } from '../../interaction/reply.ts';
import { sendAndTell } from '../../interaction/send-and-reply.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { parseProposalValue } from '../../blocks/kit/button-values.ts';
import { DISMISS_ACTION, MOST_CAMPAIGNS, START_ACTION } from '../../blocks/campaigns/proposal.ts';
import { howToStart } from '../../messages/proposals.ts';
import { runCampaignCommand } from '../../requests/campaign.ts';
import { onPress } from '../on-press.ts';

export function registerProposalButtons(app: App, deps: SlackDeps): void {
  for (let index = 0; index < MOST_CAMPAIGNS; index += 1)
    onPress(app, deps, {
      actionId: `${START_ACTION}/${index}`,
      parse: parseProposalValue,
      // A plan changes nothing; what starts the campaign is a command, and then the gate of its first ring.
      showsOnly: true,
      act: async ({ target, campaign }, actor, listener, body) => {
        if (campaign === undefined) return await tell(listener, says(howToStart(target)));
        await runCampaignCommand(deps, { kind: 'campaign', verb: 'plan', campaign }, actor, body.trigger_id, listener);
      },
    });
  onPress(app, deps, {
    actionId: DISMISS_ACTION,
    parse: parseProposalValue,
    act: ({ target, run }, actor, listener, body) =>
      sendAndTell(deps, listener, () => deps.campaigns.proposals.dismiss({ target, run, actor, requestId: body.trigger_id })),
  });
}
