/** What goes to the client: without secrets and control characters, and of a size that a model can read. */
import { stripVTControlCharacters } from 'node:util';
import { redact, redactedJson } from '../../worker/config/redact.ts';
import { isRecord } from '../../domain/core/unknown.ts';
import { dataLeftOut, dataShortened, textCut, untrusted } from '../messages/mcp.ts';

/** What a tool found: a text for people, and the same as data. */
export interface Answer {
  text: string;
  data: unknown;
}

export const MOST_TEXT = 60_000;
export const MOST_DATA = 120_000;
/** Tried in turn until the data fits. */
const LIMITS = [
  { items: 50, characters: 500 },
  { items: 10, characters: 300 },
  { items: 3, characters: 200 },
] as const;

export function toolResult({ text, data }: Answer) {
  return {
    content: [
      { type: 'text' as const, text: untrusted() },
      { type: 'text' as const, text: boundedText(text) },
    ],
    structuredContent: boundedData(data),
  };
}

/** An error of the tool, which the model reads and may mend. */
export const toolError = (message: string) => ({
  content: [{ type: 'text' as const, text: boundedText(message) }],
  isError: true,
});

export function boundedText(text: string): string {
  const whole = redact(clean(text));
  return whole.length <= MOST_TEXT ? whole : `${whole.slice(0, MOST_TEXT)}\n${textCut(MOST_TEXT, whole.length)}`;
}

/** An object; one with `shortened` lacks what does not fit. */
export function boundedData(data: unknown): Record<string, unknown> {
  const given = parsed(JSON.stringify(isRecord(data) ? data : { items: data }));
  // Cleaned before secrets are looked for, which a control character would hide; shortened afterwards, as half a secret looks like none.
  const text = redactedJson(shortRecord(given, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY));
  const whole = parsed(text);
  if (text.length <= MOST_DATA) return whole;
  for (const { items, characters } of LIMITS) {
    const short = { shortened: dataShortened(items), ...shortRecord(whole, items, characters) };
    if (JSON.stringify(short).length <= MOST_DATA) return short;
  }
  return { shortened: dataLeftOut() };
}

function shortRecord(value: Record<string, unknown>, items: number, characters: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key), shortOf(inner, items, characters)]));
}

function shortOf(value: unknown, items: number, characters: number): unknown {
  if (typeof value === 'string') {
    const text = clean(value);
    return text.length > characters ? `${text.slice(0, characters)}…` : text;
  }
  if (Array.isArray(value)) return value.slice(0, items).map((inner) => shortOf(inner, items, characters));
  return isRecord(value) ? shortRecord(value, items, characters) : value;
}

function parsed(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : {};
}

/** Lines and tabs stay. What turns a reader's text around is as bad as what moves a terminal's cursor. */
function clean(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{C}\n\t]/gu, '');
}
