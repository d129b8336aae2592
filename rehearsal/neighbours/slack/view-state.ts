/** From what a person filled in to `view.state.values`, with the checks that Slack's client makes before it sends anything. */
import { type Fields, fieldsOf, listOf, textOf } from './block-kit/shape.ts';
import type { View } from './views.ts';

/** By block id or action id; choices by their value, several separated by commas; people by their id. */
export type Filled = Record<string, string>;

export type Submission =
  | { kind: 'complete'; values: Record<string, Record<string, Fields>> }
  | { kind: 'refused'; errors: Record<string, string>; values: Record<string, Record<string, Fields>> };

function valueOf(element: Fields, filled: string): Fields {
  const options = listOf(element['options']);
  const type = textOf(element['type']) ?? '';
  switch (type) {
    case 'static_select':
    case 'radio_buttons':
      return { type, selected_option: options.find((option) => option['value'] === filled) ?? element['initial_option'] ?? null };
    case 'users_select':
      return { type, selected_user: filled === '' ? (textOf(element['initial_user']) ?? null) : filled };
    case 'checkboxes':
      return { type, selected_options: options.filter((option) => filled.split(',').includes(textOf(option['value']) ?? '')) };
    default:
      return { type, value: filled === '' ? (textOf(element['initial_value']) ?? null) : filled };
  }
}

function problemOf(block: Fields, element: Fields, value: Fields): string | undefined {
  const text = textOf(value['value']) ?? textOf(value['selected_user']);
  const chosen = value['selected_options'];
  const empty = text === undefined && (value['selected_option'] ?? null) === null && !(Array.isArray(chosen) && chosen.length > 0);
  if (empty) return block['optional'] === true ? undefined : 'Please complete this required field.';
  const { min_length: min, max_length: max } = element;
  if (typeof min === 'number' && (text?.length ?? min) < min) return `Please use at least ${min} characters.`;
  if (typeof max === 'number' && (text?.length ?? 0) > max) return `Please use at most ${max} characters.`;
  return undefined;
}

/** What the app sees of a view while somebody is still filling it in. */
export function stateOf(view: View, filled: Filled): Record<string, Record<string, Fields>> {
  return submissionOf(view, filled).values;
}

export function submissionOf(view: View, filled: Filled): Submission {
  const values: Record<string, Record<string, Fields>> = {};
  const errors: Record<string, string> = {};
  for (const block of view.blocks.filter((one) => one['type'] === 'input')) {
    const element = fieldsOf(block['element']);
    const blockId = textOf(block['block_id']) ?? '';
    const actionId = textOf(element['action_id']) ?? '';
    const value = valueOf(element, filled[blockId] ?? filled[actionId] ?? '');
    const problem = problemOf(block, element, value);
    if (problem !== undefined) errors[blockId] = problem;
    values[blockId] = { [actionId]: value };
  }
  return Object.keys(errors).length > 0 ? { kind: 'refused', errors, values } : { kind: 'complete', values };
}
