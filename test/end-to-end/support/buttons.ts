/** Buttons of a message, as the stand-in keeps them. */
import type { Message } from '../../../rehearsal/slack/messages.ts';

export function buttonsOf({ blocks }: Message): { actionId: string; value: string }[] {
  return blocks.flatMap(({ elements }) => {
    if (!Array.isArray(elements)) return [];
    return elements.flatMap((element: unknown) => {
      if (typeof element !== 'object' || element === null) return [];
      const [actionId, value]: unknown[] = [Reflect.get(element, 'action_id'), Reflect.get(element, 'value')];
      return typeof actionId === 'string' && typeof value === 'string' ? [{ actionId, value }] : [];
    });
  });
}

/** A press opens a form first: its value says what is asked there. */
export function asksForReason(message: Message, actionId: string): boolean {
  return buttonsOf(message).some((button) => button.actionId === actionId && button.value.includes('"ask"'));
}
