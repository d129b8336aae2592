/** Rules for the elements inside blocks: buttons, selects, inputs. */
import type { BlockCheck } from './block-check.ts';
import { LIMITS } from './block-limits.ts';
import { type Fields, isFields, textOf } from './shape.ts';

/** Elements that people act on in a message. */
export const ACTION_ELEMENTS = ['button', 'static_select', 'overflow', 'radio_buttons', 'checkboxes'];
export const INPUT_ELEMENTS = ['plain_text_input', 'static_select', 'users_select', 'radio_buttons', 'checkboxes'];

function checkConfirm(check: BlockCheck, element: Fields, pointer: string): void {
  const confirm = element['confirm'];
  if (confirm === undefined) return;
  const at = `${pointer}/confirm`;
  if (!isFields(confirm)) return check.fail(at, 'must provide an object');
  check.text(confirm, 'title', at, LIMITS.confirmTitle, { plain: true, required: true });
  check.text(confirm, 'text', at, LIMITS.confirmText, { required: true });
  check.text(confirm, 'confirm', at, LIMITS.confirmButton, { plain: true, required: true });
  check.text(confirm, 'deny', at, LIMITS.confirmButton, { plain: true, required: true });
  check.oneOf(confirm, 'style', at, ['primary', 'danger']);
}

function checkOptions(check: BlockCheck, element: Fields, pointer: string, max: number): void {
  check.list(element, 'options', pointer, 1, max).forEach((option, index) => {
    const at = `${pointer}/options/${index}`;
    check.text(option, 'text', at, LIMITS.optionText, { required: true });
    check.string(option, 'value', at, LIMITS.optionValue, { required: true });
  });
  const initial = element['initial_option'];
  const options = Array.isArray(element['options']) ? element['options'] : [];
  if (initial !== undefined && !options.some((option) => JSON.stringify(option) === JSON.stringify(initial)))
    check.fail(`${pointer}/initial_option`, 'must match one of the `options`');
}

export function checkElement(check: BlockCheck, element: Fields, pointer: string, allowed: string[]): void {
  const type = textOf(element['type']) ?? '';
  if (!allowed.includes(type)) return check.fail(`${pointer}/type`, `unsupported type: ${type === '' ? '(none)' : type}`);
  check.string(element, 'action_id', pointer, LIMITS.actionId);
  checkConfirm(check, element, pointer);
  if (type === 'button') {
    check.text(element, 'text', pointer, LIMITS.buttonText, { plain: true, required: true });
    check.string(element, 'value', pointer, LIMITS.buttonValue, { emptyAllowed: true });
    check.string(element, 'url', pointer, LIMITS.url);
    check.oneOf(element, 'style', pointer, ['primary', 'danger']);
  } else if (type === 'plain_text_input' || type === 'users_select') {
    check.text(element, 'placeholder', pointer, LIMITS.placeholder, { plain: true });
  } else {
    check.text(element, 'placeholder', pointer, LIMITS.placeholder, { plain: true });
    checkOptions(check, element, pointer, type === 'overflow' ? 5 : type === 'static_select' ? LIMITS.options : 10);
  }
}
