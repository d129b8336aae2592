/** Hand over: the board's button and `/eks-upgrade handover CLUSTER` open a form; whom it names asks for the run from then on. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { messageOf } from '../../domain/core/unknown.ts';
import { type Listener, says, tell } from '../interaction/reply.ts';
import { type HandOverMetadata, parseBoardValue, parseHandOverMetadata } from '../blocks/kit/button-values.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { HANDOVER_CALLBACK, handOverView, NOBODY, personOf } from '../views/handover.ts';
import { reasonOf } from '../views/fields.ts';
import type { HandOverRequest } from '../../client/contract.ts';
import { openForm } from '../interaction/open-modal.ts';
import { actorOf, listenerOf, NOT_OURS } from '../interaction/actor.ts';
import type { Actor } from '../../domain/gates/actor.ts';

export function registerHandOver(app: App, deps: SlackDeps): void {
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: 'upgrade/handover' },
    async ({ ack, action, body, respond }) => {
      await ack();
      const listener = listenerOf(deps, body, respond);
      const value = parseBoardValue(action.value);
      if (value === undefined) return await tell(listener, says(NOT_OURS));
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

/** `of`: the run, or the cluster whose run it is. */
export async function openHandOverForm(
  deps: SlackDeps,
  listener: Listener,
  { triggerId, of, again }: { triggerId: string; of: Omit<HandOverMetadata, 'channel'>; again?: string },
): Promise<void> {
  const view = handOverView({ ...of, channel: listener.channel });
  if (view === undefined) return await tell(listener, says(NOT_OURS));
  await openForm(deps, listener, view, { triggerId, form: 'of the handover', again });
}

/** Nobody who could not ask for an upgrade is given one: bots, guests, people who have left. */
export async function handOver(deps: SlackDeps, listener: Listener, request: HandOverRequest): Promise<void> {
  const refusal = await whyNot(deps, request.to);
  if (refusal !== undefined) return await tell(listener, says(refusal));
  await sendAndTell(deps, listener, () => deps.upgrades.handOver(request));
}

async function whyNot({ people, log }: SlackDeps, { id }: Actor): Promise<string | undefined> {
  try {
    const why = await people.whyOutsider(id);
    return why === undefined ? undefined : `It was not handed over to ${id}: ${why}.`;
  } catch (error) {
    log.warn(`reading to whom it is handed over: ${messageOf(error)}`);
    return `It was not handed over: who ${id} is cannot be read in Slack now. Try again, or use belay handover.`;
  }
}
