/** The button "Details" of a gate whose message does not show everything. */
import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { slackError } from '../api/errors.ts';
import { DETAILS_ACTION, type DetailsValue, parseDetailsValue } from '../blocks/kit/button-values.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { readGate } from '../interaction/open-gate.ts';
import { openForm } from '../interaction/open-modal.ts';
import { marked, says } from '../interaction/reply.ts';
import { gateNotOpen, readingGate } from '../messages/gates.ts';
import { detailsUnread } from '../messages/refusals.ts';
import { detailsView, detailsWords } from '../views/details.ts';
import { onPress } from './on-press.ts';

export function registerDetails(app: App, deps: SlackDeps): void {
  onPress(app, deps, {
    actionId: DETAILS_ACTION,
    parse: parseDetailsValue,
    // A trigger id opens one form: docs.slack.dev/reference/methods/views.open
    showsOnly: true,
    act: async (value, _actor, listener, { trigger_id: triggerId }) => {
      // A trigger lasts three seconds, and a run whose worker is busy answers later: docs.slack.dev/interactivity/handling-user-interaction
      const viewId = await openForm(deps, listener, detailsWords(marked(readingGate())), { triggerId, form: 'with the details' });
      if (viewId === undefined) return;
      try {
        await deps.web.views.update({ view_id: viewId, view: await detailsOf(deps, value) });
      } catch (error) {
        const { code, message } = slackError(error, 'showing the details');
        // Closed meanwhile.
        if (code !== 'not_found') deps.log.warn(message);
      }
    },
  });
}

/** Never throws. */
async function detailsOf(deps: SlackDeps, value: DetailsValue): Promise<ModalView> {
  try {
    const read = await readGate(deps, value);
    switch (read.kind) {
      case 'open':
        return detailsView(read.gate);
      case 'closed':
        return detailsWords(marked(gateNotOpen('')));
      case 'unread':
        return detailsWords(says(detailsUnread(read.why)));
    }
  } catch (error) {
    return detailsWords(says(detailsUnread(failureSentence(error, deps.log, 'reading the details of a gate'))));
  }
}
