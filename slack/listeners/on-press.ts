/** A button whose value says what it does: acknowledged, and answered in words whatever comes of it. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { type Listener, says, tell } from '../interaction/reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { whyRefused } from '../interaction/membership-guard.ts';
import { takenOnce } from '../interaction/take-once.ts';
import { actorOf, listenerOf } from '../interaction/actor.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { buttonUnreadable } from '../messages/refusals.ts';

export interface Press<Value> {
  actionId: string;
  /** undefined: it is none of ours. */
  parse: (value: string | undefined) => Value | undefined;
  act: (value: Value, actor: Actor, listener: Listener, body: BlockAction) => Promise<void>;
  /** It only shows something, and may be done twice. */
  showsOnly?: boolean;
}

/** People from outside are refused before anything is done. */
export function onPress<Value>(app: App, deps: SlackDeps, { actionId, parse, act, showsOnly = false }: Press<Value>): void {
  app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: actionId }, async ({ ack, action, body, respond }) => {
    await ack();
    const listener = listenerOf(deps, body, respond);
    const value = parse(action.value);
    if (value === undefined) return await tell(listener, says(buttonUnreadable()));
    const refusal = await whyRefused(deps, body.user.id);
    if (refusal !== undefined) return await tell(listener, says(refusal));
    try {
      const actor = actorOf(body);
      if (showsOnly || (await takenOnce(deps, body.trigger_id, actor))) await act(value, actor, listener, body);
    } catch (error) {
      await tell(listener, says(failureSentence(error, deps.log, actionId)));
    }
  });
}
