/** More time: a gate's button opens a form; the run judges whether the one who sends it may. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { type Listener, says, tell } from '../interaction/reply.ts';
import { parseExtendMetadata, parseExtendValue } from '../blocks/kit/button-values.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { EXTEND_CALLBACK, extendView, NO_TIME, timeOf } from '../views/extend.ts';
import { reasonOf } from '../views/fields.ts';
import { openForm } from '../interaction/open-modal.ts';
import { actorOf, listenerOf } from '../interaction/actor.ts';
import { buttonUnreadable } from '../messages/refusals.ts';

export function registerExtend(app: App, deps: SlackDeps): void {
  app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: 'upgrade/extend' }, async ({ ack, action, body, respond }) => {
    await ack();
    const listener = listenerOf(deps, body, respond);
    const value = parseExtendValue(action.value);
    const view = value === undefined ? undefined : extendView({ ...value, channel: listener.channel, thread: listener.thread });
    if (view === undefined) return await tell(listener, says(buttonUnreadable()));
    await openForm(deps, listener, view, { triggerId: body.trigger_id, form: 'for more time' });
  });
  app.view({ type: 'view_submission', callback_id: EXTEND_CALLBACK }, async ({ ack, body, view }) => {
    const byMs = timeOf(view.state.values);
    if (byMs === undefined) return await ack({ response_action: 'errors', errors: NO_TIME });
    await ack();
    const metadata = parseExtendMetadata(view.private_metadata);
    if (metadata === undefined) return deps.log.warn('a form came back without what it was opened with');
    const { channel, thread, gate: gateId, workflowId, run } = metadata;
    const listener: Listener = { web: deps.web, log: deps.log, channel, thread, user: body.user.id };
    // A form is sent once, however often Slack delivers it.
    const request = { gateId, workflowId, run, byMs, actor: actorOf(body), reason: reasonOf(view.state.values), requestId: view.id };
    await sendAndTell(deps, listener, () => deps.upgrades.extend(request));
  });
}
