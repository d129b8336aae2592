/** The button "Details" of a gate whose message does not show everything. */
import type { App } from '@slack/bolt';
import { DETAILS_ACTION, parseDetailsValue } from '../blocks/kit/button-values.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { readGate } from '../interaction/open-gate.ts';
import { openForm } from '../interaction/open-modal.ts';
import { says, tell } from '../interaction/reply.ts';
import { detailsUnread } from '../messages/refusals.ts';
import { detailsView } from '../views/details.ts';
import { onPress } from './on-press.ts';

export function registerDetails(app: App, deps: SlackDeps): void {
  onPress(app, deps, {
    actionId: DETAILS_ACTION,
    parse: parseDetailsValue,
    // A trigger id opens one form: docs.slack.dev/reference/methods/views.open
    showsOnly: true,
    act: async (value, _actor, listener, { trigger_id: triggerId }) => {
      const read = await readGate(deps, value);
      if (read.kind !== 'open') return await tell(listener, says(detailsUnread()));
      await openForm(deps, listener, detailsView(read.gate), { triggerId, form: 'with the details' });
    },
  });
}
