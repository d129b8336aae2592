/** Buttons of a message, as the stand-in keeps them. */
import type { Message } from '../../../rehearsal/neighbours/slack/methods/messages.ts';
import { pressables } from '../../../rehearsal/neighbours/slack/payloads.ts';
import { textOf } from '../../../rehearsal/neighbours/slack/block-kit/shape.ts';

/** A press opens a form first: its value says what is asked there. */
export function asksForReason(message: Message, actionId: string): boolean {
  return pressables(message).some(
    ({ element }) => element['action_id'] === actionId && textOf(element['value'])?.includes('"ask"') === true,
  );
}

export function hasButton(message: Message, actionId: string): boolean {
  return pressables(message).some(({ element }) => element['action_id'] === actionId);
}
