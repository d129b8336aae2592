/** The channel's page: keeps what was said, draws it, and sends what people do. The server decides everything. */
import { content, directory } from './blocks.js';
import { confirmPress, showViews } from './dialogs.js';
import { el } from './dom.js';
import { drawList } from './message-list.js';
import { showPeople } from './people.js';

const $ = (id) => document.getElementById(id);
const messages = new Map();
let workspace;
let me = new URLSearchParams(location.search).get('user') ?? sessionStorage.getItem('user') ?? '';
let openThread;
let closedThread;
/** A person opened it: other threads do not take its place. */
let hasChosen = false;
let source;

const OUTCOMES = {
  'no-app': 'Belay is not connected right now. Nothing was sent; try again in a moment.',
  unanswered: 'Belay did not answer. Try again in a moment.',
  down: 'Slack is down (rehearsed). Try again later, or use the CLI.',
  'no-such-button': 'That button is gone: somebody was faster.',
};

async function send(path, body) {
  const response = await fetch(`/page/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: me, ...body }),
  });
  const answer = await response.json();
  if (OUTCOMES[answer.outcome] !== undefined) toast(OUTCOMES[answer.outcome]);
  return answer;
}

let toastTimer;
function toast(text) {
  $('toast').textContent = text;
  $('toast').hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => ($('toast').hidden = true), 6000);
}

async function act({ message, element, button, selected }) {
  if (element.confirm !== undefined && !(await confirmPress(element.confirm))) return;
  if (element.url !== undefined) window.open(element.url, '_blank', 'noreferrer');
  button.classList.add('busy');
  button.disabled = true;
  try {
    await send('click', { messageTs: message.ts, actionId: element.action_id, selected });
  } finally {
    button.classList.remove('busy');
    button.disabled = false;
  }
}

const isDirect = ({ channel }) => channel.startsWith('D');

const inChannel = (message) =>
  message.thread_ts === undefined || message.thread_ts === message.ts || message.subtype === 'thread_broadcast';

const draw = (list, scroll, shown, inThread) => drawList({ list, scroll, shown, inThread }, { workspace, act, showThread, dismiss });

/** What only one person sees can be put away, as in Slack. */
function dismiss(ts) {
  messages.delete(ts);
  redraw();
}

function redraw() {
  const sorted = [...messages.values()].sort((a, b) => Number(a.ts) - Number(b.ts));
  const all = sorted.filter((message) => !isDirect(message));
  const direct = sorted.filter(isDirect);
  $('direct-count').textContent = direct.length === 0 ? '' : ` (${direct.length})`;
  draw($('direct-messages'), $('direct-scroll'), direct, true);
  $('welcome').hidden = all.some(({ ephemeralTo }) => ephemeralTo === undefined);
  draw($('messages'), $('channel-scroll'), all.filter(inChannel), false);
  const newest = all.findLast((message) => message.reply_count !== undefined)?.ts;
  if (!hasChosen && newest !== undefined && newest !== closedThread && (openThread === undefined || Number(newest) > Number(openThread)))
    openThread = newest;
  const replies = all.filter((message) => message.ts === openThread || message.thread_ts === openThread);
  $('thread').hidden = openThread === undefined;
  document.body.classList.toggle('with-thread', openThread !== undefined);
  const count = replies.slice(1).filter(({ ephemeralTo }) => ephemeralTo === undefined).length;
  $('thread-count').textContent = count === 0 ? '' : `${count} ${count === 1 ? 'reply' : 'replies'}`;
  draw($('replies'), $('thread-scroll'), openThread === undefined ? [] : replies.slice(1), true);
}

let drawing;
function redrawSoon() {
  drawing ??= requestAnimationFrame(() => {
    drawing = undefined;
    redraw();
  });
}

function showThread(ts) {
  openThread = ts;
  hasChosen = true;
  closedThread = undefined;
  document.body.dataset.view = 'thread';
  redraw();
  $('thread-scroll').scrollTop = $('thread-scroll').scrollHeight;
}

function closeThread() {
  closedThread = openThread;
  hasChosen = false;
  openThread = undefined;
  document.body.dataset.view = 'channel';
  redraw();
}

/** Node names without their domain: the column is narrow. */
const short = (text) => text.replace(/\b(ip-\d+-\d+-\d+-\d+)\.[\w.-]*compute\.internal\b/g, '$1');

function tell(events, options = {}) {
  const at = (iso) => iso.slice(11, 16);
  const lines = events
    .map((event) => el('li', {}, el('time', { datetime: event.at }, at(event.at)), el('span', { title: event.text }, short(event.text))))
    .reverse();
  if (options.anew) $('story').replaceChildren(...lines);
  else $('story').prepend(...lines);
}

function showStatus(status) {
  const [text, kind] = status.down
    ? ['Slack is down (rehearsed)', 'bad']
    : status.appConnected
      ? ['Belay is connected', 'good']
      : ['Belay is away', 'bad'];
  $('app-state').textContent = text;
  $('app-state').className = `pill ${kind}`;
  $('temporal').hidden = status.temporalUi === undefined;
  if (status.temporalUi !== undefined) $('temporal').href = status.temporalUi;
  const speed = workspace?.scene?.speed ?? 1;
  const pace = speed === 1 ? '' : ` · ${speed}× as fast`;
  $('world-time').textContent = `${status.worldTime.slice(0, 10)}, ${status.worldTime.slice(11, 16)} UTC${pace}`;
  $('world-time').dateTime = status.worldTime;
}

function viewsOf({ modals, home }) {
  showViews(modals, {
    submit: (view, values) => send('view/submit', { viewId: view.id, values }),
    press: (view, actionId, selected, values) => send('view/press', { viewId: view.id, actionId, selected, values }),
    close: (view) => send('view/close', { viewId: view.id }),
  });
  drawHome(home);
}

function drawHome(home) {
  const press = async ({ element, button }) => {
    button.disabled = true;
    await send('view/press', { viewId: home.id, actionId: element.action_id });
    button.disabled = false;
  };
  const waiting = el('p', { class: 'waiting' }, 'Nothing is published yet.');
  $('home-view').replaceChildren(home === undefined ? waiting : content({ ts: '', text: '', blocks: home.blocks }, press));
}

function showHome() {
  $('home').hidden = false;
  void send('home', {});
}

function welcome(hello) {
  workspace = hello;
  me = hello.user;
  directory.me = me;
  directory.users = new Map([...hello.people.map(({ id, realName }) => [id, realName]), [hello.app.userId, hello.app.name]]);
  directory.groups = new Map(hello.groups.map((group) => [group.id, group]));
  directory.channels = new Map(hello.channels.map(({ id, name }) => [id, name]));
  $('channel-name').textContent = hello.channels[0].name;
  $('channel-topic').textContent = hello.channels[0].topic;
  $('line').placeholder = `Message #${hello.channels[0].name}, or ${hello.suggestion}`;
  $('suggestion').textContent = hello.suggestion;
  if (hello.scene !== undefined) {
    $('scene-title').textContent = hello.scene.title;
    $('scene-text').textContent = hello.scene.description;
    if (hello.scene.story !== undefined) $('story-title').textContent = hello.scene.story;
  }
  showPeople($('people'), hello, me, become);
  messages.clear();
  for (const message of hello.messages) messages.set(message.ts, message);
  tell(hello.world, { anew: true });
  showStatus(hello.status);
  viewsOf(hello.views);
  redraw();
  followPermalink();
}

/** /archives/C0UPGRADES/p1762161234000100?thread_ts=…: opens the thread and shows the message. */
function followPermalink() {
  const [, digits] = /\/archives\/\w+\/p(\d+)$/.exec(location.pathname) ?? [];
  if (digits === undefined) return;
  const ts = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  const thread = new URLSearchParams(location.search).get('thread_ts');
  if (thread !== null) showThread(thread);
  document.querySelector(`[data-ts="${CSS.escape(ts)}"]`)?.scrollIntoView({ block: 'center' });
  history.replaceState(null, '', '/');
}

function become(user) {
  sessionStorage.setItem('user', user);
  me = user;
  connect();
}

function connect() {
  source?.close();
  source = new EventSource(`/page/events?user=${encodeURIComponent(me)}`);
  const on = (name, listener) => source.addEventListener(name, (event) => listener(JSON.parse(event.data)));
  on('hello', welcome);
  on('message', ({ kind, message }) => {
    if (kind === 'deleted') messages.delete(message.ts);
    else messages.set(message.ts, message);
    redrawSoon();
  });
  on('views', viewsOf);
  on('world', (events) => tell(events));
  on('status', showStatus);
  source.onerror = () => showStatusLost();
}

function showStatusLost() {
  $('app-state').textContent = 'rehearsal ended';
  $('app-state').className = 'pill bad';
}

async function submitLine(event) {
  event.preventDefault();
  const text = $('line').value.trim();
  if (text === '') return;
  $('line').value = '';
  $('usage').hidden = true;
  if (text.startsWith('/')) await send('command', { text });
  else await send('say', { text });
}

$('composer').addEventListener('submit', (event) => void submitLine(event));
$('line').addEventListener('input', () => ($('usage').hidden = !$('line').value.startsWith('/')));
$('suggestion').addEventListener('click', () => {
  $('line').value = $('suggestion').textContent;
  $('line').focus();
});
$('home-open').addEventListener('click', showHome);
$('direct-open').addEventListener('click', () => ($('direct').hidden = false));
$('direct-close').addEventListener('click', () => ($('direct').hidden = true));
$('home-close').addEventListener('click', () => ($('home').hidden = true));
$('thread-close').addEventListener('click', closeThread);
for (const tab of document.querySelectorAll('[data-show]'))
  tab.addEventListener('click', () => {
    document.body.dataset.view = tab.dataset.show;
    for (const scroll of [$('channel-scroll'), $('thread-scroll')]) scroll.scrollTop = scroll.scrollHeight;
  });
connect();
