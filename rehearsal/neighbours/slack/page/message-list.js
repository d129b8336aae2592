/** A list of messages, in the channel or in a thread. `on`: the workspace, and what a press and a thread's link do. */
import { content } from './blocks.js';
import { el } from './dom.js';
import { avatar, nameOf } from './people.js';

const clock = (ts) => new Date(Number(ts) * 1000).toLocaleTimeString('en', { hour: 'numeric', minute: '2-digit' });

function threadFooter(message, { showThread }) {
  if (message.reply_count === undefined) return undefined;
  const label = `${message.reply_count} ${message.reply_count === 1 ? 'reply' : 'replies'}`;
  return el(
    'button',
    { type: 'button', class: 'thread-link', 'data-thread': message.ts, onclick: () => showThread(message.ts) },
    el('b', {}, label),
    el('span', {}, `last at ${clock(message.latest_reply)}`),
  );
}

function reactions(message, { act }) {
  if (message.reactions === undefined) return undefined;
  return el(
    'div',
    { class: 'reactions' },
    message.reactions.map(({ name, count }) => el('span', {}, content({ blocks: [], text: `:${name}:` }, act), String(count))),
  );
}

const size = (bytes) => (bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`);

/** By path: the page may be open under another name than the one that the server knows. */
function attachments({ files = [] }) {
  return files.map((file) =>
    el(
      'a',
      { class: 'attachment', href: new URL(file.url_private_download).pathname, download: file.name },
      el('b', {}, file.title),
      el('span', {}, `${file.pretty_type} · ${size(file.size)}`),
    ),
  );
}

function draw(message, { inThread, follows }, on) {
  const { workspace, act } = on;
  const app = message.user === workspace.app.userId;
  return el(
    'li',
    {
      class: ['message', message.ephemeralTo === undefined ? '' : 'ephemeral', follows ? 'follows' : ''].join(' '),
      'data-ts': message.ts,
      'data-key': message.metadata?.event_payload?.key,
    },
    follows ? el('span', { class: 'gutter' }, clock(message.ts).replace(/ .*/, '')) : avatar(message.user, workspace),
    el(
      'div',
      { class: 'body' },
      follows
        ? undefined
        : el(
            'div',
            { class: 'by' },
            el('b', {}, nameOf(message.user, workspace)),
            app ? el('span', { class: 'badge' }, 'APP') : undefined,
            el('time', {}, clock(message.ts)),
          ),
      message.ephemeralTo === undefined
        ? undefined
        : el(
            'div',
            { class: 'only' },
            'Only visible to you · ',
            el('button', { type: 'button', onclick: () => on.dismiss(message.ts) }, 'Dismiss'),
          ),
      message.files !== undefined && message.text === '' ? undefined : content(message, act),
      attachments(message),
      reactions(message, on),
      inThread ? undefined : threadFooter(message, on),
    ),
  );
}

/** Draws a list again where it changed, and stays at the bottom where the reader was. */
export function drawList({ list, scroll, shown, inThread }, on) {
  const atBottom = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const known = new Map([...list.children].map((node) => [node.dataset.ts, node]));
  const nodes = shown.map((message, index) => {
    const before = shown[index - 1];
    const follows =
      before !== undefined &&
      before.user === message.user &&
      before.ephemeralTo === message.ephemeralTo &&
      Number(message.ts) - Number(before.ts) < 300;
    const version = JSON.stringify([message, follows, on.workspace.user]);
    const old = known.get(message.ts);
    if (old?.version === version) return old;
    const node = draw(message, { inThread, follows }, on);
    node.version = version;
    return node;
  });
  list.replaceChildren(...nodes);
  if (atBottom) scroll.scrollTop = scroll.scrollHeight;
}
