/** The button of `/eks-upgrade campaign` opens a form; what is sent with it is the same as a command. */
import type { App } from '@slack/bolt';
import { CAMPAIGN_FORM_ACTION } from '../../blocks/campaigns/campaign.ts';
import { parseCampaignFormMetadata, parseEmptyValue } from '../../blocks/kit/button-values.ts';
import { actorOf } from '../../interaction/actor.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { failureSentence } from '../../interaction/failure-text.ts';
import { whyRefused } from '../../interaction/membership-guard.ts';
import { openForm } from '../../interaction/open-modal.ts';
import { says, tell } from '../../interaction/reply.ts';
import { takenOnce } from '../../interaction/take-once.ts';
import { campaignAsking, campaignFormTitle, campaignsNone } from '../../messages/campaigns.ts';
import { buttonUnreadable, formUnreadable } from '../../messages/refusals.ts';
import { runCampaignCommand } from '../../requests/campaign.ts';
import { commandFrom } from '../../requests/campaign-form.ts';
import { listenerIn } from '../../requests/upgrade-form.ts';
import { CAMPAIGN_CALLBACK, campaignView, errorBelow, filledCampaign } from '../../views/campaign.ts';
import { reasonOf } from '../../views/fields.ts';
import { resultView } from '../../views/upgrade.ts';
import { onPress } from '../on-press.ts';

export function registerCampaignForm(app: App, deps: SlackDeps): void {
  onPress(app, deps, {
    actionId: CAMPAIGN_FORM_ACTION,
    parse: parseEmptyValue,
    // A trigger id opens one form: docs.slack.dev/reference/methods/views.open
    showsOnly: true,
    act: async (_value, _actor, listener, { trigger_id: triggerId }) => {
      const campaigns = deps.clusters.campaigns();
      if (campaigns.length === 0) return await tell(listener, says(campaignsNone()));
      const view = campaignView(campaigns, { channel: listener.channel });
      if (view === undefined) return await tell(listener, says(buttonUnreadable()));
      await openForm(deps, listener, view, { triggerId, form: 'for campaigns' });
    },
  });
  app.view({ type: 'view_submission', callback_id: CAMPAIGN_CALLBACK }, async ({ ack, body, view }) => {
    const read = commandFrom(filledCampaign(view.state.values), deps.clusters.campaigns(), reasonOf(view.state.values));
    if ('errors' in read) return await ack({ response_action: 'errors', errors: read.errors });
    const { command } = read;
    const metadata = parseCampaignFormMetadata(view.private_metadata);
    if (metadata === undefined) return await ack({ response_action: 'errors', errors: errorBelow('campaign', formUnreadable()) });
    const title = campaignFormTitle();
    await ack({ response_action: 'update', view: resultView(says(campaignAsking(command.verb, command.campaign)), title) });
    const place = { channelId: metadata.channel, channelName: '' };
    const listener = await listenerIn(deps, view.id, { place, title }, body.user.id);
    try {
      const refusal = await whyRefused(deps, body.user.id);
      if (refusal !== undefined) return await tell(listener, says(refusal));
      // A form is sent once, however often Slack delivers it.
      if (!(await takenOnce(deps, view.id, actorOf(body)))) return;
      await runCampaignCommand(deps, command, actorOf(body), view.id, listener);
    } catch (error) {
      await tell(listener, says(failureSentence(error, deps.log, 'the form of campaigns')));
    }
  });
}
