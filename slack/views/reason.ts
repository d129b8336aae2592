/** The form that asks why, for choices that need a reason. */
import type { ModalView } from '@slack/types';
import { LIMITS, plain } from '../blocks/text.ts';
import type { ReasonMetadata } from '../blocks/values.ts';
import { reasonField } from './fields.ts';

export const REASON_CALLBACK = 'gate-reason';

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
    blocks: [{ type: 'section', text: { type: 'plain_text', text: plain(choice.does, 500) } }, reasonField()],
  };
}
