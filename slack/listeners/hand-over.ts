/** Hand over: the board's button and `/eks-upgrade handover CLUSTER` open a form; whom it names asks for the run from then on. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { type Listener, says, tell } from '../interaction/reply.ts';
import { parseBoardValue, parseHandOverMetadata } from '../blocks/kit/button-values.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { HANDOVER_CALLBACK, NOBODY, personOf } from '../views/handover.ts';
import { reasonOf } from '../views/fields.ts';
import { actorOf, listenerOf } from '../interaction/actor.ts';
import { handOver, openHandOverForm } from '../requests/hand-over.ts';
import { buttonUnreadable } from '../messages/refusals.ts';

export function registerHandOver(app: App, deps: SlackDeps): void {
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: 'upgrade/handover' },
    async ({ ack, action, body, respond }) => {
      await ack();
      const listener = listenerOf(deps, body, respond);
      const value = parseBoardValue(action.value);
      if (value === undefined) return await tell(listener, says(buttonUnreadable()));
      await openHandOverForm(deps, listener, { triggerId: body.trigger_id, of: { workflowId: value.workflowId, run: value.run } });
    },
  );
  app.view({ type: 'view_submission', callback_id: HANDOVER_CALLBACK }, async ({ ack, body, view }) => {
    const to = personOf(view.state.values);
    if (to === undefined) return await ack({ response_action: 'errors', errors: NOBODY });
    await ack();
    const metadata = parseHandOverMetadata(view.private_metadata);
    if (metadata === undefined) return deps.log.warn('a form came back without what it was opened with');
    const { channel, ...of } = metadata;
    const listener: Listener = { web: deps.web, log: deps.log, channel, user: body.user.id };
    // A form is sent once, however often Slack delivers it.
    const request = { ...of, actor: actorOf(body), reason: reasonOf(view.state.values), requestId: view.id };
    await handOver(deps, listener, { ...request, to: { kind: 'slack', id: to } });
  });
}
