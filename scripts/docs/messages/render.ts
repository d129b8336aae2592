/** A message as Markdown, as near to what Slack shows as plain text comes. */
import type { GateText, Note } from '../../../workflows/messages/note.ts';

const ICONS = { info: 'ℹ', warning: '⚠', alarm: '🚨' } as const;

/** Constructors return a note, a gate, a text or several of them. */
export function rendered(message: unknown): string {
  if (typeof message === 'string') return quoted(message);
  if (Array.isArray(message)) return message.map(rendered).join('\n>\n');
  if (isGate(message)) return gate(message);
  if (isNote(message))
    return quoted(`${ICONS[message.level ?? 'info']} ${message.text}${message.broadcast === true ? ' *(also in the channel)*' : ''}`);
  if (message instanceof Error) return quoted(message.message);
  throw new TypeError(`A message that cannot be shown: ${JSON.stringify(message)}`);
}

function gate({ title, next, evidence, undo, choices }: GateText): string {
  return quoted(
    [
      `**${title}**`,
      ...evidence.flatMap((part) => [`*${part.title}*`, ...part.lines.map((line) => `• ${line}`)]),
      next,
      ...(undo === '' ? [] : [`*What can be undone*: ${undo}`]),
      ...choices.map(({ label, does, needsReason }) => `[${label}]${needsReason === true ? ' (asks why)' : ''} ${does}`),
    ].join('\n'),
  );
}

const isGate = (message: unknown): message is GateText => has(message, 'choices') && has(message, 'evidence');
const isNote = (message: unknown): message is Note => has(message, 'text');
const has = (value: unknown, key: string): boolean => typeof value === 'object' && value !== null && key in value;

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    // Two spaces: a line break.
    .join('  \n');
