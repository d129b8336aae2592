/** Small pieces of Markdown. */

export const GENERATED = '<!-- Written by `npm run docs` from the code. Edit the code, not this file. -->';

/** A table; line breaks and bars in cells are made harmless. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replace(/\|/g, '\\|');
}

export const code = (text: string): string => `\`${text}\``;

/** Blocks separated by empty lines, one at the end. */
export function page(...blocks: readonly (string | readonly string[])[]): string {
  return `${blocks.flat().join('\n\n')}\n`;
}
