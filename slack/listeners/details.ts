/** The button "Details" of a gate whose message does not show everything. */
import type { App } from '@slack/bolt';
import { DETAILS_ACTION, type DetailsValue, parseDetailsValue } from '../blocks/kit/button-values.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { openForm } from '../interaction/open-modal.ts';
import { says, tell } from '../interaction/reply.ts';
import { detailsUnread } from '../messages/refusals.ts';
import { campaignNameOf } from '../../workflows/contract/campaign.ts';
import { clusterNameOf } from '../../workflows/contract/ids.ts';
import type { OpenGate } from '../../domain/gates/gate.ts';
import { detailsView } from '../views/details.ts';
import { onPress } from './on-press.ts';

export function registerDetails(app: App, deps: SlackDeps): void {
  onPress(app, deps, {
    actionId: DETAILS_ACTION,
    parse: parseDetailsValue,
    // A trigger id opens one form: docs.slack.dev/reference/methods/views.open
    showsOnly: true,
    act: async (value, _actor, listener, { trigger_id: triggerId }) => {
      const gate = await openGateOf(deps, value);
      if (gate === undefined) return await tell(listener, says(detailsUnread()));
      await openForm(deps, listener, detailsView(gate), { triggerId, form: 'with the details' });
    },
  });
}

/** undefined: it is closed, or no worker answers. */
async function openGateOf({ upgrades, campaigns }: SlackDeps, { workflowId, gate, run }: DetailsValue): Promise<OpenGate | undefined> {
  const campaign = campaignNameOf(workflowId);
  // One gate over all runs of a campaign.
  if (campaign !== undefined) return (await campaigns.status(campaign)).gates.find(({ id }) => id === gate);
  const answer = await upgrades.status(clusterNameOf(workflowId));
  if (answer.source !== 'workflow' || (run !== undefined && answer.status.runId !== run)) return undefined;
  return answer.status.gates.find(({ id }) => id === gate);
}
