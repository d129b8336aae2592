/**
 * One line of Prometheus' text exposition format, version 0.0.4 (prometheus.io, "Exposition formats"), as its own parser reads it. Line by line, so that
 * the megabytes of an API server are never held at once: libraries take the whole text.
 */

export interface ExposedSample {
  name: string;
  labels: Record<string, string>;
  /** May be NaN or infinite. */
  value: number;
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*/y;
/** A value, and when it was: milliseconds, which nothing here needs. */
const VALUE = /^[ \t]+(\S+)(?:[ \t]+-?\d+)?[ \t]*$/;
const ESCAPES: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };

/** The name that a line begins with; undefined: a comment, an empty line, or no sample at all. Reads no further: most lines are not wanted. */
export function sampleName(line: string): string | undefined {
  NAME.lastIndex = line.search(/[^ \t]|$/);
  return NAME.exec(line)?.[0];
}

/** undefined: a comment or an empty line. Throws SyntaxError for what is no line of the format. */
export function parseSample(line: string): ExposedSample | undefined {
  const text = line.replace(/^[ \t]+|[ \t\r]+$/g, '');
  if (text === '' || text.startsWith('#')) return undefined;
  const name = sampleName(text);
  if (name === undefined) throw malformed(line, 'it does not begin with the name of a metric');
  const { labels, end } = labelsFrom(text, name.length);
  const [, written = ''] = VALUE.exec(text.slice(end).replace(/^(?=\S)/, end > name.length ? ' ' : '')) ?? [];
  if (written === '') throw malformed(line, 'a value, and at most a whole timestamp, has to follow');
  const value = numberOf(written);
  if (value === undefined) throw malformed(line, `"${written.slice(0, 40)}" is no number`);
  return { name, labels, value };
}

/** `end`: behind the closing brace, or where it began. */
function labelsFrom(text: string, from: number): { labels: Record<string, string>; end: number } {
  const open = from + text.slice(from).search(/[^ \t]|$/);
  if (text[open] !== '{') return { labels: {}, end: from };
  const labels: Record<string, string> = {};
  let at = open + 1;
  for (;;) {
    at += text.slice(at).search(/[^ \t]|$/);
    if (text[at] === '}') return { labels, end: at + 1 };
    LABEL.lastIndex = at;
    const [whole = '', label = '', value = ''] = LABEL.exec(text) ?? [];
    if (label === '') throw malformed(text, `label="value" or } is needed at character ${at + 1}`);
    if (label in labels) throw malformed(text, `the label ${label} is there twice`);
    labels[label] = value.replace(/\\./g, (escape) => ESCAPES[escape] ?? escape);
    at += whole.length;
    if (text[at] === ',') at += 1;
    else if (text[at] !== '}') throw malformed(text, `, or } is needed at character ${at + 1}`);
  }
}

/** As Go reads and writes them. */
function numberOf(written: string): number | undefined {
  if (/^[+-]?inf(inity)?$/i.test(written)) return written.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(written)) return Number.NaN;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written) ? Number(written) : undefined;
}

const malformed = (line: string, why: string): SyntaxError =>
  new SyntaxError(`"${line.slice(0, 80)}" is no line of Prometheus' text format: ${why}`);
