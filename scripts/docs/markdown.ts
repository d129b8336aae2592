/** Small pieces of Markdown. */

export const GENERATED = '<!-- Written by `npm run docs`. Edit the code, not this file. -->';

/** A table of short cells; line breaks and bars in cells are made harmless. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return oneLine(text).replace(/\|/g, '\\|');
}

/** One point for each entry: for sentences, which are hard to read in a table. */
export const list = (entries: readonly string[]): string => entries.map((entry) => `- ${oneLine(entry)}`).join('\n');

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

export const code = (text: string): string => `\`${text}\``;

/** A sentence, whether its text ends as one or not. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** The last line of a page: where a reader goes from here. */
export const next = (title: string, path: string): string => `Next: [${title}](${path}).`;

/** Blocks separated by empty lines, one at the end. */
export function page(...blocks: readonly (string | readonly string[])[]): string {
  return `${blocks.flat().join('\n\n')}\n`;
}
