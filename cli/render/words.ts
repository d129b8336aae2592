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

/** Columns as wide as their widest cell, under a dim head. */
export function table(head: string[], body: string[][]): string {
  const rows = [head, ...body];
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
