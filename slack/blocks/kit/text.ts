/** Text for Slack: escaped, cut to Slack's limits, and unable to mention anybody by itself. */
import { type Actor, actorName } from '../../../domain/gates/actor.ts';
import { isPlainName } from '../../../domain/policy/identities.ts';
import { inReadersTime } from './time.ts';

/** Block Kit's limits, in characters (docs.slack.dev/reference/block-kit). */
export const LIMITS = {
  blocks: 50,
  /**
   * Of a message's blocks as JSON. Slack documents no limit and answers msg_blocks_too_long at about 13,200 characters of all blocks together:
   * github.com/slackapi/bolt-js/issues/2509, where Slack names 12,000 of text and some for the blocks around it.
   */
  messageBlocks: 12_500,
  messageText: 4_000,
  headerText: 150,
  sectionText: 3_000,
  contextElements: 10,
  actionElements: 25,
  buttonText: 75,
  buttonValue: 2_000,
  actionId: 255,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  modalTitle: 24,
  modalButton: 24,
  privateMetadata: 3_000,
  inputLabel: 2_000,
  inputHint: 2_000,
  modalBlocks: 100,
  options: 100,
  optionText: 75,
  optionValue: 150,
} as const;

const ELLIPSIS = '…';

/**
 * mrkdwn: `& < >` escaped, at most `max` characters, one line. Never ends inside an entity or a surrogate pair. Times are in the reader's own zone: Slack
 * shows what stands for one in less than it takes here.
 */
export function mrkdwn(text: string, max: number): string {
  return inReadersTime(escaped(text, max));
}

/** Like mrkdwn, with times as they are given: for code and labels, where Slack shows no others. */
function escaped(text: string, max: number): string {
  return clip(clean(text), max, escapeCharacter);
}

/** Like mrkdwn, but line breaks stay, and indents. */
export function mrkdwnLines(text: string, max: number): string {
  return inReadersTime(codeLines(text, max));
}

/** For code blocks: without indents YAML would be pasted broken, and times are for copying. */
export function codeLines(text: string, max: number): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => indented(line, clean(line)));
  return clip(lines.join('\n'), max, escapeCharacter);
}

/** For plain_text objects: angle brackets become look-alikes, so that no client can take them for a mention. */
export function plain(text: string, max: number): string {
  const safe = clean(text).replaceAll('<', '‹').replaceAll('>', '›');
  return clip(safe === '' ? '–' : safe, max, (character) => character);
}

/** Inline code: no backticks inside. */
export function code(text: string, max: number): string {
  return `\`${escaped(text, max - 2).replaceAll('`', "'")}\``;
}

/** The Markdown that evidence and notes use, as mrkdwn: **bold** becomes *bold*. Escaped and cut. */
export function markdown(text: string, max: number): string {
  return bold(mrkdwn(text, max));
}

/** Like markdown, but line breaks stay. */
export function markdownLines(text: string, max: number): string {
  return bold(mrkdwnLines(text, max));
}

function bold(text: string): string {
  return text.replace(/\*\*(?=\S)(.+?)\*\*/g, '*$1*');
}

/** A person: `<@U…>` for a Slack user id, else the escaped name. */
export function person(actor: Actor): string {
  if (actor.kind === 'slack' && isUserId(actor.id)) return `<@${actor.id}>${actor.aws === undefined ? '' : ' (by CLI, verified by AWS)'}`;
  // Of a terminal both count: whose account, and on which machine.
  return actor.kind === 'cli' ? `${mrkdwn(actor.id, 80)} (by CLI, unverified)` : mrkdwn(actorName(actor), 80);
}

/** `<@U…>` and `<!subteam^S…>` of ids that have the right form, and plain names, which there are without Slack; at most 30. */
export function mentions(who: { users: string[]; groups: string[] }): string {
  return mentionsOf(who).slice(0, 30).join(' ');
}

const MOST_ASKED = 5;

/** "@platform, @sam or @rin", as mentions; at most five, groups first. "" where there are none. */
export function oneOf(who: { users: string[]; groups: string[] }): string {
  const all = mentionsOf(who);
  const shown = all.slice(0, MOST_ASKED);
  const last = all.length > MOST_ASKED ? `${all.length - MOST_ASKED} more` : shown.pop();
  return [shown.join(', '), last].filter((part) => part !== undefined && part !== '').join(' or ');
}

function mentionsOf(who: { users: string[]; groups: string[] }): string[] {
  const users = who.users.filter((id) => isUserId(id) || isPlainName(id)).map((id) => (isUserId(id) ? `<@${id}>` : mrkdwn(id, 40)));
  const groups = who.groups.filter((id) => /^S[A-Z0-9]{1,20}$/.test(id)).map((id) => `<!subteam^${id}>`);
  return [...groups, ...users];
}

function isUserId(id: string): boolean {
  return /^[UW][A-Z0-9]{1,20}$/.test(id);
}

/** `<url|label>`, or just the label where the address is not a plain http(s) one. */
export function link(url: string, label: string): string {
  const safe = escaped(label, 80).replaceAll('|', '/');
  if (!/^https?:\/\/[^\s<>|"]{1,1500}$/i.test(url)) return safe;
  return `<${url.replaceAll('&', '&amp;')}|${safe}>`;
}

/** For "… and 12 more" on a line of its own. */
const ROOM_FOR_MORE = 20;

/** As many whole lines as fit, and of the first as much as fits; says how many do not. */
function joinLines(lines: readonly string[], max: number): string {
  const text = lines.join('\n');
  if (text.length <= max) return text;
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length + 1 > max - ROOM_FOR_MORE) break;
    kept.push(line);
    length += line.length + 1;
  }
  const [first = ''] = lines;
  if (kept.length === 0) kept.push(cutMarkup(first, max - ROOM_FOR_MORE - 1));
  return [...kept, `${ELLIPSIS} and ${lines.length - kept.length} more`].join('\n');
}

/** Of mrkdwn: never ends inside an entity, a link, a mention or a time. */
function cutMarkup(line: string, max: number): string {
  return clip(line.match(/<[^<>\n]*>|&(?:amp|lt|gt);|[^]/gu) ?? [], max, (part) => part);
}

/**
 * Lines packed into as few texts of at most `max` as possible; the last text says how many lines do not fit. What is longer than a text is taken apart at its
 * line breaks, and cut where it has none.
 */
export function packLines(lines: readonly string[], max: number, maxTexts: number): string[] {
  const texts: string[] = [];
  let rest = lines.flatMap((line) => (line.length > max ? line.split('\n').map((part) => cutMarkup(part, max)) : [line]));
  while (rest.length > 0 && texts.length < maxTexts) {
    let count = 0;
    let length = 0;
    for (const line of rest) {
      if (length + line.length > max) break;
      length += line.length + 1;
      count += 1;
    }
    const last = texts.length === maxTexts - 1;
    texts.push(last ? joinLines(rest, max) : rest.slice(0, count).join('\n'));
    rest = last ? [] : rest.slice(count);
  }
  return texts;
}

const indented = (line: string, cleaned: string): string => (cleaned === '' ? '' : `${/^ {0,40}/.exec(line)?.[0] ?? ''}${cleaned}`);

/** No control characters, no marks that turn the direction of reading around, no broken surrogates, no `@channel` that a client could expand. */
function clean(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- taking them out is the point
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
      .replace(/@(?=channel|here|everyone)/gi, '@\u200b')
      .trim()
  );
}

function escapeCharacter(character: string): string {
  if (character === '&') return '&amp;';
  if (character === '<') return '&lt;';
  return character === '>' ? '&gt;' : character;
}

function clip(text: Iterable<string>, max: number, escape: (character: string) => string): string {
  const parts: string[] = [];
  let length = 0;
  let fits = 0;
  for (const character of text) {
    const part = escape(character);
    length += part.length;
    if (length <= max - ELLIPSIS.length) fits = parts.length + 1;
    if (length > max) return `${parts.slice(0, fits).join('')}${ELLIPSIS}`;
    parts.push(part);
  }
  return parts.join('');
}
