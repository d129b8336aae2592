/** The form that asks why, for choices that need a reason. */
import type { ModalView } from '@slack/types';
import { plain } from '../blocks/kit/text.ts';
import type { ReasonMetadata } from '../blocks/kit/button-values.ts';
import { form, reasonField } from './fields.ts';

export const REASON_CALLBACK = 'gate-reason';

/** undefined where the metadata would be cut. */
export function reasonView(metadata: ReasonMetadata, choice: { label: string; does: string }): ModalView | undefined {
  return form(REASON_CALLBACK, metadata, { title: choice.label, submit: choice.label }, [
    { type: 'section', text: { type: 'plain_text', text: plain(choice.does, 500) } },
    reasonField(),
  ]);
}
