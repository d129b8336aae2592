/** Pace buttons: `pace/<pace>`, on the message of a step that rolls nodes. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { says, tell } from '../interaction/reply.ts';
import { parsePaceValue } from '../blocks/kit/button-values.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { actorOf, listenerOf } from '../interaction/actor.ts';
import { buttonUnreadable } from '../messages/refusals.ts';

export function registerPaceButtons(app: App, deps: SlackDeps): void {
  app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: /^pace\// }, async ({ ack, action, body, respond }) => {
    await ack();
    const listener = listenerOf(deps, body, respond);
    const value = parsePaceValue(action.value);
    if (value === undefined || action.action_id !== `pace/${value.pace}`) return await tell(listener, says(buttonUnreadable()));
    const { workflowId, pace, run, revision } = value;
    const request = { workflowId, pace, run, actor: actorOf(body), requestId: `${revision}:${body.trigger_id}` };
    await sendAndTell(deps, listener, () => deps.upgrades.pace(request));
  });
}
