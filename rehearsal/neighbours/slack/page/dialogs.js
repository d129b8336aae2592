/** Modals that the app opened, and confirmations before a press. */
import { action, directory, mrkdwn, textObject } from './blocks.js';
import { el } from './dom.js';

/** Resolves to true when the person goes on. */
export function confirmPress(confirm) {
  return new Promise((resolve) => {
    const settle = (answer) => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    const danger = confirm.style === 'danger';
    const dialog = el(
      'dialog',
      { class: 'confirm', 'aria-label': confirm.title.text, oncancel: () => settle(false) },
      el('h2', {}, confirm.title.text),
      el('div', { class: 'body' }, confirm.text.type === 'mrkdwn' ? mrkdwn(confirm.text.text) : confirm.text.text),
      el(
        'footer',
        {},
        el('button', { type: 'button', class: 'button', onclick: () => settle(false) }, confirm.deny.text),
        el(
          'button',
          { type: 'button', class: `button ${danger ? 'danger' : 'primary'}`, 'data-confirm': 'yes', onclick: () => settle(true) },
          confirm.confirm.text,
        ),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

function control(element, id) {
  const common = { id, name: id, 'data-action-id': element.action_id };
  const options = element.options ?? [];
  if (element.type === 'users_select')
    return el(
      'select',
      common,
      el('option', { value: '' }, element.placeholder?.text ?? 'Choose…'),
      [...directory.users].map(([value, name]) => el('option', { value, selected: value === element.initial_user }, name)),
    );
  if (element.type === 'static_select')
    return el(
      'select',
      common,
      el('option', { value: '' }, element.placeholder?.text ?? 'Choose…'),
      options.map((option) =>
        el('option', { value: option.value, selected: option.value === element.initial_option?.value }, option.text.text),
      ),
    );
  if (element.type === 'radio_buttons' || element.type === 'checkboxes') {
    const type = element.type === 'checkboxes' ? 'checkbox' : 'radio';
    return el(
      'div',
      { class: 'choices', id },
      options.map((option) => el('label', {}, el('input', { type, name: id, value: option.value }), textObject(option.text))),
    );
  }
  const attributes = { ...common, placeholder: element.placeholder?.text ?? '', maxlength: element.max_length };
  if (element.multiline) {
    const area = el('textarea', { ...attributes, rows: 4 });
    area.value = element.initial_value ?? '';
    return area;
  }
  return el('input', { ...attributes, type: 'text', value: element.initial_value ?? '', autocomplete: 'off' });
}

/** `act`: as for messages. */
function viewBlock(block, act) {
  if (block.type === 'input') {
    const id = `view-${block.block_id}`;
    return el(
      'div',
      { class: 'field', 'data-block-id': block.block_id },
      el('label', { for: id }, block.label.text, block.optional ? el('span', { class: 'optional' }, ' (optional)') : undefined),
      control(block.element, id),
      block.hint === undefined ? undefined : el('p', { class: 'hint' }, block.hint.text),
      el('p', { class: 'error', role: 'alert' }),
    );
  }
  if (block.type === 'divider') return el('hr');
  if (block.type === 'header') return el('h3', {}, textObject(block.text));
  if (block.type === 'context')
    return el(
      'div',
      { class: 'context' },
      block.elements.map((element) => el('span', {}, textObject(element))),
    );
  const pressable = (element) => action(element, { ts: '' }, act);
  if (block.type === 'actions') return el('div', { class: 'actions' }, block.elements.map(pressable));
  const accessory = block.accessory === undefined ? undefined : pressable(block.accessory);
  return el('div', { class: 'section' }, el('div', { class: 'text' }, textObject(block.text)), accessory);
}

function filled(form) {
  const fields = [...form.querySelectorAll('.field')];
  return Object.fromEntries(
    fields.map((field) => {
      const checked = [...field.querySelectorAll('input:checked')].map((input) => input.value);
      const single = field.querySelector('input[type=text], textarea, select');
      return [field.dataset.blockId, single === null ? checked.join(',') : single.value];
    }),
  );
}

function showErrors(form, errors) {
  for (const field of form.querySelectorAll('.field')) field.querySelector('.error').textContent = errors[field.dataset.blockId] ?? '';
}

/** Of a view that the app has changed under somebody's hands: what they chose stays where the field does, as in Slack. */
function keep(form, values) {
  for (const field of form.querySelectorAll('.field')) {
    const value = values[field.dataset.blockId];
    if (value === undefined || value === '') continue;
    const single = field.querySelector('input[type=text], textarea, select');
    if (single === null) for (const input of field.querySelectorAll('input')) input.checked = value.split(',').includes(input.value);
    else if (single.tagName !== 'SELECT' || [...single.options].some((option) => option.value === value)) single.value = value;
  }
}

/**
 * Shows the top one of a person's modals. `submit(view, values)` gives the outcome; `press(view, actionId, selected, values)` tells the app of a
 * choice that it wants to hear of, and of a button; `close(view)` dismisses it.
 */
export function showViews(views, { submit, press, close }) {
  const shown = document.querySelector('dialog.view');
  const view = views.at(-1);
  if (shown !== null && shown.dataset.hash === view?.hash) return;
  const same = shown !== null && shown.dataset.viewId === view?.id;
  const values = same ? filled(shown.querySelector('form')) : {};
  const scrolled = same ? shown.querySelector('.body').scrollTop : 0;
  shown?.remove();
  if (view === undefined) return;
  const act = async ({ element, button, selected }) => {
    if (element.confirm !== undefined && !(await confirmPress(element.confirm))) return;
    button.disabled = true;
    await press(view, element.action_id, selected, filled(form));
    button.disabled = false;
  };
  const form = el(
    'form',
    {
      method: 'dialog',
      novalidate: true,
      onsubmit: async (event) => {
        event.preventDefault();
        const outcome = await submit(view, filled(form));
        showErrors(form, outcome.errors ?? {});
      },
    },
    el('h2', {}, view.title.text),
    el(
      'div',
      { class: 'body' },
      view.blocks.map((block) => viewBlock(block, act)),
    ),
    el(
      'footer',
      {},
      el('button', { type: 'button', class: 'button', onclick: () => close(view) }, view.close?.text ?? 'Cancel'),
      view.submit ? el('button', { type: 'submit', class: 'button primary' }, view.submit.text) : undefined,
    ),
  );
  const dialog = el('dialog', { class: 'view', 'aria-label': view.title.text, 'data-view-id': view.id, 'data-hash': view.hash }, form);
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close(view);
  });
  keep(form, values);
  for (const { block_id: id, element, dispatch_action: told } of view.blocks)
    if (told)
      form
        .querySelector(`[data-block-id="${CSS.escape(id)}"]`)
        .addEventListener('change', (event) => void press(view, element.action_id, event.target.value, filled(form)));
  document.body.append(dialog);
  dialog.showModal();
  form.querySelector('.body').scrollTop = scrolled;
}
