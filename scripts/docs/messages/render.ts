/** A message as Markdown, as near to what Slack shows as plain text comes. */
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { GateText, Note } from '../../../workflows/messages/note.ts';

const ICONS = { info: 'ℹ', warning: '⚠', alarm: '🚨' } as const;

/** Constructors return a note, a gate, a text or several of them. */
export function rendered(message: unknown): string {
  if (typeof message === 'string') return quoted(message);
  if (Array.isArray(message)) return message.map(rendered).join('\n>\n');
  if (isGate(message)) return gate(message);
  if (isEvidence(message)) return quoted(evidence(message).join('\n'));
  if (isChoice(message)) return quoted(choice(message));
  if (isNote(message))
    return quoted(`${ICONS[message.level ?? 'info']} ${message.text}${message.broadcast === true ? ' *(also in the channel)*' : ''}`);
  if (message instanceof Error) return quoted(message.message);
  throw new TypeError(`A message that cannot be shown: ${JSON.stringify(message)}`);
}

const evidence = ({ title, lines }: GateEvidence): string[] => [`*${title}*`, ...lines.map((line) => `• ${line}`)];

const choice = ({ label, does, needsReason }: GateText['choices'][number]): string =>
  `[${label}]${needsReason === true ? ' (asks why)' : ''} ${does}`;

function gate({ title, next, evidence: parts, undo, choices }: GateText): string {
  return quoted(
    [
      `**${title}**`,
      ...parts.flatMap(evidence),
      next,
      ...(undo === '' ? [] : [`*What can be undone*: ${undo}`]),
      ...choices.map(choice),
    ].join('\n'),
  );
}

const isGate = (message: unknown): message is GateText => has(message, 'choices') && has(message, 'evidence');
const isEvidence = (message: unknown): message is GateEvidence => has(message, 'title') && has(message, 'lines');
const isChoice = (message: unknown): message is GateText['choices'][number] => has(message, 'label') && has(message, 'does');
const isNote = (message: unknown): message is Note => has(message, 'text');
const has = (value: unknown, key: string): boolean => typeof value === 'object' && value !== null && key in value;

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    // Two spaces: a line break.
    .join('  \n');
