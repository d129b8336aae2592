/** The board's buttons: Pause, Resume, Abort. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { says, tell } from '../interaction/reply.ts';
import { parseBoardValue } from '../blocks/kit/button-values.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { actorOf, listenerOf } from '../interaction/actor.ts';
import { buttonUnreadable } from '../messages/refusals.ts';

const BUTTONS = { 'upgrade/pause': 'pause', 'upgrade/resume': 'resume', 'upgrade/abort': 'abort' } as const;

export function registerBoardButtons(app: App, deps: SlackDeps): void {
  for (const [actionId, verb] of Object.entries(BUTTONS)) {
    app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: actionId }, async ({ ack, action, body, respond }) => {
      await ack();
      const listener = listenerOf(deps, body, respond);
      const value = parseBoardValue(action.value);
      if (value === undefined) return await tell(listener, says(buttonUnreadable()));
      const { workflowId, revision, run } = value;
      // One press has one trigger id; the revision tells presses on different boards apart in Temporal's history.
      const request = { workflowId, run, actor: actorOf(body), requestId: `${revision}:${body.trigger_id}` };
      await sendAndTell(deps, listener, () => deps.upgrades[verb](request));
    });
  }
}
