/** Gate buttons: `gate/<choice>`. Decides at once, or asks for the reason first. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { type Listener, says, tell } from '../interaction/reply.ts';
import { type GateValue, parseGateValue } from '../blocks/kit/button-values.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { reasonView } from '../views/reason.ts';
import { openForm } from '../interaction/open-modal.ts';
import { actorOf, listenerOf } from '../interaction/actor.ts';
import { buttonUnreadable } from '../messages/refusals.ts';

export function registerGateButtons(app: App, deps: SlackDeps): void {
  app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: /^gate\// }, async ({ ack, action, body, respond }) => {
    await ack();
    const listener = listenerOf(deps, body, respond);
    const value = parseGateValue(action.value);
    if (value === undefined || action.action_id !== `gate/${value.choice}`) return await tell(listener, says(buttonUnreadable()));
    const { ask, ...decision } = value;
    if (ask !== undefined) return await askReason(deps, listener, body.trigger_id, decision, ask);
    const actor = actorOf(body);
    await sendAndTell(deps, listener, () => deps.upgrades.decide({ ...decision, actor }));
  });
}

async function askReason(
  deps: SlackDeps,
  listener: Listener,
  triggerId: string,
  decision: Omit<GateValue, 'ask'>,
  ask: NonNullable<GateValue['ask']>,
): Promise<void> {
  const view = reasonView({ ...decision, channel: listener.channel, thread: listener.thread }, ask);
  if (view === undefined) return await tell(listener, says(buttonUnreadable()));
  await openForm(deps, listener, view, { triggerId, form: 'for the reason' });
}
