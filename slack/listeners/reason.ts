/** The submitted form of a reason: decides. */
import type { App } from '@slack/bolt';
import type { Listener } from '../interaction/reply.ts';
import { parseReasonMetadata } from '../blocks/kit/button-values.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { NO_REASON, reasonOf } from '../views/fields.ts';
import { REASON_CALLBACK } from '../views/reason.ts';
import { actorOf } from '../interaction/actor.ts';

export function registerReasonForm(app: App, deps: SlackDeps): void {
  app.view({ type: 'view_submission', callback_id: REASON_CALLBACK }, async ({ ack, body, view }) => {
    const reason = reasonOf(view.state.values);
    if (reason === undefined) return await ack({ response_action: 'errors', errors: NO_REASON });
    await ack();
    const metadata = parseReasonMetadata(view.private_metadata);
    if (metadata === undefined) return deps.log.warn('a form came back without what it was opened with');
    const { channel, thread, ...decision } = metadata;
    const listener: Listener = { web: deps.web, log: deps.log, channel, thread, user: body.user.id };
    const actor = actorOf(body);
    await sendAndTell(deps, listener, () => deps.upgrades.decide({ ...decision, actor, reason }));
  });
}
