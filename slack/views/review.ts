/** A gate in a modal: all that is known of it, with its choices; and the form for the choices that need a reason. */
import type { ModalView } from '@slack/types';
import type { OpenGate } from '../../domain/gates/gate.ts';
import type { ReviewMetadata, ReviewReason } from '../blocks/kit/button-values.ts';
import { context, header, type Rendered, sections } from '../blocks/kit/elements.ts';
import { LIMITS, plain } from '../blocks/kit/text.ts';
import { inReadersTime } from '../blocks/kit/time.ts';
import { reviewBlocks } from '../blocks/open-gate.ts';
import { readingGate, reviewLabel } from '../messages/gates.ts';
import { form, reasonField } from './fields.ts';

export const REVIEW_REASON_CALLBACK = 'review-reason';

export function reviewView(gate: OpenGate & { workflowId: string }, of: { run: string; user: string; page?: number }): ModalView {
  const metadata: ReviewMetadata = { title: gate.title.slice(0, 200), page: of.page };
  return { ...modal(reviewBlocks(gate, of.run, of.user)), private_metadata: JSON.stringify(metadata) };
}

/** Words in the gate's place. `title`: the gate's, where it is known. */
export function reviewWords({ text }: Pick<Rendered, 'text'>, title?: string): ModalView {
  return modal([...(title === undefined ? [] : [header(title)]), ...sections(inReadersTime(text).split('\n'), 2)]);
}

export const reviewReading = (): ModalView => modal(context([readingGate()]));

/** undefined where the metadata would be cut. */
export function reviewReasonView(metadata: ReviewReason, { label, does }: { label: string; does: string }): ModalView | undefined {
  return form(REVIEW_REASON_CALLBACK, metadata, { title: label, submit: label }, [
    header(metadata.place.title),
    { type: 'section', text: { type: 'plain_text', text: plain(does, 500) } },
    reasonField(),
  ]);
}

function modal(blocks: ModalView['blocks']): ModalView {
  return {
    type: 'modal',
    callback_id: 'review',
    title: { type: 'plain_text', text: plain(reviewLabel(), LIMITS.modalTitle) },
    close: { type: 'plain_text', text: 'Close' },
    blocks,
  };
}
