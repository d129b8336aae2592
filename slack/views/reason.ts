/** The form that asks why, for choices that need a reason. */
import type { ModalView } from '@slack/types';
import { LIMITS, plain } from '../blocks/text.ts';
import type { ReasonMetadata } from '../blocks/values.ts';

export const REASON_CALLBACK = 'gate-reason';
const BLOCK = 'reason';
const INPUT = 'text';
const MAX_REASON = 500;

/** undefined where the metadata would be cut. */
export function reasonView(metadata: ReasonMetadata, choice: { label: string; does: string }): ModalView | undefined {
  const json = JSON.stringify(metadata);
  if (json.length > LIMITS.privateMetadata) return undefined;
  return {
    type: 'modal',
    callback_id: REASON_CALLBACK,
    private_metadata: json,
    title: { type: 'plain_text', text: plain(choice.label, LIMITS.modalTitle) },
    submit: { type: 'plain_text', text: plain(choice.label, LIMITS.modalButton) },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: plain(choice.does, 500) } },
      {
        type: 'input',
        block_id: BLOCK,
        label: { type: 'plain_text', text: 'Why?' },
        hint: { type: 'plain_text', text: 'Everybody in the thread sees it, and it stands in the record.' },
        element: { type: 'plain_text_input', action_id: INPUT, multiline: true, min_length: 3, max_length: MAX_REASON },
      },
    ],
  };
}

/** The reason typed; undefined where there is none but blanks. */
export function reasonOf(values: Record<string, Record<string, { value?: string | null }>>): string | undefined {
  const text = values[BLOCK]?.[INPUT]?.value?.trim() ?? '';
  return text === '' ? undefined : text.slice(0, MAX_REASON);
}

/** What Slack shows below the field. */
export const NO_REASON = { [BLOCK]: 'Write why, in a few words.' };
