/** Small pieces of text for terminals. */
import pc from 'picocolors';

/** "2 h 5 min", "12 min", "40 s". */
export function duration(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

/** Columns as wide as their widest cell; colours may be added by `paint` without changing widths. */
export function table(rows: string[][], paint: (cell: string, column: number, row: number) => string = (cell) => cell): string {
  const widths = rows.reduce<number[]>((all, row) => row.map((cell, column) => Math.max(all[column] ?? 0, cell.length)), []);
  return rows
    .map((cells, row) =>
      cells
        .map((cell, column) => paint(column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0), column, row))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export const heading = (text: string): string => pc.bold(text);
