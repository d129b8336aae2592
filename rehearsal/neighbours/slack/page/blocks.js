/** Block Kit as DOM: header, section with fields and accessory, context, divider, actions, image, markdown. */
import { el, svg } from './dom.js';
import { drawingOf } from './icons.js';
import { formatDate, parseMrkdwn, parsePlain } from './mrkdwn.js';

/** Looks up names; filled by the page when it knows the workspace. */
export const directory = { users: new Map(), groups: new Map(), channels: new Map(), me: '' };

const INLINE = {
  text: ({ text }) => text,
  code: ({ text }) => el('code', {}, text),
  bold: ({ children }) => el('strong', {}, inline(children)),
  italic: ({ children }) => el('em', {}, inline(children)),
  strike: ({ children }) => el('s', {}, inline(children)),
  link: ({ url, label }) => el('a', { href: url, target: '_blank', rel: 'noreferrer' }, label),
  user: ({ id, label }) => mention(directory.users.get(id) ?? label ?? id, id === directory.me),
  group: ({ id, label }) => {
    const group = directory.groups.get(id);
    return mention(group?.handle ?? label ?? id, group?.users.includes(directory.me) === true || label === '@here');
  },
  channel: ({ id, label }) => el('span', { class: 'mention' }, `#${directory.channels.get(id) ?? label ?? id}`),
  date: (node) => el('time', { datetime: new Date(node.epochSec * 1000).toISOString() }, formatDate(node)),
  icon: ({ name }) => svg(drawingOf(name) ?? '', { class: 'icon', role: 'img', 'aria-label': name.replaceAll('_', ' ') }),
};

function mention(name, mine) {
  return el('span', { class: mine ? 'mention mine' : 'mention' }, name.startsWith('@') ? name : `@${name}`);
}

function inline(nodes) {
  return nodes.map((node) => INLINE[node.kind](node));
}

/** A line that starts with an icon or a bullet hangs from it. */
function line({ kind, children }) {
  if (kind === 'quote') return el('blockquote', {}, inline(children));
  const [first] = children;
  if (first?.kind === 'text' && /^ {4,}/.test(first.text)) return el('div', { class: 'line indented' }, inline(children));
  if (first?.kind === 'icon') return el('div', { class: 'line hanging' }, inline([first]), el('div', {}, trimmed(children.slice(1))));
  const bullet = first?.kind === 'text' ? /^\s*(•|\d+\.)\s+/.exec(first.text) : null;
  if (bullet === null) return el('div', { class: 'line' }, children.length === 0 ? '\u00a0' : inline(children));
  const rest = [{ kind: 'text', text: first.text.slice(bullet[0].length) }, ...children.slice(1)];
  return el('div', { class: 'line hanging' }, el('span', { class: 'bullet' }, bullet[1]), el('div', {}, inline(rest)));
}

function trimmed(nodes) {
  const [first, ...rest] = nodes;
  return inline(first?.kind === 'text' ? [{ kind: 'text', text: first.text.replace(/^\s+/, '') }, ...rest] : nodes);
}

export function mrkdwn(text) {
  return parseMrkdwn(text).map((part) => (part.kind === 'pre' ? el('pre', {}, part.text) : line(part)));
}

export function textObject(object) {
  if (object === undefined || object === null) return [];
  return object.type === 'mrkdwn' ? mrkdwn(object.text) : inline(parsePlain(object.text));
}

function button(element, message, act) {
  const attributes = {
    class: ['button', element.style ?? ''].join(' '),
    type: 'button',
    'data-action-id': element.action_id,
    'data-message-ts': message.ts,
    'data-value': element.value,
    onclick: (event) => act({ message, element, button: event.currentTarget }),
  };
  return el('button', attributes, textObject(element.text));
}

function select(element, message, act) {
  const attributes = {
    class: 'select',
    'aria-label': element.placeholder?.text ?? 'Choose',
    'data-action-id': element.action_id,
    'data-message-ts': message.ts,
    onchange: (event) => act({ message, element, button: event.currentTarget, selected: event.currentTarget.value }),
  };
  const options = element.options.map((option) => el('option', { value: option.value }, option.text.text));
  return el('select', attributes, el('option', { value: '' }, element.placeholder?.text ?? 'Choose…'), options);
}

/** A button, a menu or a picture. */
export function action(element, message, act) {
  if (element.type === 'button') return button(element, message, act);
  if (element.type === 'image') return el('img', { class: 'accessory', src: element.image_url, alt: element.alt_text });
  return select(element, message, act);
}

function markdownBlock(text) {
  return mrkdwn(text.replace(/\*\*(.+?)\*\*/g, '*$1*').replace(/^#{1,6}\s+(.+)$/gm, '*$1*'));
}

const BLOCKS = {
  header: (block) => el('h3', {}, textObject(block.text)),
  divider: () => el('hr'),
  section: (block, message, act) =>
    el(
      'div',
      { class: 'section' },
      el(
        'div',
        { class: 'text' },
        textObject(block.text),
        block.fields === undefined
          ? undefined
          : el(
              'div',
              { class: 'fields' },
              block.fields.map((field) => el('div', {}, textObject(field))),
            ),
      ),
      block.accessory === undefined ? undefined : action(block.accessory, message, act),
    ),
  context: (block) =>
    el(
      'div',
      { class: 'context' },
      block.elements.map((element) =>
        element.type === 'image'
          ? el('img', { src: element.image_url, alt: element.alt_text })
          : el('div', { class: element.text.includes('\n') ? 'several' : '' }, textObject(element)),
      ),
    ),
  actions: (block, message, act) =>
    el(
      'div',
      { class: 'actions' },
      block.elements.map((element) => action(element, message, act)),
    ),
  image: (block) => el('img', { class: 'image', src: block.image_url, alt: block.alt_text }),
  markdown: (block) => el('div', { class: 'section' }, el('div', { class: 'text' }, markdownBlock(block.text))),
};

/** A message's content. `act` is called with { message, element, button, selected } when somebody presses something. */
export function content(message, act) {
  if (message.blocks.length === 0)
    return el('div', { class: 'content' }, mrkdwn(message.text), message.edited ? el('span', { class: 'edited' }, '(edited)') : undefined);
  const nodes = message.blocks.map((block) =>
    (BLOCKS[block.type] ?? (() => el('div', { class: 'edited' }, `[${block.type}]`)))(block, message, act),
  );
  const isCard = message.blocks.some(({ type }) => type === 'header' || type === 'actions');
  return el('div', { class: isCard ? 'content card' : 'content' }, nodes);
}
