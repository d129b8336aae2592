/** Buttons of a message, as the stand-in keeps them. */
import type { Message } from '../../../rehearsal/slack/methods/messages.ts';
import { pressables } from '../../../rehearsal/slack/payloads.ts';
import { textOf } from '../../../rehearsal/slack/block-kit/shape.ts';

/** A press opens a form first: its value says what is asked there. */
export function asksForReason(message: Message, actionId: string): boolean {
  return pressables(message).some(
    ({ element }) => element['action_id'] === actionId && textOf(element['value'])?.includes('"ask"') === true,
  );
}

export function hasButton(message: Message, actionId: string): boolean {
  return pressables(message).some(({ element }) => element['action_id'] === actionId);
}
