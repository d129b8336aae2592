/** Slack's mrkdwn as a tree: pure, so that it is tested without a browser. */
import { CHARACTERS, DRAWN_CHARACTERS, drawingOf } from './icons.js';

const DRAWN = DRAWN_CHARACTERS.join('|');
/** What may stand before and after a formatted word. */
const EDGE = '[\\s(\\[{)\\]}"\'.,;:!?/–—…-]';
const marked = (name, mark, not) => `(?<=^|${EDGE})${mark}(?=\\S)(?<${name}>${not}+?)(?<=\\S)${mark}(?=$|${EDGE})`;
const INLINE = new RegExp(
  [
    '`(?<code>[^`\\n]+)`',
    '<(?<angle>[^<>\\n]+)>',
    marked('bold', '[*]', '[^*\\n]'),
    marked('italic', '_', '[^_\\n]'),
    marked('strike', '~', '[^~\\n]'),
    ':(?<name>[a-z0-9_+-]+):',
    `(?<emoji>${DRAWN})\\uFE0F?`,
  ].join('|'),
  'gu',
);

function unescape(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** What stands between angle brackets: a link, a mention or a date. */
function angle(inside) {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? undefined : unescape(inside.slice(bar + 1));
  if (target.startsWith('@')) return { kind: 'user', id: target.slice(1), label };
  if (target.startsWith('#')) return { kind: 'channel', id: target.slice(1), label };
  if (target.startsWith('!subteam^')) return { kind: 'group', id: target.slice(9), label };
  if (target.startsWith('!date^')) {
    const [, epochSec = '0', format = '', url] = target.split('^');
    return { kind: 'date', epochSec: Number(epochSec), format, url, label: label ?? '' };
  }
  if (target.startsWith('!')) return { kind: 'group', id: target.slice(1), label: `@${target.slice(1)}` };
  const url = unescape(target);
  return /^(https?|mailto):/i.test(url) ? { kind: 'link', url, label: label ?? url } : { kind: 'text', text: `<${unescape(inside)}>` };
}

function emoji(name) {
  if (drawingOf(name) !== undefined) return { kind: 'icon', name };
  return { kind: 'text', text: CHARACTERS[name] ?? `:${name}:` };
}

/** Nodes of one line: text, code, bold, italic, strike, link, user, group, channel, date, icon. */
export function parseInline(line) {
  const nodes = [];
  let end = 0;
  for (const match of line.matchAll(INLINE)) {
    if (match.index > end) nodes.push({ kind: 'text', text: unescape(line.slice(end, match.index)) });
    const { code, angle: inside, bold, italic, strike, name, emoji: character } = match.groups;
    if (code !== undefined) nodes.push({ kind: 'code', text: unescape(code) });
    else if (inside !== undefined) nodes.push(angle(inside));
    else if (bold !== undefined) nodes.push({ kind: 'bold', children: parseInline(bold) });
    else if (italic !== undefined) nodes.push({ kind: 'italic', children: parseInline(italic) });
    else if (strike !== undefined) nodes.push({ kind: 'strike', children: parseInline(strike) });
    else if (name !== undefined) nodes.push(emoji(name));
    else nodes.push({ kind: 'icon', name: character });
    end = match.index + match[0].length;
  }
  if (end < line.length) nodes.push({ kind: 'text', text: unescape(line.slice(end)) });
  return nodes;
}

/** Lines, quotes and preformatted parts of a mrkdwn text. */
export function parseMrkdwn(text) {
  return text.split(/```\n?([\s\S]*?)\n?```/).flatMap((part, index) => {
    if (index % 2 === 1) return [{ kind: 'pre', text: unescape(part) }];
    if (part.trim() === '') return [];
    return part
      .replace(/^\n|\n$/g, '')
      .split('\n')
      .map((line) => {
        const quote = /^(?:&gt;|>)\s?(.*)$/.exec(line);
        return quote === null ? { kind: 'line', children: parseInline(line) } : { kind: 'quote', children: parseInline(quote[1] ?? '') };
      });
  });
}

/** plain_text: no formatting, but emoji. */
export function parsePlain(text) {
  const nodes = [];
  let end = 0;
  const emojis = new RegExp(`:(?<name>[a-z0-9_+-]+):|(?<character>${DRAWN})\\uFE0F?`, 'gu');
  for (const match of text.matchAll(emojis)) {
    if (match.index > end) nodes.push({ kind: 'text', text: text.slice(end, match.index) });
    nodes.push(match.groups.name === undefined ? { kind: 'icon', name: match.groups.character } : emoji(match.groups.name));
    end = match.index + match[0].length;
  }
  if (end < text.length) nodes.push({ kind: 'text', text: text.slice(end) });
  return nodes;
}

const DATE_PARTS = {
  date_num: (at) => at.toISOString().slice(0, 10),
  date: (at) => at.toLocaleDateString('en', { year: 'numeric', month: 'long', day: 'numeric' }),
  date_short: (at) => at.toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' }),
  date_long: (at) => at.toLocaleDateString('en', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }),
  time: (at) => at.toLocaleTimeString('en', { hour: 'numeric', minute: '2-digit' }),
  time_secs: (at) => at.toLocaleTimeString('en', { hour: 'numeric', minute: '2-digit', second: '2-digit' }),
};

function relativeDay(at, now) {
  const day = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((day(at) - day(now)) / 86_400_000);
  return { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' }[days];
}

/** A `<!date^…>` in the reader's zone. */
export function formatDate({ epochSec, format, label }, now = new Date()) {
  const at = new Date(epochSec * 1000);
  if (Number.isNaN(at.getTime())) return label;
  return format.replace(/\{(\w+)\}/g, (whole, name) => {
    const plainName = name.replace(/_pretty$/, '');
    const part = DATE_PARTS[plainName];
    if (part === undefined) return whole;
    return (name.endsWith('_pretty') ? relativeDay(at, now) : undefined) ?? part(at);
  });
}
