/** CSV (RFC 4180). */

export type Cell = string | number | undefined;

/** Spreadsheets run a text that begins as a formula (OWASP, "CSV Injection"): an apostrophe in front makes it a text. */
export function csvCell(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvRows = (rows: readonly (readonly Cell[])[]): string => rows.map((cells) => cells.map(csvCell).join(',')).join('\r\n');
