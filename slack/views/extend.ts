/** The form that gives a gate more time. */
import type { ModalView } from '@slack/types';
import { parseDurationMs } from '../../domain/core/parse-duration.ts';
import { sections } from '../blocks/kit/elements.ts';
import { mrkdwn } from '../blocks/kit/text.ts';
import { when } from '../blocks/kit/time.ts';
import type { ExtendMetadata } from '../blocks/kit/button-values.ts';
import { form, input, option, reasonField, select } from './fields.ts';
import { gateExpires, howMuchLonger, moreTimeHint, moreTimeTitle, noTimeChosen } from '../messages/forms.ts';

export const EXTEND_CALLBACK = 'extend-form';
const TIME = { block: 'time', input: 'by' } as const;
const OFFERED: Record<string, string> = { '1h': '1 hour', '4h': '4 hours', '12h': '12 hours', '1d': '1 day', '3d': '3 days' };

/** undefined where the metadata would be cut. */
export function extendView(metadata: ExtendMetadata): ModalView | undefined {
  const options = Object.entries(OFFERED).map(([value, text]) => option(value, text));
  return form(EXTEND_CALLBACK, metadata, { title: moreTimeTitle(), submit: 'Give more time' }, [
    ...sections([`*${mrkdwn(metadata.title, 200)}*`, gateExpires(when(metadata.until))]),
    input(TIME.block, howMuchLonger(), select(TIME.input, 'Choose a time', options, undefined), {
      hint: moreTimeHint(),
    }),
    reasonField({ optional: true }),
  ]);
}

/** In milliseconds; undefined: nothing that was offered. */
export function timeOf(values: Record<string, Record<string, { selected_option?: { value?: string } | null }>>): number | undefined {
  const chosen = values[TIME.block]?.[TIME.input]?.selected_option?.value ?? '';
  return OFFERED[chosen] === undefined ? undefined : parseDurationMs(chosen);
}

/** What Slack shows below the field. */
export const NO_TIME = { [TIME.block]: noTimeChosen() };
