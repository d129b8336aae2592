/** Fields of forms. */
import type { InputBlock, ModalView, PlainTextOption, StaticSelect } from '@slack/types';
import { LONGEST_REASON } from '../../domain/gates/gate.ts';
import { LIMITS, plain } from '../blocks/kit/text.ts';
import { noReason, reasonHint } from '../messages/forms.ts';
import { defined } from '../../domain/core/defined.ts';

const REASON = { block: 'reason', input: 'text' } as const;

/** What Slack sends of fields that were filled in. */
export type TextValues = Record<string, Record<string, { value?: string | null }>>;

/** A form that is sent with one button. undefined where the metadata would be cut. */
export function form(
  callbackId: string,
  metadata: object,
  words: { title: string; submit: string },
  blocks: ModalView['blocks'],
): ModalView | undefined {
  const json = JSON.stringify(metadata);
  if (json.length > LIMITS.privateMetadata) return undefined;
  return {
    type: 'modal',
    callback_id: callbackId,
    private_metadata: json,
    title: { type: 'plain_text', text: plain(words.title, LIMITS.modalTitle) },
    submit: { type: 'plain_text', text: plain(words.submit, LIMITS.modalButton) },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks,
  };
}

export function input(
  blockId: string,
  label: string,
  element: InputBlock['element'],
  options: { dispatch?: boolean; optional?: boolean; hint?: string } = {},
): InputBlock {
  const { dispatch = false, optional = false, hint } = options;
  return {
    type: 'input',
    block_id: blockId,
    label: { type: 'plain_text', text: label },
    element,
    optional,
    dispatch_action: dispatch,
    ...(hint === undefined ? {} : { hint: { type: 'plain_text', text: plain(hint, 200) } }),
  };
}

export function select(actionId: string, placeholder: string, options: PlainTextOption[], chosen: string | undefined): StaticSelect {
  const initial = options.find(({ value }) => value === chosen);
  return {
    type: 'static_select',
    action_id: actionId,
    placeholder: { type: 'plain_text', text: placeholder },
    options,
    ...defined({ initial_option: initial }),
  };
}

export function option(value: string, text: string): PlainTextOption {
  return { value, text: { type: 'plain_text', text: plain(text, LIMITS.optionText) } };
}

export function reasonField({ optional = false }: { optional?: boolean } = {}): InputBlock {
  return input(
    REASON.block,
    'Why?',
    { type: 'plain_text_input', action_id: REASON.input, multiline: true, min_length: 3, max_length: LONGEST_REASON },
    { optional, hint: reasonHint() },
  );
}

/** The reason typed; undefined where there is none but blanks. */
export function reasonOf(values: TextValues): string | undefined {
  const text = values[REASON.block]?.[REASON.input]?.value?.trim() ?? '';
  return text === '' ? undefined : text.slice(0, LONGEST_REASON);
}

/** What Slack shows below the field. */
export const NO_REASON = { [REASON.block]: noReason() };
