/** Reads JSON, and complains about it as Go's encoding/json does. */
import { messageOf } from '../../../../domain/core/unknown.ts';
import { StoreError } from '../../store.ts';

export class JsonError extends Error {}

/** Throws JsonError in Go's words. */
export function parseGoJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonError(complaint(text.trimStart()));
  }
}

const LITERALS = ['null', 'true', 'false'];

function complaint(text: string): string {
  const first = text[0];
  if (first === undefined) return 'unexpected end of JSON input';
  const literal = LITERALS.find((word) => word.startsWith(first));
  if (literal !== undefined) {
    const wrong = literal.split('').findIndex((letter, index) => text[index] !== letter);
    const found = text[wrong];
    if (found === undefined) return 'unexpected end of JSON input';
    return `invalid character ${quoted(found)} in literal ${literal} (expecting ${quoted(literal[wrong] ?? '')})`;
  }
  if (!/["{[0-9-]/.test(first)) return `invalid character ${quoted(first)} looking for beginning of value`;
  return 'unexpected end of JSON input';
}

function quoted(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code <= 0xa0)) return `'\\u${code.toString(16).padStart(4, '0')}'`;
  return character === "'" ? "'\\''" : `'${character}'`;
}

const SHOWN = 30;

/** A body in short, as complaints about it show it. */
export function summary(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const show = (part: Buffer) => (text.startsWith('{') ? part.toString('utf8') : part.toString('hex'));
  return bytes.length > SHOWN ? `${show(bytes.subarray(0, SHOWN))} ...` : show(bytes);
}

/** For bodies that are read whatever they are. */
export function parseOr400(text: string): unknown {
  try {
    return parseGoJson(text);
  } catch (error) {
    throw new StoreError(400, 'BadRequest', messageOf(error));
  }
}
