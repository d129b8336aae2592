/** Small pieces of the page. */
import { escapeMarkup as text } from '../page/markup.ts';

/** Rows under a head; on a phone each cell says its head itself. The first cell of a row is its name. Cells are markup already. */
export function wordTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const heads = head.map((name) => `<th scope="col">${text(name)}</th>`).join('');
  const body = rows.map(([name = '', ...cells]) => {
    const others = cells.map((cell, index) => `<td data-label="${text(head[index + 1] ?? '')}">${cell}</td>`).join('');
    return `<tr><th scope="row">${name}</th>${others}</tr>`;
  });
  return `<table class="words"><thead><tr>${heads}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}

/** The first of many in sight, the others unfolded on a press: a browser shows ten thousand rows slowly. */
export function folded(
  rows: readonly (readonly string[])[],
  head: readonly string[],
  { shown, what }: { shown: number; what: string },
): string {
  const [first, rest] = [rows.slice(0, shown), rows.slice(shown)];
  const more = rest.length === 0 ? '' : `<details><summary>${rest.length} more ${text(what)}</summary>${wordTable(head, rest)}</details>`;
  return `${wordTable(head, first)}${more}`;
}

export const section = (title: string, body: string, note?: string): string =>
  body === '' ? '' : `<section><h2>${text(title)}</h2>${note === undefined ? '' : `<p class="about">${text(note)}</p>`}${body}</section>`;

/** With a second line in small. */
export const withSmall = (line: string, small: string): string => `${text(line)}<small>${text(small)}</small>`;
