/** Small pieces of text for terminals. */
import pc from 'picocolors';

/** Columns as wide as their widest cell, under a dim head. A cell is one line. */
export function table(head: string[], body: string[][]): string {
  const rows = [head, ...body].map((cells) => cells.map((cell) => cell.replaceAll('\n', ' ')));
  const widths = rows.reduce<number[]>((all, row) => row.map((cell, column) => Math.max(all[column] ?? 0, cell.length)), []);
  return rows
    .map((cells, row) => {
      const line = cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd();
      return row === 0 ? pc.dim(line) : line;
    })
    .join('\n');
}

export const heading = (text: string): string => pc.bold(text);

/** Words in lines of at most `columns`, each behind the indent. A word that is longer has a line of its own. Without columns: one line. */
export function wrapped(text: string, indent: string, columns = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(indent + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

export const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
