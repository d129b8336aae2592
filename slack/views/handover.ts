/** The form of a handover: to whom, and why. */
import type { ModalView } from '@slack/types';
import { context, sections } from '../blocks/kit/elements.ts';
import type { HandOverMetadata } from '../blocks/kit/button-values.ts';
import { form, input, reasonField } from './fields.ts';
import { handOverExplained, handOverFourEyes, handOverTitle, nobodyChosen } from '../messages/forms.ts';

export const HANDOVER_CALLBACK = 'handover-form';
const TO = { block: 'to', input: 'user' } as const;

/** undefined where the metadata would be cut. */
export function handOverView(metadata: HandOverMetadata): ModalView | undefined {
  return form(HANDOVER_CALLBACK, metadata, { title: handOverTitle(), submit: handOverTitle() }, [
    ...sections([handOverExplained()]),
    input(TO.block, 'To whom?', {
      type: 'users_select',
      action_id: TO.input,
      placeholder: { type: 'plain_text', text: 'Choose a person' },
    }),
    reasonField({ optional: true }),
    ...context([handOverFourEyes()]),
  ]);
}

/** Slack id of the person chosen. */
export function personOf(values: Record<string, Record<string, { selected_user?: string | null }>>): string | undefined {
  const user = values[TO.block]?.[TO.input]?.selected_user ?? undefined;
  return user !== undefined && /^[UW][A-Z0-9]{2,20}$/.test(user) ? user : undefined;
}

/** What Slack shows below the field. */
export const NOBODY = { [TO.block]: nobodyChosen() };
