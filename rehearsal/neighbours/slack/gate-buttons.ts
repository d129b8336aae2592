/** Gates as people see them: the buttons of a message, and what a press of one says. */
import type { Message } from './methods/messages.ts';
import { pressables } from './payloads.ts';
import { fieldsOf, textOf } from './block-kit/shape.ts';

export interface GateButton {
  gateId: string;
  /** Of the run or step that asks: gates of two clusters have the same id. */
  workflowId: string;
  choice: string;
  actionId: string;
}

/** Those of all gates that the message asks about, in order. */
export function gateButtons(message: Pick<Message, 'blocks'>): GateButton[] {
  return pressables(message).flatMap(({ element }) => {
    const button = parseButton(textOf(element['value']) ?? '');
    return button === undefined ? [] : [{ ...button, actionId: textOf(element['action_id']) ?? '' }];
  });
}

/** Gate and choice of a button's value, or of a form's metadata, which are JSON; undefined for others. */
export function parseButton(value: string): Omit<GateButton, 'actionId'> | undefined {
  try {
    const fields = fieldsOf(JSON.parse(value));
    const gateId = textOf(fields['gateId']);
    if (gateId === undefined) return undefined;
    return { gateId, workflowId: textOf(fields['workflowId']) ?? '', choice: textOf(fields['choice']) ?? '' };
  } catch {
    return undefined;
  }
}
